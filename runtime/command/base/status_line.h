/*
 * The command's standard streams: messages, one line each after "flametrap: ", and a line of
 * progress on standard error; what a signal leaves; and output that is safe for a terminal.
 */
#ifndef RUNTIME_COMMAND_BASE_STATUS_LINE_H
#define RUNTIME_COMMAND_BASE_STATUS_LINE_H

#include <stddef.h>

/* Print one formatted line.  Bytes that would end the line or move the cursor become '?'. */
void status_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a line likewise, or write it into `line` for the caller to print.  Both return `result`. */
int fail(int result, const char *format, ...) __attribute__((format(printf, 2, 3)));
int refuse(char *line, size_t bytes, int result, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Print a finished line; has the signature that settings_env_read() and profile_read() need. */
void status_line_text(const char *line);

/* Print the text of an -errno, after `what` and a colon unless that is NULL; nothing for 0. Returns
 * `err`. */
int status_line_error(const char *what, int err);

/* Returns 0 if all of standard output was written; 1 after a message that it was not. */
int status_line_flushed(void);

/* Print one line on standard output; has the signature that the tables need. */
void status_line_out(const char *line);

/* From here a line of progress appears after a second and is updated every second, if standard
 * error is a terminal. */
void progress_start(void);

/* Record the progress: `done` of `all` spools. */
void progress_step(size_t done, size_t all);

/* Record that all spools are read, and that symbols and files come next. */
void progress_write(void);

/* Like progress_write(), before output to standard output: the line is removed if both are
 * terminals. */
void progress_print(void);

/* Remove the line before something is printed; it returns with the next second.  Context: any. */
void progress_clear(void);

/* Remove the line and stop. */
void progress_end(void);

/* From here a signal from the terminal or a SIGTERM first removes an unfinished file and writes
 * `line` to standard error (NULL: nothing; the text is copied), and then ends the command.  Ignored
 * signals remain ignored. */
void interrupt_expect(const char *line);

/* A reader that is gone and a limit on file sizes are errors to report; neither ends the command.
 */
void interrupt_ignore_streams(void);

/* From now on all output of stdio to standard output and standard error passes through
 * config/text/terminal.h, so that it is safe for a terminal whatever bytes the printed names hold.
 * When memory is out the streams stay unguarded. */
void terminal_safe_guard(void);

/* The following standard output is data, and is written unchanged unless it goes to a terminal. */
void terminal_safe_data(void);

#endif
