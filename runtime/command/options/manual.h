/*
 * The manuals of all verbs, one table each.  `flametrap help`, `flametrap VERB --help`, the manual
 * pages and the shell completion are made from them, and arguments.h reads the options by them.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_MANUAL_H
#define RUNTIME_COMMAND_OPTIONS_MANUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"

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

/* Read an option's value (NULL: it has none), which argv owns, into a field.  Returns 0; or -EINVAL
 * with `line` saying why the value is invalid. */
typedef int options_store(const char *text, void *field, char *line, size_t bytes);

options_store options_text;   /* into a const char *: the value itself */
options_store options_switch; /* likewise; an option that may stand without a value: "yes" */
options_store options_flag;   /* into a bool: true */

/* The options of `flametrap run`, one for every row of the settings table. */
struct options {
	const char *value[SETTINGS_ROWS_MAX]; /* by row of settings_table; NULL: not given */
	bool help, version;		      /* asked for */
};

/* A message that begins with a variable and its value is changed to begin with the option, if that
 * was given instead: any option, or that of this setting. */
void options_name(const struct options *options, char *line, size_t bytes);
void options_name_one(const struct setting *setting, char *line, size_t bytes);

/* Read a whole number from `least` to `most`.  Returns whether the text is one. */
bool options_number(const char *text, unsigned least, unsigned most, unsigned *number);

struct manual_option {
	const char *name;     /* "counter"; NULL ends a group */
	char letter;	      /* 0: none */
	const char *argument; /* "NAME"; NULL: takes none */
	const char *words;    /* accepted words, blanks between them, or MANUAL_*; NULL: anything */
	options_store *store;
	size_t field;	  /* that `store` fills: its offset in the struct of the group */
	const char *help; /* NULL: another spelling of the row before */
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
	bool settings;		/* also takes the options of the settings, up to COMMAND */
	bool own_help;		/* --help is among `options` */
	const char *without;	/* settings that it does not take, blanks between them; or NULL */
	const char *frequency;	/* the default of --frequency, if it is another one; or NULL */
	unsigned least;		/* how many operands it takes */
	unsigned most;		/* MANUAL_ANY_COUNT: as many as there are */
	const char *operands;	/* as manual_option's words */
	options_store *operand; /* takes operands in their places among the options, into the
				 * struct of the first group; NULL: they follow the options */
	unsigned before;	/* of MANUAL_COMMAND: operands that come before COMMAND */
	const char *status;	/* the exit status, in sentences */
	struct manual_example examples[MANUAL_EXAMPLES];
};

/* The exit status of verbs that read and merge profiles. */
#define MANUAL_STATUS_READ                                                                      \
	"0, also where a damaged spool is read in part, or a file is named twice; 1 if a file " \
	"cannot be read or written, though what the others hold is printed; 2 for wrong "       \
	"usage."
#define MANUAL_STATUS_RUN                                                                       \
	"That of COMMAND; 128+N if signal N killed it; 125 if flametrap failed before COMMAND " \
	"started or, with --strict, if COMMAND ran unprofiled; 126 if COMMAND cannot be "       \
	"executed; 127 if it was not found."

/* Groups of options that several verbs take, and the structs that they fill. */
extern const struct manual_option manual_asked[];     /* --version and --help: struct options */
extern const struct manual_option manual_reading[];   /* struct input_options */
extern const struct manual_option manual_picture[];   /* struct picture_choice */
extern const struct manual_option manual_comparing[]; /* struct comparing */

/* The verbs, one row each, in the order of the help: X(NAME).  A verb has a manual, manual_NAME,
 * and a function in a file of its own, verb_NAME().  That takes the verb's arguments (argv[0] is
 * the verb) and returns the exit status: 0, 1 for a failure, 2 for wrong usage, or what the manual
 * says. */
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

#define VERBS_MANUAL(name)   extern const struct manual manual_##name;
#define VERBS_FUNCTION(name) int verb_##name(int argc, char **argv);
VERBS(VERBS_MANUAL)
VERBS(VERBS_FUNCTION)
VERBS_INTERNAL(VERBS_FUNCTION)
extern const struct manual manual_flametrap; /* the command itself */

/* All verbs, in the order of the help. */
extern const struct manual *const manual_verbs[];
extern const size_t manual_verb_count;

/* Returns the manual of a verb; NULL if there is none with that name.  Context: any. */
const struct manual *manual_find(const char *verb);

/* Returns true if the option's argument may be left out, and takes =. */
bool manual_is_optional(const struct manual_option *option);

/* Fill `rows` with every option that a verb takes, --help last.  The texts live until the next
 * call.  Returns their number, at most MANUAL_ROWS_MAX; aborts if they are more.  Context: one
 * thread. */
size_t manual_options(const struct manual *manual, struct manual_option *rows);

#endif
