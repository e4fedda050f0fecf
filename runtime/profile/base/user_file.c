/*
 * The name may refer to another file by the time it is opened.  A file that was seen as a regular
 * file is therefore opened without waiting, and compared with what was seen.
 */
#include "runtime/profile/base/user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BUFFER_BYTES (64 << 10)

static bool is_descriptor(const char *path)
{
	return !strcmp(path, "/dev/stdin") || !strncmp(path, "/dev/fd/", 8) ||
	       !strncmp(path, "/proc/self/fd/", 14);
}

/* Returns true if users other than the owner may create files beside it, or if that is unknown. */
static bool is_open_to_all(const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	struct stat st;

	if (snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		     slash ? path : ".") >= (int)sizeof(directory))
		return true;
	return stat(directory, &st) || st.st_mode & S_IWOTH;
}

static bool is_others_link(const char *path)
{
	struct stat link;

	return !lstat(path, &link) && S_ISLNK(link.st_mode) && link.st_uid != geteuid() &&
	       link.st_uid != 0 && is_open_to_all(path);
}

/* Says what is wrong with a file of this kind; NULL if nothing is. */
static const char *wrong_kind(const char *path, bool alone, const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		return NULL;
	case S_IFIFO:
		if (alone && !is_open_to_all(path))
			return NULL;
		return "a FIFO, which is read only as standard input (-)";
	case S_IFSOCK:
		return "a socket";
	case S_IFBLK:
		return "a block device";
	default: /* /dev/null and /dev/tty: numbers from the kernel's devices.txt */
		if (S_ISCHR(st->st_mode) &&
		    (st->st_rdev == makedev(1, 3) || st->st_rdev == makedev(5, 0)))
			return NULL;
		return "a device";
	}
}

int user_file_look(const char *path, bool alone, struct stat *st, char *line, size_t bytes)
{
	const char *wrong = NULL;
	int err = -EINVAL;

	if (is_others_link(path)) {
		snprintf(line, bytes,
			 "%s: a symbolic link of another user, in a directory that all may write "
			 "to",
			 path);
		return -EPERM;
	}
	if (stat(path, st)) {
		err = -errno;
		snprintf(line, bytes, "%s: %s", path, strerror(errno));
		return err;
	}
	if (S_ISDIR(st->st_mode)) {
		snprintf(line, bytes,
			 "%s: a directory; flametrap recover %s finds spools of dead processes in "
			 "it",
			 path, path);
		return err;
	}
	if (!is_descriptor(path))
		wrong = wrong_kind(path, alone, st);
	if (!wrong)
		return 0;
	snprintf(line, bytes, "%s: %s", path, wrong);
	return err;
}

int user_file_open(const char *path, const struct stat *st, char *line, size_t bytes)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (S_ISREG(st->st_mode) ? O_NONBLOCK : 0);
	int fd = openat(AT_FDCWD, path, flags);
	struct stat now;
	int err = 0;

	if (fd < 0 || fstat(fd, &now))
		err = -errno;
	else if (now.st_dev != st->st_dev || now.st_ino != st->st_ino)
		err = -ESTALE;
	if (!err)
		return fd;
	snprintf(line, bytes, "%s: %s", path,
		 err == -ESTALE ? "it was replaced while it was opened" : strerror(-err));
	if (fd >= 0)
		close(fd);
	return err;
}

int user_file_open_regular(const char *path, int flags)
{
	struct stat st;
	int fd;

	if (fstatat(AT_FDCWD, path, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISLNK(st.st_mode) ? -ELOOP : -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

size_t user_file_text(const char *path, char *text, size_t bytes)
{
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(text, 1, bytes - 1, file) : 0;

	if (file)
		fclose(file);
	text[got] = '\0';
	return got;
}

const char *user_file_state(const char *stat)
{
	const char *name_end = strrchr(stat, ')');

	return name_end && name_end[1] == ' ' && name_end[2] ? name_end + 2 : NULL;
}

uint64_t user_file_bytes(int fd, bool *hole)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	struct stat st;
	off_t end;

	*hole = false;
	if (at < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return UINT64_MAX;
	if (at >= st.st_size)
		return 0;
	end = lseek(fd, at, SEEK_HOLE); /* a file system without support for holes returns the
					 * end */
	if (lseek(fd, at, SEEK_SET) < 0 || end < at || end > st.st_size)
		end = st.st_size;
	*hole = end < st.st_size;
	return (uint64_t)(end - at);
}

/* Files of /proc have no size, and are not read. */
size_t user_file_read(const char *path, size_t most, char **text)
{
	int fd = path[0] == '/' ? user_file_open_regular(path, 0) : -EINVAL;
	size_t length = 0;
	uint64_t bytes;
	ssize_t got = 1;
	bool hole;

	*text = NULL;
	if (fd < 0)
		return 0;
	bytes = user_file_bytes(fd, &hole);
	if (bytes && bytes <= most)
		*text = malloc(bytes);
	while (*text && got > 0 && length < bytes) {
		got = read(fd, *text + length, (size_t)bytes - length);
		length += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (*text && length == bytes && !memchr(*text, '\0', length))
		return length;
	free(*text);
	*text = NULL;
	return 0;
}

struct bounded {
	int fd;
	uint64_t left;
};

static ssize_t bounded_read(void *cookie, char *into, size_t bytes)
{
	struct bounded *bounded = cookie;
	ssize_t got;

	if (bytes > bounded->left)
		bytes = (size_t)bounded->left;
	do {
		got = bytes ? read(bounded->fd, into, bytes) : 0;
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		bounded->left -= (uint64_t)got;
	return got;
}

static int bounded_close(void *cookie)
{
	struct bounded *bounded = cookie;
	int err = close(bounded->fd);

	free(bounded);
	return err;
}

FILE *user_file_stream(int fd, uint64_t bytes)
{
	static const cookie_io_functions_t functions = { .read = bounded_read,
							 .close = bounded_close };
	struct bounded *bounded = malloc(sizeof(*bounded));
	FILE *file = NULL;

	if (bounded) {
		*bounded = (struct bounded){ fd, bytes };
		file = fopencookie(bounded, "r", functions);
	}
	if (!file) {
		free(bounded);
		close(fd);
		return NULL;
	}
	setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
	return file;
}
