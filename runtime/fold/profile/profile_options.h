/*
 * What a profile is asked for: how its frames are named, which stacks it takes, and what it keeps.
 */
#ifndef RUNTIME_FOLD_PROFILE_PROFILE_OPTIONS_H
#define RUNTIME_FOLD_PROFILE_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"

struct machine;
struct selection;

struct profile_options {
	enum settings_threads threads;
	bool no_demangle; /* names as the linker knows them */
	bool tidy;	  /* without endings of copies and parts that the compiler made */
	bool modules;	  /* frames are the modules that functions lie in */
	bool files;	  /* frames are source files, or modules where none is known */
	bool processes;	  /* a frame for each process behind the command's, "command/pid" */
	bool inlined;	  /* frames of inlined functions too */
	bool lines;	  /* names with file and line */
	bool waits;	  /* keep what profile_wait_sites needs */
	bool gaps;	  /* keep what profile_gaps needs */
	bool locations;	  /* keep addresses, processes and threads too: profile_locations */
	struct selection *selection; /* the stacks to be looked at; NULL: all.  The caller's */
	/* Told which of how many spools is read next, by those that read several; may be NULL. */
	void (*step)(size_t done, size_t all);
	/* Told what spoils names, once per cause (a file replaced since); may be NULL. */
	void (*warn)(const char *line);
	/* Where symbols come from, shared with other profiles and the caller's; NULL: its own.  Who
	 * gives one has it told what spoils names. */
	struct machine *machine;
};

#endif
