/*
 * The table of settings as text: FLAMETRAP=help and `flametrap help settings` print it.
 */
#ifndef CONFIG_SETTINGS_TABLE_H
#define CONFIG_SETTINGS_TABLE_H

/* Give every line of the table to print, without its newline; lines end below 240 bytes and
 * live until print returns.  Context: any. */
void table_settings(void (*print)(const char *line));

/* The same as a Markdown table, for docs/settings.md; lines end below 700 bytes.  Context: any. */
void table_markdown(void (*print)(const char *line));

/* The names FLAMETRAP_EVENTS knows, one a line with its alias and meaning.  Context: any. */
void table_events(void (*print)(const char *line));

#endif
