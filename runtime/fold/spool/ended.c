/*
 * Order: lock, remove, read.  A child adds its line first and then checks whether the list still
 * has its name.  So a line whose writer still found the name is read here.
 */
#include "runtime/fold/spool/ended.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_BYTES_MAX (64L << 20) /* a child keeps its list far below this when it ends */

/* The owner distinguishes lists from files that others put there; the lock keeps out a second
 * reader. */
static bool is_ours(int fd, struct stat *st)
{
	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, st) && S_ISREG(st->st_mode) &&
	       st->st_nlink && (st->st_uid == geteuid() || st->st_uid == 0);
}

/* Call `each` for the paths in the first `left` bytes, each of which ends with a NUL. */
static int tell_each(FILE *file, off_t left, int (*each)(const char *path, void *context),
		     void *context)
{
	size_t capacity = 0;
	char *path = NULL;
	ssize_t got;
	int err = 0;

	for (; left > 0 && (got = getdelim(&path, &capacity, '\0', file)) > 0; left -= got) {
		int now = path[0] ? each(path, context) : 0;

		err = err ? err : now;
	}
	free(path);
	return err;
}

int ended_take(const char *list, int (*each)(const char *path, void *context), void *context)
{
	int fd = open(list, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *file;
	int err = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	if (is_ours(fd, &st) && !unlink(list)) {
		err = fstat(fd, &st) ? -errno : st.st_size > LIST_BYTES_MAX ? -EFBIG : 0;
		if (!err)
			err = tell_each(file, st.st_size, each, context);
	}
	fclose(file);
	return err;
}
