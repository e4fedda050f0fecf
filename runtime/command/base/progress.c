/* A timer's signal handler writes the line, so that the folding code does not know about it. */
#include "runtime/command/base/status_line.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "config/text/text.h"

#define CLEAR_LINE "\r\033[K"

static atomic_size_t steps_done; /* W: the main path.  R: the handler */
static atomic_size_t steps_all;
static atomic_bool writing;
static atomic_bool shown; /* W: the handler, progress_clear */

static void show(int number)
{
	char text[96];
	struct text line = text_into(text, sizeof(text));
	int saved = errno;

	(void)number;
	text_add(&line, CLEAR_LINE "flametrap: ");
	if (atomic_load_explicit(&writing, memory_order_relaxed)) {
		text_add(&line, "naming and writing");
	} else if (!atomic_load_explicit(&steps_all, memory_order_relaxed)) {
		text_add(&line, "reading");
	} else {
		text_add(&line, "reading spool ");
		text_number(&line, atomic_load_explicit(&steps_done, memory_order_relaxed) + 1);
		text_add(&line, " of ");
		text_number(&line, atomic_load_explicit(&steps_all, memory_order_relaxed));
	}
	if (write(STDERR_FILENO, text, line.used) > 0)
		atomic_store_explicit(&shown, true, memory_order_relaxed);
	errno = saved;
}

static void every(time_t seconds)
{
	struct itimerval timer = { .it_interval.tv_sec = seconds, .it_value.tv_sec = seconds };

	setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_start(void)
{
	struct sigaction action = { .sa_handler = show, .sa_flags = SA_RESTART };

	if (!isatty(STDERR_FILENO))
		return;
	sigaction(SIGALRM, &action, NULL);
	every(1);
}

void progress_step(size_t done, size_t all)
{
	atomic_store_explicit(&steps_done, done, memory_order_relaxed);
	atomic_store_explicit(&steps_all, all, memory_order_relaxed);
}

void progress_write(void)
{
	atomic_store_explicit(&writing, true, memory_order_relaxed);
}

void progress_print(void)
{
	progress_write();
	if (isatty(STDOUT_FILENO))
		progress_end();
}

void progress_clear(void)
{
	if (!atomic_exchange_explicit(&shown, false, memory_order_relaxed))
		return;
	if (write(STDERR_FILENO, CLEAR_LINE, strlen(CLEAR_LINE)) < 0)
		return;
}

void progress_end(void)
{
	every(0);
	progress_clear();
}
