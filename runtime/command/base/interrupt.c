/*
 * When the handler runs, the action is the default again, and the signal is raised once more when
 * the handler returns.  So our exit status shows the signal that ended us.
 */
#include "runtime/command/base/status_line.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/base/atomic_file.h"

static char last_words[PATH_MAX + 128]; /* W: interrupt_expect, before the handler is set */

static void interrupted(int number)
{
	size_t length = strlen(last_words);

	atomic_file_discard();
	if (length && write(STDERR_FILENO, last_words, length) < 0)
		_exit(128 + number);
	raise(number);
}

void interrupt_expect(const char *line)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action = { .sa_handler = interrupted, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	if (line)
		snprintf(last_words, sizeof(last_words), "flametrap: %s\n", line);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[i], &action, NULL);
	}
}

void interrupt_ignore_streams(void)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}
