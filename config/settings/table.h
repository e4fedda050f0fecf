/*
 * The table of settings as text, for FLAMETRAP=help and `flametrap help settings`.
 */
#ifndef CONFIG_SETTINGS_TABLE_H
#define CONFIG_SETTINGS_TABLE_H

/* Pass every line of the table to print(), without newline.  A line is shorter than 240 bytes
 * and is valid until print() returns.  Context: any. */
void table_settings(void (*print)(const char *line));

/* Like table_settings(), as a Markdown table for docs/settings.md.  A line is shorter than 700
 * bytes.  Context: any. */
void table_markdown(void (*print)(const char *line));

/* Pass the names that FLAMETRAP_EVENTS accepts to print(), one a line with alias and meaning.
 * Context: any. */
void table_events(void (*print)(const char *line));

#endif
