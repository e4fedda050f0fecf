/*
 * The user's settings: every FLAMETRAP_* variable and every option, in one table.  The table
 * (settings_table.c) holds name, option, rule, default and help.  The environment, the command
 * line, `flametrap help settings` and the table of docs/settings.md all come from it.  No
 * allocation and no stdio, because this runs in the target's constructor.
 */
#ifndef CONFIG_SETTINGS_SETTINGS_H
#define CONFIG_SETTINGS_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/event.h"
#include "config/settings/formats.h"
#include "config/text/scan.h"

enum settings_mode { SETTINGS_ON, SETTINGS_OFF, SETTINGS_HELP };
/* AUTO: samples; for time off the processor its length, because the number of switches says
 * nothing of it */
enum settings_weight { SETTINGS_WEIGHT_AUTO, SETTINGS_WEIGHT_SAMPLES, SETTINGS_WEIGHT_EVENTS };
enum settings_threads { SETTINGS_THREADS_MERGE, SETTINGS_THREADS_NAME, SETTINGS_THREADS_ID };
enum settings_kernel { SETTINGS_KERNEL_AUTO, SETTINGS_KERNEL_YES, SETTINGS_KERNEL_NO };
/* MERGE: the functions of interpreted programs among the native ones, without the interpreter's
 * calls between them; ONLY: without native functions; NO: native functions only */
enum settings_interp { SETTINGS_INTERP_MERGE, SETTINGS_INTERP_ONLY, SETTINGS_INTERP_NO };
enum settings_notify {
	SETTINGS_NOTIFY_AUTO,
	SETTINGS_NOTIFY_SIGTRAP,
	SETTINGS_NOTIFY_SIGIO,
	SETTINGS_NOTIFY_TIMER,
};
enum settings_log { SETTINGS_LOG_QUIET, SETTINGS_LOG_ERROR, SETTINGS_LOG_INFO };

#define SETTINGS_TEXT_MAX 4096 /* bytes of a field that holds text */
#define SETTINGS_LINE_MAX 512  /* enough for any sentence about a setting */
#define SETTINGS_ROWS_MAX 32   /* of the table: the bits of struct settings.given */

#define SETTINGS_DEPTH_MAX 4096

#define SETTINGS_FREQUENCY     999	  /* the default: samples per second */
#define SETTINGS_FREQUENCY_MAX UINT64_MAX /* the highest rate that the kernel allows */

struct settings {
	enum settings_mode mode;
	struct events events;
	uint64_t frequency_hz;		/* 0 if period applies; or SETTINGS_FREQUENCY_MAX */
	uint64_t period;		/* 0 if frequency_hz applies */
	char output[SETTINGS_TEXT_MAX]; /* pattern, with % unresolved */
	unsigned formats;		/* numbers of formats.h, or-ed */
	enum settings_weight weight;
	enum settings_threads threads;
	bool inlined; /* frames of inlined functions */
	bool lines;   /* files and lines of frames */
	bool off_cpu; /* see settings_env_read() */
	bool wall;
	bool coarse; /* threads that switch or start very often may have a timer */
	enum settings_kernel kernel;
	enum settings_interp interp;
	enum settings_notify notify;
	int signal; /* number; 0: choose one */
	unsigned depth;
	uint64_t memory_bytes;
	bool timeline;		       /* keep the time of each sample */
	uint64_t timeline_bytes;       /* of the spool, three quarters at most; 0: the usual */
	char spool[SETTINGS_TEXT_MAX]; /* directory; empty: choose one */
	bool follow;		       /* false: children are not profiled */
	char follow_glob[SETTINGS_TEXT_MAX]; /* names of executables to follow; empty: all */
	bool start_paused;
	uint64_t start_delay_ns;
	uint64_t stop_after_ns; /* 0: never */
	enum settings_log log;
	bool strict;
	bool wait;	/* the command ends with the last process of the run */
	bool runtimes;	/* children get the settings with which run-time compilers name their
			 * code */
	bool encoded;	/* FLAMETRAP_ENCODED was read */
	uint32_t given; /* one bit for each row of the table that settings_set() has stored */
	bool collected; /* FLAMETRAP_COLLECT=1, set by the launcher: leave the spool to it */
};

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
	size_t field;		       /* its offset in struct settings; of several the first one */
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
values_parse values_text;      /* into SETTINGS_TEXT_MAX bytes: any text that fits */
values_parse values_directory; /* like values_text, but not empty */
values_parse values_stem;      /* like values_text: a pattern of output files, pattern.h */
values_parse values_events;    /* into a struct events */
values_parse values_signal;    /* into an int */

/* One row of the table. */
struct setting {
	const char *variable; /* "FLAMETRAP_EVENTS" */
	const char *option;   /* "events"; NULL: no option */
	int key;	      /* 'e'; 0: long option only */
	bool flag;	      /* the option may stand without a value, which then is yes */
	bool internal;	      /* used between our own programs: not shown in help */
	const char *argument; /* "LIST" */
	const char *values;   /* the accepted values, for complaints and help */
	const char *fallback; /* default as a value; "" if there is none */
	const char *shown;    /* default in words, for help; NULL: as fallback */
	const char *help;
	struct values_rule rule; /* how a text fills the fields of struct settings */
};

extern const struct setting settings_table[];
extern const size_t settings_count;

/* Fill *settings with the defaults of the table.  Context: any. */
void settings_defaults(struct settings *settings);

/* Store one value by its row.  On failure `line`, of `bytes` bytes, holds one whole sentence:
 * the variable, the value, the error and its place, and the accepted values; without newline and
 * without "flametrap: " in front.  The value is shown escaped and shortened, so that the line
 * stays one line.  Returns 0, or -EINVAL with the setting's own fields unspecified.  Context:
 * any. */
int settings_set(struct settings *settings, const struct setting *setting, const char *text,
		 char *line, size_t bytes);

/* Find contradictions between settings (period and frequency both given, …).  Call after the
 * last settings_set().  Returns 0, or -EINVAL with `line` filled.  Context: any. */
int settings_check(const struct settings *settings, char *line, size_t bytes);

/* The row that fills a member of struct settings; of several members, the first one.  Context: any.
 */
#define SETTING(member) settings_of(offsetof(struct settings, member))
const struct setting *settings_of(size_t field);

/* The row of a variable ("FLAMETRAP_EVENTS") or long option ("events"), or NULL if there is
 * none. */
const struct setting *settings_find(const char *name);

/* The default in words, or else as a value; "" if there is none. */
const char *settings_fallback(const struct setting *setting);

/* The known variable that is nearest to an unknown one; never NULL. */
const char *settings_nearest(const char *name);

/* Read every FLAMETRAP_* variable of a NULL-terminated environment into *settings, which holds
 * its defaults, and check them with settings_check().  After FLAMETRAP=off or =help nothing else
 * is read.  Unknown variables are reported through `warn`, once each, with the nearest name.
 * There is no report if `warn` is NULL, or if FLAMETRAP_COLLECT is set, because the launcher has
 * reported them.  FLAMETRAP_STRICT is read first: settings->strict is valid even after an error
 * in another variable.  Returns 0, or -EINVAL at the first bad value with `line` filled (see
 * settings_set()).  Context: init. */
int settings_env_read(struct settings *settings, char *const *environment,
		      void (*warn)(const char *line), char *line, size_t bytes);

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
