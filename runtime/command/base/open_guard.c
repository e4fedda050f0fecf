/*
 * Replaces open(2) for the libraries that the command loads.  libdw opens the files that modules
 * name (links to debug files, parts of split DWARF) by unchecked paths, and would wait for the
 * writer of a FIFO.  The executable's definition precedes libc's for all of them (ld.so(8)).  It
 * refuses to read anything but files and directories, and opens what open_instead_begin() names in
 * place of a file.  The command itself uses openat(2) for pipes
 * that its user named.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/profile/base/open_instead.h"

/* Defined under another name: with _FORTIFY_SOURCE the header has a body for open(). */
int guarded_open(const char *path, int flags, ...) __asm__("open");

/* Majors 1 and 5 are /dev/null, random and similar devices, and /dev/tty (the kernel's
 * devices.txt). */
static bool is_readable(const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return major(st->st_rdev) == 1 || major(st->st_rdev) == 5;
	return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
}

static int open_to_read(const char *path, int flags)
{
	int nofollow = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
	struct stat st;
	int fd;

	if (fstatat(AT_FDCWD, path, &st, nofollow))
		return -1;
	if (!is_readable(&st) && !S_ISLNK(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	fd = openat(AT_FDCWD, path, flags | O_NONBLOCK);
	if (fd < 0 || S_ISREG(st.st_mode))
		goto out;
	if (!(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
out:
	if (fd >= 0 && (fstat(fd, &st) || !is_readable(&st))) { /* it was replaced in between */
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

int guarded_open(const char *path, int flags, ...)
{
	bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
	mode_t mode = 0;
	va_list more;
	int fd;

	if (makes) {
		va_start(more, flags);
		mode = va_arg(more, mode_t);
		va_end(more);
	}
	if (makes || flags & O_PATH || (flags & O_ACCMODE) != O_RDONLY)
		return openat(AT_FDCWD, path, flags, mode);
	return open_instead_find(path, &fd) ? fd : open_to_read(path, flags);
}
