/*
 * What the command says on its own standard error: one line each, "flametrap: " in front.
 */
#ifndef RUNTIME_COMMAND_BASE_SAY_H
#define RUNTIME_COMMAND_BASE_SAY_H

/* Say one formatted line.  Bytes that would end the line or move the cursor become '?'. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a finished line, in the form that settings_env_read and profile_read want. */
void say_line(const char *line);

/* Print one line on standard output, in the form that the tables want. */
void say_out(const char *line);

#endif
