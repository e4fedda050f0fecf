/*
 * The name to discard is stored before the file is created and cleared after the file is removed.
 * A signal in between removes nothing, or a file that does not exist.
 */
#include "runtime/profile/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS_MAX 100

static char discarded[PATH_MAX];
static atomic_bool armed; /* W: the main path.  R: atomic_file_discard */

static int start(struct atomic_file *atomic, int fd)
{
	atomic->file = fdopen(fd, "w");
	errno = 0; /* atomic_file_flush() then reads only errors of writing */
	if (atomic->file)
		return 0;
	close(fd);
	return -ENOMEM;
}

/* From here on a signal removes the temporary file. */
static void arm(const struct atomic_file *atomic)
{
	memcpy(discarded, atomic->temporary, sizeof(discarded));
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&armed, true, memory_order_relaxed);
}

static void forget(struct atomic_file *atomic)
{
	atomic_store_explicit(&armed, false, memory_order_relaxed);
	atomic->temporary[0] = '\0';
}

/* Create the file under a free name: path.XXXXXX. */
static int make_temporary(char *temporary, size_t bytes, const char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char random[6];
	size_t length = strlen(path);

	if (length + sizeof(random) + 2 > bytes)
		return -ENAMETOOLONG;
	if (getrandom(random, sizeof(random), GRND_NONBLOCK) != (ssize_t)sizeof(random))
		return -EAGAIN;
	memcpy(temporary, path, length);
	temporary[length++] = '.';
	for (size_t i = 0; i < sizeof(random); i++)
		temporary[length++] = letters[random[i] % (sizeof(letters) - 1)];
	temporary[length] = '\0';
	return 0;
}

int atomic_file_open_named(struct atomic_file *atomic, const char *path)
{
	int fd = -1;
	int err;

	*atomic = (struct atomic_file){ 0 };
	for (unsigned attempt = 0; fd < 0 && attempt < ATTEMPTS_MAX; attempt++) {
		err = make_temporary(atomic->temporary, sizeof(atomic->temporary), path);
		if (err)
			return err;
		arm(atomic);
		fd = open(atomic->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		err = fd < 0 ? -errno : 0;
		if (fd < 0)
			forget(atomic);
		if (err && err != -EEXIST)
			return err;
	}
	if (fd < 0)
		return -EEXIST;
	err = start(atomic, fd);
	if (err)
		atomic_file_close(atomic);
	return err;
}

/* The source for naming a nameless file: the descriptor's link in /proc. */
static void link_of(int fd, char *text, size_t bytes)
{
	snprintf(text, bytes, "/proc/self/fd/%d", fd);
}

/* Returns whether that link exists.  It exists for all descriptors or for none. */
static bool has_links(int fd)
{
	static enum { UNKNOWN, MISSING, PRESENT } links;
	char link[64];

	link_of(fd, link, sizeof(link));
	if (links == UNKNOWN)
		links = access(link, F_OK) ? MISSING : PRESENT;
	return links == PRESENT;
}

int atomic_file_open(struct atomic_file *atomic, const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];
	int fd;

	*atomic = (struct atomic_file){ 0 };
	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	fd = open(directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	if (fd < 0)
		return atomic_file_open_named(atomic, path);
	if (has_links(fd))
		return start(atomic, fd);
	close(fd);
	return atomic_file_open_named(atomic, path);
}

int atomic_file_flush(struct atomic_file *atomic, int err)
{
	if (err == -EIO && errno)
		err = -errno;
	if (fflush(atomic->file) && !err)
		err = -errno;
	return err;
}

/* Rename unless the new name is taken: then -EEXIST. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* A file system without that flag usually has links. */
	if (link(from, to))
		return -errno;
	unlink(from);
	return 0;
}

/* Name the nameless file.  The name must never be that of another file. */
static int link_new(const struct atomic_file *atomic, const char *path)
{
	char link[64];

	link_of(fileno(atomic->file), link, sizeof(link));
	return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Give the nameless file a temporary name, which is then renamed. */
static int link_temporary(struct atomic_file *atomic, const char *path)
{
	int err = -EEXIST;

	for (unsigned i = 0; err == -EEXIST && i < ATTEMPTS_MAX; i++) {
		err = make_temporary(atomic->temporary, sizeof(atomic->temporary), path);
		if (!err) {
			arm(atomic);
			err = link_new(atomic, atomic->temporary);
		}
		if (err)
			forget(atomic);
	}
	return err;
}

/* A file that we may not write to is write-protected on purpose, so it is not replaced either. */
static bool is_protected(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) && errno == EACCES;
}

int atomic_file_name(struct atomic_file *atomic, const char *path, bool replace)
{
	int err;

	if (replace && is_protected(path))
		return -EACCES;

	if (!atomic->temporary[0]) {
		err = link_new(atomic, path);
		if (err != -EEXIST || !replace)
			return err;
		err = link_temporary(atomic, path);
		if (err)
			return err;
	}
	if (replace)
		err = rename(atomic->temporary, path) ? -errno : 0;
	else
		err = rename_new(atomic->temporary, path);
	if (!err)
		forget(atomic);
	return err;
}

void atomic_file_close(struct atomic_file *atomic)
{
	if (atomic->temporary[0])
		unlink(atomic->temporary);
	forget(atomic);
	if (atomic->file)
		fclose(atomic->file);
	atomic->file = NULL;
}

void atomic_file_discard(void)
{
	if (atomic_load_explicit(&armed, memory_order_relaxed))
		unlink(discarded);
}
