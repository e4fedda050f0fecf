/*
 * The most likely reason comes first: the file of the command, then whether the user that the
 * program became can read the library.
 */
#include "runtime/command/run/unprofiled.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/command/base/paths.h"
#include "runtime/command/base/program.h"
#include "runtime/command/base/say.h"

/* Root may read it although the user that its program became may not. */
static bool is_hidden(char *library, size_t bytes)
{
	char line[PATH_MAX];

	return geteuid() == 0 && !paths_library(library, bytes, line, sizeof(line)) &&
	       !paths_are_open(library);
}

void unprofiled_reason(const char *command, enum spools_main main, char *reason, size_t bytes)
{
	char library[PATH_MAX];

	if (main != SPOOLS_MAIN_EXECED && program_refuses(command, reason, bytes))
		return;
	if (is_hidden(library, sizeof(library)))
		snprintf(reason, bytes,
			 "other users cannot read %.256s; install it where they can if the program "
			 "gives up root",
			 library);
	else
		snprintf(reason, bytes, "libflametrap.so was not loaded, or was switched off");
}

void unprofiled_say(const char *executable, const char *command, const struct spools *spools)
{
	char reason[512];

	if (spools->main == SPOOLS_MAIN_PROFILED || !spools->files.count)
		return;
	unprofiled_reason(command, spools->main, reason, sizeof(reason));
	say("%.200s %s: %s", executable,
	    spools->main == SPOOLS_MAIN_EXECED
		    ? "was replaced (exec) by a program that was not profiled"
		    : "itself was not profiled",
	    reason);
}
