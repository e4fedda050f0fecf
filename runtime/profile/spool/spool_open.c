/* Checks that a spool is a regular file, and that an accepted user owns it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/profile/spool/spool_read.h"

static bool others_allowed;

void spool_read_allow_others(void)
{
	others_allowed = geteuid() == 0;
}

int spool_read_check(int fd, const char *path, char *line, size_t bytes)
{
	struct stat st;
	int err = fstat(fd, &st) ? -errno : 0;
	const char *why = strerror(-err);

	if (!err && !S_ISREG(st.st_mode)) {
		err = -EINVAL;
		why = "not a regular file";
	} else if (!err && st.st_uid != geteuid() && st.st_uid != 0 && !others_allowed) {
		err = -EPERM;
		why = "belongs to another user";
	}
	if (err)
		snprintf(line, bytes, "%s: %s", path, why);
	return err;
}

int spool_read_open(const char *path, int *fd, char *line, size_t bytes)
{
	int err;

	*fd = user_file_open_regular(path, O_NOFOLLOW);
	if (*fd < 0) {
		err = *fd;
		snprintf(line, bytes, "%s: %s", path,
			 err == -ELOOP	  ? "a symbolic link, which spools are not"
			 : err == -EINVAL ? "not a regular file"
					  : strerror(-err));
		return err;
	}
	err = spool_read_check(*fd, path, line, bytes);
	if (err)
		close(*fd);
	return err;
}
