/* Handles signals that end the command while it writes files. */
#ifndef RUNTIME_COMMAND_BASE_INTERRUPT_H
#define RUNTIME_COMMAND_BASE_INTERRUPT_H

/* From here a signal from the terminal or a SIGTERM first removes an unfinished file and writes
 * `line` to standard error (NULL: nothing; the text is copied), and then ends the command.  Ignored
 * signals remain ignored. */
void interrupt_expect(const char *line);

/* A reader that is gone and a limit on file sizes are errors to report; neither ends the command.
 */
void interrupt_ignore_streams(void);

#endif
