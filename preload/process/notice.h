/* The shim's messages to the user on standard error. */
#ifndef PRELOAD_PROCESS_NOTICE_H
#define PRELOAD_PROCESS_NOTICE_H

#include <stdbool.h>

#define NOTICE_LINE_BYTES 768 /* of the longest line, with its newline */

struct settings;

/* Remember the file behind standard error.  Without this call no line is ever written.  `settings`
 * is read at each line: it must stay valid and may change.  Context: init. */
void notice_start(const struct settings *settings);

/* True if standard error is still the file that the process started with.  Context: any. */
bool notice_owns_stderr(void);

/* Write "flametrap: " and the given parts, up to NULL, as one line: notice_say().  Context: any. */
void notice_tell(const char *part, ...) __attribute__((sentinel));

/* Write one line, without its newline, to standard error, unless that is another file by now or the
 * settings ask for silence.  What does not fit is cut.  Context: any. */
void notice_say(const char *line);

#endif
