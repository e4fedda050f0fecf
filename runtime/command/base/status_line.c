/* Each line is one write(), so that lines of a pipeline's programs do not mix. */
#include "runtime/command/base/status_line.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "config/text/terminal.h"
#include "config/text/text.h"

#define SAY_MAX	   8192
#define CLEAR_LINE "\r\033[K"

/* Standard error may be closed or full: then nothing can be reported.  What that is must not end or
 * stop us, or the program that we run would lose its status: signals of a write are dropped. */
static void write_whole(const char *text, size_t length)
{
	struct timespec none = { 0 };
	sigset_t signals, before, pending;

	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGXFSZ);
	sigaddset(&signals, SIGTTOU);
	sigpending(&pending);
	sigprocmask(SIG_BLOCK, &signals, &before);
	if (write(STDERR_FILENO, text, length) < 0 && (errno == EPIPE || errno == EFBIG)) {
		int number = errno == EPIPE ? SIGPIPE : SIGXFSZ;

		sigemptyset(&signals);
		sigaddset(&signals, number);
		if (!sigismember(&pending, number))
			sigtimedwait(&signals, NULL, &none);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void print(const char *format, va_list arguments)
{
	static const char prefix[] = "flametrap: ";
	char text[SAY_MAX];
	size_t at = sizeof(prefix) - 1;
	int length;

	memcpy(text, prefix, sizeof(prefix));
	length = vsnprintf(text + at, sizeof(text) - at, format, arguments);
	if (length < 0)
		return;
	at += (size_t)length;
	at = terminal_line(text, at < sizeof(text) ? at : sizeof(text) - 1);
	text[at] = '\n';
	progress_clear();
	write_whole(text, at + 1);
}

void status_line(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

int fail(int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
	return result;
}

int refuse(char *line, size_t bytes, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, bytes, format, arguments);
	va_end(arguments);
	return result;
}

void status_line_text(const char *line)
{
	status_line("%s", line);
}

int status_line_error(const char *what, int err)
{
	if (err)
		status_line("%s%s%s", what ? what : "", what ? ": " : "", strerror(-err));
	return err;
}

int status_line_flushed(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return fail(1, "standard output cannot be written%s%s", errno ? ": " : "",
		    errno ? strerror(errno) : "");
}

void status_line_out(const char *line)
{
	puts(line);
}

/* A timer's signal handler writes the line, so that the folding code does not know about it. */
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
