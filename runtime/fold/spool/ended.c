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
#include <string.h>
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

/* Read all of it, with a NUL behind. */
static int read_text(int fd, off_t size, char **text, size_t *length)
{
	ssize_t got = 0, more = 1;
	char *bytes;

	if (size > LIST_BYTES_MAX)
		return -EFBIG;
	bytes = malloc((size_t)size + 1);
	if (!bytes)
		return -ENOMEM;
	while (got < size && more > 0) {
		more = read(fd, bytes + got, (size_t)(size - got));
		got += more > 0 ? more : 0;
	}
	bytes[got] = '\0';
	*text = bytes;
	*length = (size_t)got;
	return 0;
}

static int tell_each(const char *text, size_t length, int (*each)(const char *path, void *context),
		     void *context)
{
	int err = 0;

	for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
		int now = text[at] ? each(text + at, context) : 0;

		err = err ? err : now;
	}
	return err;
}

int ended_take(const char *list, int (*each)(const char *path, void *context), void *context)
{
	int fd = open(list, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t length = 0;
	char *text = NULL;
	struct stat st;
	int err = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!is_ours(fd, &st) || unlink(list))
		goto out;
	err = fstat(fd, &st) ? -errno : read_text(fd, st.st_size, &text, &length);
	if (!err)
		err = tell_each(text, length, each, context);
	free(text);
out:
	close(fd);
	return err;
}
