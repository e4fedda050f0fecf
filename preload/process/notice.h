/*
 * What the shim tells the user on standard error.
 */
#ifndef PRELOAD_PROCESS_NOTICE_H
#define PRELOAD_PROCESS_NOTICE_H

#include <stdbool.h>

#define NOTICE_LINE_BYTES 768 /* of the longest line, with its end */

struct settings;

/* Remember the file behind standard error; without this call no line is ever written.  Whether
 * lines are wanted is read from `settings`, which stay valid and may change, at each line. Context:
 * init. */
void notice_start(const struct settings *settings);

/* True if standard error is still the file that the process started with.  Context: any. */
bool notice_owns_stderr(void);

/* Write one line to standard error, unless that is another file by now or the settings ask for
 * silence.  `line` has no newline; what does not fit is cut.  Context: any. */
void notice_say(const char *line);

#endif
