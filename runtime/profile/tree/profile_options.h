/* Options of a profile: how its frames are named, which stacks it takes, and what it keeps. */
#ifndef RUNTIME_PROFILE_TREE_PROFILE_OPTIONS_H
#define RUNTIME_PROFILE_TREE_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/profile/time/window.h"

struct profile_options {
	enum settings_threads threads;
	bool no_demangle;  /* use the linker's names */
	bool tidy;	   /* names without endings of copies and parts that the compiler made */
	bool modules;	   /* frames are the modules that hold the functions */
	bool files;	   /* frames are source files, or modules if no file is known */
	bool processes;	   /* a frame for each process after the command's: "command/pid" */
	bool inlined;	   /* frames of inlined functions too */
	bool lines;	   /* names with file and line */
	unsigned interp;   /* 1 + enum settings_interp; 0: of each spool, what its run asked for */
	bool waits;	   /* keep the data for merge.waits */
	bool gaps;	   /* keep the data for merge.gaps */
	bool locations;	   /* also keep addresses, processes and threads: merge.locations */
	uint64_t sources;  /* with locations: also the source line of each stack's leaf, where the
			    * object's file has at most that many bytes */
	const char *label; /* a frame for each value of the label with this key; NULL: none */
	const char *only_key;	/* only samples with a label of this key … */
	const char *only_value; /* … and this value; both NULL: all */
	bool label_sets;	/* with locations: an owner for each set of labels and each trace */
	bool timeline;		/* also keep the time of each sample: merge.timeline */
	struct window window;	/* the part of the time to take; zeroed: all */
	struct selection *selection; /* the stacks to take; NULL: all.  Owned by the caller */
	/* Called by functions that read several spools, with the index of the next one and their
	 * number; may be NULL. */
	void (*step)(size_t done, size_t all);
	/* Called with a message about each cause of wrong names, once (a file replaced since); may
	 * be NULL. */
	void (*warn)(const char *line);
	/* Source of symbols, shared with other profiles and owned by the caller; NULL: the profile
	 * makes its own.  A given machine has its own `warn`. */
	struct machine *machine;
};

#endif
