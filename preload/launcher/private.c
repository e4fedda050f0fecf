/*
 * flock(2) goes with the open file description: it ends with the command, however that ends,
 * and the program never has it, since the descriptor closes on exec.
 */
#include "preload/launcher/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX	     "flametrap."
#define RANDOM_BYTES 6 /* that mkdtemp fills in */

static int open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int private_make(const char *parent, char *path, size_t bytes)
{
	char absolute[PATH_MAX];
	int fd, err;

	if (!realpath(parent, absolute))
		return -errno;
	if (snprintf(path, bytes, "%s/" PREFIX "XXXXXX", absolute) >= (int)bytes)
		return -ENAMETOOLONG;
	if (!mkdtemp(path))
		return -errno;
	fd = open_directory(path);
	if (fd < 0) {
		err = -errno;
		rmdir(path);
		return err;
	}
	/* Who asks whether it is in use has it for a moment: wait.  A file system without locks
	 * leaves recover to judge by the processes alone. */
	while (flock(fd, LOCK_EX) && errno == EINTR)
		continue;
	return fd;
}

bool private_in_use(const char *path)
{
	int fd = open_directory(path);
	bool used;

	if (fd < 0)
		return false;
	used = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return used;
}

bool private_is(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct stat status;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
	    strlen(name) != strlen(PREFIX) + RANDOM_BYTES)
		return false;
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       (status.st_mode & 07777) == 0700;
}
