/*
 * flametrap finish SPOOL…: run by the library when a process ends without the command.  It shares
 * the program's terminal.  Nothing goes to standard output, and standard error gets one line at
 * most: about a failure, or about a file that is not where the user will look for it.
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/collect/finish.h"

#define PATIENCE_MS 100 /* for a full pipe, socket or terminal */

/* The program waits for us, and does not read what it writes. */
static bool has_room(void)
{
	struct pollfd errors = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&errors, 1, PATIENCE_MS) > 0 && errors.revents & POLLOUT;
}

/* The first line is the one that the user can act on. */
static void tell(const char *line, void *context)
{
	unsigned *told = context;

	if (!(*told)++ && has_room())
		fprintf(stderr, "flametrap: %s\n", line);
}

/* Signal actions are those of the program that ended.  A stop from the terminal would hold the
 * program, which has blocked all signals and waits for us.  Limits were raised before this image
 * began: preload/process/finisher.c. */
static void stand_alone(void)
{
	static const int ignored[] = { SIGTSTP, SIGTTIN, SIGTTOU };

	interrupt_ignore_streams();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
}

int verb_finish(int argc, char **argv)
{
	unsigned told = 0;
	const struct collection_options what = {
		.failed = tell,
		.moved = tell,
		.apart = true,
		.context = &told,
	};
	struct finish *finish;
	int err = 0;

	if (argc == 2 && !argv[1][0])
		return 0; /* preload/process/exit_supervisor.c already had the profile written */
	if (argc < 2) {
		fputs("usage: flametrap finish SPOOL...\n", stderr);
		return 2;
	}
	/* The program waits for us: symbols are not fetched over the network now (libdw queries
	 * debuginfod as long as this is set).  fold and recover may take their time. */
	unsetenv("DEBUGINFOD_URLS");
	stand_alone();
	interrupt_expect(NULL);
	finish = finish_new(&what);
	if (!finish)
		return 1;
	for (int i = 1; i < argc; i++) {
		int now = finish_add_left(finish, argv[i]);

		err = err ? err : now;
	}
	do {
		if (finish_write(finish))
			err = 1;
	} while (finish_next(finish, &err));
	finish_free(finish);
	return err ? 1 : 0;
}
