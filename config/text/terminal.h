/*
 * The one place that makes text safe for a terminal.  Names come from programs, files and other
 * users, and may hold what a terminal acts on, or what shows other letters than are there.
 */
#ifndef CONFIG_TEXT_TERMINAL_H
#define CONFIG_TEXT_TERMINAL_H

#include <stddef.h>

#define TERMINAL_MORE 4 /* bytes that one call may write beyond those that it is given */

/* A character whose bytes come in several calls; 0 at first. */
struct terminal {
	unsigned char part[4];
	unsigned have;
};

/* Copy text of any bytes to `to`, which has room for bytes + TERMINAL_MORE.  Tabs, line ends and
 * UTF-8 pass.  Other control characters (C0, DEL, C1), those that turn the direction of text or end
 * lines by themselves, and bytes that are no UTF-8 become a '?' each.
 * Returns how many bytes were written.  Context: any. */
size_t terminal_filter(struct terminal *terminal, const char *text, size_t bytes, char *to);

/* The end of the text: a character that was cut becomes one '?'.  Returns as above. */
size_t terminal_end(struct terminal *terminal, char *to);

/* The same of one line, in its place: there tabs and line ends become a '?' too. */
size_t terminal_line(char *line, size_t bytes);

#endif
