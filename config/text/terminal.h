/*
 * Makes text safe for a terminal, for all of the project.  Names come from programs, files and
 * other users.  They may contain control sequences, or characters that make a terminal show other
 * letters than the text has.
 */
#ifndef CONFIG_TEXT_TERMINAL_H
#define CONFIG_TEXT_TERMINAL_H

#include <stddef.h>

#define TERMINAL_MORE 4 /* most bytes that one call may write in addition to its input */

/* A character whose bytes come in several calls.  Initially 0. */
struct terminal {
	unsigned char part[4];
	unsigned have;
};

/* Copy text of any bytes to `to`, which has room for bytes + TERMINAL_MORE.  Tabs, line ends and
 * UTF-8 pass.  Each of the following becomes a '?': other control characters (C0, DEL, C1),
 * characters that change the direction of text or end lines by themselves, and bytes that are
 * not UTF-8.  Returns the number of bytes written.  Context: any. */
size_t terminal_filter(struct terminal *terminal, const char *text, size_t bytes, char *to);

/* End the text: an incomplete character becomes one '?'.  Returns the number of bytes written. */
size_t terminal_end(struct terminal *terminal, char *to);

/* Like terminal_filter(), for one line in place: tabs and line ends become a '?' too. */
size_t terminal_line(char *line, size_t bytes);

#endif
