/* Two commands in turns: from the command line over the runs to the answer, file by file. */
#ifndef RUNTIME_COMMAND_AB_AB_H
#define RUNTIME_COMMAND_AB_AB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/command/options/comparing.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/run/launch.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/runs.h"
#include "runtime/spool/format.h"

struct frame_tree;
struct machine;

struct ab_options {
	struct options settings;
	struct comparing comparing;
	unsigned runs; /* the most of each variant */
	unsigned warmup;
	unsigned rows;
	const char *prepare; /* NULL, like the next ones: not given */
	const char *input;
	const char *save;
	const char *separator;
	const char *output;
	bool show_output;
	bool ignore_failure;
	bool no_early_stop;
	bool no_picture;
	char **command[RUNS_SIDES]; /* NULL-terminated, in argv */
};

/* Read the options and both commands; argv is cut into them.  Returns true; or false with the exit
 * status in *status, after help or a message.  Call comparing_free(&options->comparing) in any
 * case. */
bool ab_options_read(struct ab_options *options, int argc, char **argv, int *status);

/* One of the two commands. */
struct variant {
	struct launch launch;
	char label[256]; /* its command line, cut to fit */
	int lock;	 /* of the directory launch.spool; -1: none */
	bool off;	 /* FLAMETRAP=off: nothing is preloaded */
};

/* What is measured of a run, in the order in which it is shown. */
enum variant_measure {
	VARIANT_WALL,
	VARIANT_CPU,
	VARIANT_USER,
	VARIANT_SYS,
	VARIANT_MAX_RSS,
	VARIANT_PAGE_FAULTS,
	VARIANT_CONTEXT_SWITCHES,
	VARIANT_OTHER_LOAD, /* of the machine meanwhile */
	VARIANT_MEASURES,
};

struct variant_run {
	double value[VARIANT_MEASURES];
	struct child child;
	bool hides_memory; /* VARIANT_MAX_RSS is that of our own memory */
	bool spooled;	   /* launch.spool is its private directory, which variant_end() removes */
};

/* Read the settings for a command and check that it can be started and sampled.  `warn` may be
 * NULL. Returns 0; or -errno with `line` filled.  Call variant_free() in any case. */
int variant_prepare(struct variant *variant, const struct ab_options *options, enum runs_side which,
		    void (*warn)(const char *line), char *line, size_t bytes);
void variant_free(struct variant *variant);

/* Check that each run can read --input, if that is given.  Returns 0; or -errno with `line`
 * filled. */
int variant_check_input(const struct ab_options *options, char *line, size_t bytes);

/* Run it once, after --prepare.  Returns 0, however the command ended, with its spools in
 * variant->launch.spool; or -errno with `line` filled, where -EINTR says that run->child.ending
 * asks us to end.  Call variant_end() in any case, and then variant_unlock().  Context: after
 * child_hold(). */
int variant_run(struct variant *variant, const struct ab_options *options,
		const struct child_signals *signals, struct variant_run *run, char *line,
		size_t bytes);

/* Remove the private directory of a run with what it still holds. */
void variant_end(const struct variant *variant, const struct variant_run *run);

/* Let others see that nobody uses the directory of a run any more.  Context: in the process of
 * variant_run(). */
void variant_unlock(struct variant *variant);

/* Write the name of a run: "a-004", or "a-warmup-1". */
void variant_name(enum runs_side which, bool warmup, size_t number, char *name, size_t bytes);

/* A run's measures, and the stacks of each counter out of its spools. */
struct run_result_counter {
	char name[SPOOL_NAME_MAX];
	const char *unit; /* static */
	struct frame_tree *tree;
	double per_sample; /* as for runs_add() */
	bool counted;	   /* the counter itself counted all of the time */
	double total;	   /* if so, what it counted */
};

struct run_result {
	double value[VARIANT_MEASURES];
	struct run_result_counter *counter;
	size_t counter_count;
	bool profiled;	   /* COMMAND itself left a spool, or none was wanted */
	bool hides_memory; /* as in variant_run */
	bool running;	   /* a process of the run was still running */
	uint64_t samples;
	uint64_t lost; /* samples that no stack carries */
};

/* Read what a run left, and keep its spools as SAVE.*.spool unless `save` is NULL.  Messages about
 * spools are printed.  `machine` may be NULL.  Returns 0; or -errno after a message.  Call
 * run_result_free() in any case.  Context: after variant_run(), before variant_end(). */
int run_result_make(struct run_result *result, const struct variant *variant,
		    const struct variant_run *run, struct machine *machine, const char *save);
void run_result_free(struct run_result *result);

/* The same of all runs that count. */
struct samples_counter {
	char name[SPOOL_NAME_MAX];
	const char *unit;
	struct runs *runs;
	double *total[RUNS_SIDES]; /* of each run, by the counter itself */
	bool counted;		   /* the totals are known in all runs */
};

struct samples_variant {
	double *value[VARIANT_MEASURES];
	size_t runs;
	size_t unprofiled; /* runs in which COMMAND itself was not sampled */
	size_t hiding;	   /* runs whose greatest memory is not known */
	size_t running;	   /* runs of which a process still ran */
	uint64_t samples;
	uint64_t lost;
};

struct samples {
	const struct runs_options *options;
	size_t room; /* the most runs of a variant */
	struct samples_variant variant[RUNS_SIDES];
	struct samples_counter *counter;
	size_t counter_count;
};

/* Make room for at most `room` runs of each variant.  Returns 0 or -ENOMEM.  Call samples_free() in
 * any case.  The options are kept by their address. */
int samples_make(struct samples *samples, size_t room, const struct runs_options *options);
void samples_free(struct samples *samples);

/* Add a run; its stacks are moved out of the result.  A counter that a run lacks counts as zero in
 * it.  Returns 0 or -ENOMEM. */
int samples_add(struct samples *samples, enum runs_side which, struct run_result *result);

/* Returns whether nothing of a variant could be sampled: what it did is not known. */
bool samples_is_blind(const struct samples_variant *variant);

/*
 * The order of the runs of two commands, interim analyses of them, and when more runs would not
 * change the answer.
 *
 * The runs are pairs, one of each variant: A B, B A, A B, B A.  So what drifts with time (a
 * processor that warms up, a file that grows) weighs on both alike, and runs that stand side by
 * side are compared.
 *
 * Checking growing data repeatedly inflates false positives.  So alpha is divided among the
 * analyses (alpha spending, Lan and DeMets 1983).  The chance that any of them is wrong is at most
 * the sum of their chances, whatever they have in common (the union bound), so the analysis at
 * which the runs end has the confidence that was asked for, whichever it is.  The first ones get
 * little, so that most is left for the last one.
 */

/* Returns the variant of a run: `run` is 0 or 1 in the pair. */
enum runs_side schedule_variant(size_t pair, size_t run);

/* Returns whether the runs are analysed after this many pairs of at most `most`.  After the last
 * pair they always are; before it at 5, 7, 10, 14, 20, 28 and so on, up to 80 % of `most`. */
bool schedule_is_interim(size_t pairs, size_t most);

/* Returns the part of alpha of an analysis after `pairs` pairs, at least 1: what those before it
 * have left of what may be spent by then.  An analysis that a signal forces at another number gets
 * its part likewise. */
double schedule_alpha(double alpha, size_t pairs, size_t most);

/* Returns whether all that was asked is decided by a judged comparison.  With limits: each is
 * significantly kept or exceeded; one whose name nothing has is not decided, as it may appear in
 * later runs.  Without: wall time, CPU time and the whole of each counter have each
 * significantly changed, or significantly changed by less than 1 %. */
bool schedule_decided(const struct comparison *comparison, const struct comparison_limit *limits,
		      size_t count);

/*
 * A process of ours that runs the commands.
 *
 * What a process had in memory before exec belongs to its greatest resident size (getrusage(2)),
 * and a child made by vfork has all that we have: stacks, names and debug information, more than
 * many programs need.  So a process that is made before any of that runs them, and tells us.
 */
struct starter {
	pid_t pid;
	int socket;  /* requests there, answers back */
	int signals; /* readable while child_pass_on() has something to do */
};

/* Make the process; it ends with starter_end(), or when we end.  Returns 0 or -errno.  Context:
 * after child_hold() and variant_prepare() of both variants, with little memory in use. */
int starter_make(struct starter *starter, const struct ab_options *options,
		 struct variant *variants, const struct child_signals *signals);

/* variant_run() of this variant in that process: its result, with launch.spool of the variant
 * updated. -ECHILD, with `line` filled, if the process is gone.  Call variant_end() in any case. */
int starter_run(const struct starter *starter, struct variant *variants, enum runs_side which,
		struct variant_run *run, char *line, size_t bytes);

void starter_end(const struct starter *starter);

/* Compare the runs of the samples, as many of each variant, at this alpha; the samples must outlive
 * the comparison.  Returns 0 or -ENOMEM.  Call comparison_free() in any case. */
int answer_make(struct comparison *comparison, const struct samples *samples,
		const struct variant *variants, double alpha);

/* Add notes about what limits the answer, and advice: what else could explain a difference.
 * Returns 0 or -ENOMEM. */
int answer_note(struct comparison *comparison, const struct samples *samples,
		const struct ab_options *options);

/* Make the directory of --save, if one is asked for and it does not exist.  One that holds spools
 * of an earlier comparison is refused: they would be taken for runs of this one.  Returns 0; or
 * -errno with `line` filled. */
int ab_output_make_directory(const struct ab_options *options, char *line, size_t bytes);

/* Returns the stem of a run's spools, DIRECTORY/NAME; NULL if none are kept. */
const char *ab_output_stem(const struct ab_options *options, const char *name, char *stem,
			   size_t bytes);

/* Remove the spools of a run that does not count after all. */
void ab_output_forget(const struct ab_options *options, const char *name);

/* Check, before anything runs, that the picture can be written.  Returns 0; or -errno with `line`
 * filled. */
int ab_output_check_picture(const struct ab_options *options, char *line, size_t bytes);

/* Draw a judged comparison: a flame graph of the first counter, or a page with all of the answer.
 * Nothing is drawn if no picture is wanted, and no flame graph if no
 * counter was compared.  Returns 0; or -errno after a message. */
int ab_output_draw(const struct ab_options *options, const struct comparison *comparison);

#endif
