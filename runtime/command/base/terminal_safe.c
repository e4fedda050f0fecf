/*
 * stdout and stderr are variables in glibc ("Standard Streams" in its manual).  Setting them covers
 * all output through stdio.
 */
#include "runtime/command/base/status_line.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "config/text/terminal.h"

#define PIECE_BYTES 4096

/* A guarded stream. */
struct guard {
	struct terminal terminal;
	int fd;
};

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t put = write(fd, text, bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		text += put;
		bytes -= (size_t)put;
	}
	return 0;
}

static ssize_t guard_write(void *cookie, const char *text, size_t bytes)
{
	struct guard *guard = cookie;
	char safe[PIECE_BYTES + TERMINAL_MORE];

	for (size_t done = 0; done < bytes;) {
		size_t piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
		size_t used = terminal_filter(&guard->terminal, text + done, piece, safe);
		int err = write_all(guard->fd, safe, used);

		if (err) {
			errno = -err;
			return 0; /* fopencookie(3): reports an error */
		}
		done += piece;
	}
	return (ssize_t)bytes;
}

static int guard_close(void *cookie)
{
	struct guard *guard = cookie;
	char safe[1];
	int err = write_all(guard->fd, safe, terminal_end(&guard->terminal, safe));

	if (close(guard->fd) && !err)
		err = -errno;
	errno = -err;
	return err ? -1 : 0;
}

static void guard_stream(FILE **stream, struct guard *guard, int fd, int mode)
{
	static const cookie_io_functions_t functions = { .write = guard_write,
							 .close = guard_close };
	FILE *made;

	guard->fd = fd;
	made = fopencookie(guard, "w", functions);
	if (!made)
		return;
	setvbuf(made, NULL, mode, mode == _IONBF ? 0 : PIECE_BYTES);
	*stream = made;
}

static FILE *unguarded;

void terminal_safe_guard(void)
{
	static struct guard output, error;

	unguarded = stdout;
	guard_stream(&stdout, &output, STDOUT_FILENO, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
	guard_stream(&stderr, &error, STDERR_FILENO, _IONBF);
}

void terminal_safe_data(void)
{
	if (!unguarded || isatty(STDOUT_FILENO))
		return;
	fflush(stdout);
	stdout = unguarded;
}
