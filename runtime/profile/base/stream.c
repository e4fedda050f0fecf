/*
 * Only devices, pipes and sockets of the user or of root count as streams.  A FIFO that another
 * user has put in place is not written to.
 */
#include "runtime/profile/base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Returns the descriptor that a path names; -1 if it names none. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	char *end;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);
		unsigned long number;

		if (strncmp(path, folders[i], length) != 0)
			continue;
		number = strtoul(path + length, &end, 10);
		return path[length] >= '0' && path[length] <= '9' && !*end && number <= INT16_MAX
			       ? (int)number
			       : -1;
	}
	return -1;
}

bool stream_is(const char *path)
{
	struct stat st;

	if (descriptor_of(path) >= 0)
		return true;
	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

bool stream_is_null(const char *path)
{
	struct stat st;

	/* Number from the kernel's devices.txt. */
	return !stat(path, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

static int open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? -EBUSY : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int stream_open(const char *path, FILE **file)
{
	int fd = descriptor_of(path);

	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		fd = fd < 0 ? -errno : fd;
	} else {
		fd = open_file(path);
	}
	if (fd < 0)
		return fd;
	signal(SIGPIPE, SIG_IGN);
	*file = fdopen(fd, "w");
	if (*file)
		return 0;
	close(fd);
	return -ENOMEM;
}
