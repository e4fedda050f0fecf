/*
 * The floor of a command that starts another: it starts it, waits for it and takes its status.  If
 * SPAWN_FILES is set, it also makes two files of that name and a third that it removes, which is
 * the least that a profile and its spool need.  SPAWN_PRELOAD is the LD_PRELOAD of the other
 * command.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PICTURE_BYTES 4500 /* size of a flame graph without frames */

static bool make(const char *stem, const char *ending, size_t bytes)
{
	static char content[PICTURE_BYTES];
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s.%s", stem, ending);
	memset(content, ' ', bytes);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd >= 0 && write(fd, content, bytes) == (ssize_t)bytes && !close(fd) &&
	       (bytes != 1 || !unlink(path));
}

int main(int count, char **arguments)
{
	const char *stem = getenv("SPAWN_FILES"), *preload = getenv("SPAWN_PRELOAD");
	pid_t pid;
	int status;

	if (preload && setenv("LD_PRELOAD", preload, 1))
		return 125;
	if (count < 2 || posix_spawn(&pid, arguments[1], NULL, NULL, arguments + 1, environ) ||
	    waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 125;
	if (stem && !(make(stem, "spool", 1) && make(stem, "folded", 0) &&
		      make(stem, "svg", PICTURE_BYTES)))
		return 125;
	return WEXITSTATUS(status);
}
