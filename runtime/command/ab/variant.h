/* One of the two commands: what it is started with, and one run of it. */
#ifndef RUNTIME_COMMAND_AB_VARIANT_H
#define RUNTIME_COMMAND_AB_VARIANT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/command/ab/ab_options.h"
#include "runtime/command/run/child.h"
#include "runtime/command/run/launch.h"

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

#endif
