/*
 * From the text of a setting to its field, with one function for each kind of value.  A row of a
 * table names the function, the field and the accepted values.
 */
#ifndef CONFIG_SETTINGS_VALUES_H
#define CONFIG_SETTINGS_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "config/text/scan.h"

#define VALUES_TEXT_MAX 4096 /* bytes of a field that holds text */

/* Words for a switch, as rows of a table of words. */
#define VALUES_SWITCH(on, off)                                                                \
	{ "yes", (on) }, { "no", (off) }, { "on", (on) }, { "off", (off) }, { "true", (on) }, \
		{ "false", (off) }, { "1", (on) },                                            \
	{                                                                                     \
		"0", (off)                                                                    \
	}

struct values_rule;

/* Read the whole of `text` into `field` by a rule.  Returns 0, or -EINVAL with *complaint filled
 * and the field unspecified.  Context: any. */
typedef int values_parse(const struct values_rule *rule, void *field, const char *text,
			 struct complaint *complaint);

struct values_rule {
	values_parse *parse;
	size_t field; /* offset of the field; 0: the struct itself, for several fields */
	const struct scan_word *words; /* the accepted words, for words */
	uint64_t least, most;	       /* the accepted range, for numbers */
};

values_parse values_word;      /* into an enum: one of the words */
values_parse values_words;     /* into an unsigned: a list of words, whose values are or-ed */
values_parse values_switch;    /* into a bool */
values_parse values_count;     /* into a uint64_t: k, M and G are powers of 1000 */
values_parse values_size;      /* into a uint64_t, in bytes: K, M and G are powers of 1024 */
values_parse values_duration;  /* into a uint64_t, in nanoseconds */
values_parse values_digits;    /* into an unsigned */
values_parse values_text;      /* into VALUES_TEXT_MAX bytes: any text that fits */
values_parse values_directory; /* like values_text, but not empty */
values_parse values_stem;      /* like values_text: a pattern of output files, pattern.h */
values_parse values_events;    /* into a struct events */
values_parse values_signal;    /* into an int */

#endif
