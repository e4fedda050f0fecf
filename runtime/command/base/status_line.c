/* Each line is one write(), so that lines of a pipeline's programs do not mix. */
#include "runtime/command/base/status_line.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/text/terminal.h"

#define SAY_MAX 8192

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
