/*
 * libiberty stops neither in the middle of a D symbol, nor at the end of memory, where it ends the
 * process.
 */
#include "runtime/profile/symbols/demangle_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"

#define MEMORY_BYTES ((rlim_t)64 << 20)
#define CPU_S	     1

static void limit(int resource, rlim_t value)
{
	struct rlimit to;

	if (getrlimit((__rlimit_resource_t)resource, &to) || value > to.rlim_max)
		return;
	to.rlim_cur = to.rlim_max = value;
	setrlimit((__rlimit_resource_t)resource, &to);
}

/* Beyond what the process has, which is much under a sanitizer. */
static void limit_memory(void)
{
	char text[64];
	rlim_t pages;

	if (!user_file_text("/proc/self/statm", text, sizeof(text)))
		return;
	pages = strtoull(text, NULL, 10);
	limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_BYTES);
}

_Noreturn static void work(char *(*demangle)(const char *symbol), const char *symbol, size_t most,
			   int out)
{
	const char *name;
	size_t length;

	close(STDERR_FILENO); /* what libiberty or a sanitizer says at its end */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_S);
	limit_memory();
	name = demangle(symbol);
	length = name ? strlen(name) : 0;
	_exit(length && length < most && write(out, name, length) == (ssize_t)length ? 0 : 1);
}

/* Returns how much was read before the end. */
static size_t read_all(int in, char *text, size_t most)
{
	size_t length = 0;
	ssize_t got;

	while ((got = read(in, text + length, most - length)) > 0 || (got < 0 && errno == EINTR))
		length += got > 0 ? (size_t)got : 0;
	return length;
}

static char *take(pid_t child, int in, size_t most)
{
	char *text = malloc(most + 1);
	int status;

	if (text)
		text[read_all(in, text, most)] = '\0';
	close(in);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR) {
			status = -1;
			break;
		}
	if (!status)
		return text;
	free(text);
	return NULL;
}

char *demangle_apart(char *(*demangle)(const char *symbol), const char *symbol, size_t most)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	child = fork();
	if (!child)
		work(demangle, symbol, most, ends[1]);
	close(ends[1]);
	if (child > 0)
		return take(child, ends[0], most);
	close(ends[0]);
	return NULL;
}
