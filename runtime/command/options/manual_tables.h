/*
 * The manual of a verb, and the table of each verb.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_MANUAL_TABLES_H
#define RUNTIME_COMMAND_OPTIONS_MANUAL_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#define MANUAL_SYNOPSES	 2
#define MANUAL_GROUPS	 4
#define MANUAL_EXAMPLES	 5
#define MANUAL_ROWS_MAX	 64
#define MANUAL_ANY_COUNT 100000

/* Samples per second of flametrap ab; variant.c has the reason. */
#define MANUAL_AB_FREQUENCY "7993"

/* Kinds of arguments that a shell completes itself, instead of a list of words. */
#define MANUAL_FILE	 "FILE"
#define MANUAL_DIRECTORY "DIRECTORY"
#define MANUAL_PROFILE	 "PROFILE" /* a file, or the PID of a profiled process */
#define MANUAL_EVENT	 "EVENT"
#define MANUAL_COMMAND	 "COMMAND"

/* Keys of options that have no letter. */
enum manual_key {
	OPTION_OPERAND = 1, /* an operand of a manual with in_order */
	OPTION_FIRST = 0x100,
	OPTION_AFTER = OPTION_FIRST,
	OPTION_ALL,
	OPTION_BEFORE,
	OPTION_BEFORE_FROM,
	OPTION_BEFORE_TO,
	OPTION_BY,
	OPTION_CALLS,
	OPTION_COLORS,
	OPTION_COLOR_BY,
	OPTION_COMPLETION,
	OPTION_CONFIDENCE,
	OPTION_COUNTER,
	OPTION_CSV,
	OPTION_FAIL_ABOVE,
	OPTION_FOCUS,
	OPTION_FORMAT,
	OPTION_FROM,
	OPTION_FUNCTION,
	OPTION_HIDE,
	OPTION_IGNORE,
	OPTION_IGNORE_FAILURE,
	OPTION_INLINE,
	OPTION_INPUT,
	OPTION_INSTRUCTIONS,
	OPTION_INTEL,
	OPTION_INTERP,
	OPTION_JSON,
	OPTION_LABEL,
	OPTION_LAST,
	OPTION_LINES,
	OPTION_LIST,
	OPTION_MAN,
	OPTION_MARKDOWN,
	OPTION_MERGE,
	OPTION_MIN_WIDTH,
	OPTION_NOTES,
	OPTION_NO_DEMANGLE,
	OPTION_NO_EARLY_STOP,
	OPTION_NO_PICTURE,
	OPTION_PAIRS,
	OPTION_PREPARE,
	OPTION_RENAME,
	OPTION_REVERSE,
	OPTION_ROWS,
	OPTION_SAVE,
	OPTION_SEPARATOR,
	OPTION_SHOW_OUTPUT,
	OPTION_SORT,
	OPTION_SOURCE,
	OPTION_THREADS,
	OPTION_TIDY,
	OPTION_TITLE,
	OPTION_TO,
	OPTION_TREE,
	OPTION_UNIT,
	OPTION_WARMUP,
	OPTION_WEIGHT,
	OPTION_WIDTH,
	OPTION_SETTING = 0x200, /* and its row in settings_table: a setting without a letter */
};

struct manual_option {
	const char *name;     /* "counter"; NULL ends a group */
	int key;	      /* the letter, or a manual_key */
	const char *argument; /* "NAME"; NULL: takes none */
	const char *words;    /* accepted words, blanks between them, or MANUAL_*; NULL: anything */
	const char *help;     /* NULL: another spelling of the row before */
};

struct manual_example {
	const char *command;
	const char *about;
};

struct manual {
	const char *name;
	const char *synopsis[MANUAL_SYNOPSES]; /* what follows "flametrap " */
	const char *summary;		       /* one line: what the verb does */
	const char *text;		       /* paragraphs, an empty line between them */
	const struct manual_option *options[MANUAL_GROUPS];
	bool settings;	       /* also takes the options of the settings, up to COMMAND */
	const char *without;   /* settings that it does not take, blanks between them; or NULL */
	const char *frequency; /* the default of --frequency, if it is another one; or NULL */
	unsigned least;	       /* how many operands it takes */
	unsigned most;	       /* MANUAL_ANY_COUNT: as many as there are */
	const char *operands;  /* as manual_option's words */
	bool in_order;	       /* operands count by their places among the options */
	unsigned before;       /* of MANUAL_COMMAND: operands that come before COMMAND */
	const char *status;    /* the exit status, in sentences */
	struct manual_example examples[MANUAL_EXAMPLES];
};

#define MANUAL_STATUS_READ                                                                         \
	"0; 1 if a file cannot be read or written, though what the others hold is printed; 2 for " \
	"wrong usage."

/* Groups of options that several verbs take. */
extern const struct manual_option manual_reading[];   /* how profiles are read */
extern const struct manual_option manual_picture[];   /* how they are drawn */
extern const struct manual_option manual_comparing[]; /* comparing.h */

/* The verbs, one row each, in the order of the help: X(NAME).  A verb has a manual, manual_NAME,
 * and a function, int verb_NAME(int argc, char **argv), in a file of its own. */
#define VERBS(X)    \
	X(run)      \
	X(watch)    \
	X(ab)       \
	X(report)   \
	X(annotate) \
	X(graph)    \
	X(fold)     \
	X(diff)     \
	X(list)     \
	X(start)    \
	X(stop)     \
	X(recover)  \
	X(events)   \
	X(doctor)   \
	X(help)

/* Verbs that run between our own programs, without a manual. */
#define VERBS_INTERNAL(X) X(finish)

#define VERBS_MANUAL(name) extern const struct manual manual_##name;
VERBS(VERBS_MANUAL)
extern const struct manual manual_flametrap; /* the command itself */

#endif
