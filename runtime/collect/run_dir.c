/*
 * flock(2) belongs to the open file description.  The lock ends with the command, however that
 * ends, and the program never inherits it, since the descriptor closes on exec.
 *
 * Root's programs may become other users before they exec, and these must be able to make their
 * spools.  So root's directory contains a second one.  Its name cannot be guessed and, since the
 * first directory cannot be listed, is known only from the program's environment.  A user with that
 * name can make files there, but cannot list the directory, nor open, rename or remove files of
 * others (sticky, 01733).
 */
#include "runtime/collect/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "runtime/command/base/paths.h"
#include "runtime/output/output.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/spool/spool_name.h"

#define MEMORY_DIRECTORY  "/dev/shm"
#define MEMORY_FREE_BYTES (1ULL << 20)

#define MODE_OWN   0700
#define MODE_OUTER 0711 /* can be traversed, not listed */

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)

/* Make the directory in which others may make files, and append its name to `path`. */
static int make_shared(char *path, size_t bytes)
{
	char secret[SPOOL_NAME_SECRET_SIZE];
	size_t length = strlen(path);
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	spool_name_make_secret(secret, random);
	if (snprintf(path + length, bytes - length, "/%s", secret) >= (int)(bytes - length)) {
		path[length] = '\0';
		return -ENAMETOOLONG;
	}
	/* chmod() applies whatever the umask is. */
	if (mkdir(path, MODE_OWN) || chmod(path, SPOOL_FILES_SHARED_MODE)) {
		int err = -errno;

		rmdir(path);
		path[length] = '\0';
		return err;
	}
	return 0;
}

static int open_up(char *path, size_t bytes)
{
	char outer[PATH_MAX];
	int err;

	snprintf(outer, sizeof(outer), "%s", path);
	err = make_shared(path, bytes);
	if (!err && chmod(outer, MODE_OUTER))
		err = -errno;
	return err;
}

static int make_in(const char *parent, char *path, size_t bytes)
{
	char absolute[PATH_MAX];
	int fd, err;

	if (!realpath(parent, absolute))
		return -errno;
	if (snprintf(path, bytes, "%s/" SPOOL_NAME_RUN, absolute) >= (int)bytes)
		return -ENAMETOOLONG;
	if (!mkdtemp(path))
		return -errno;
	err = geteuid() == 0 ? open_up(path, bytes) : 0;
	fd = err ? err : open(path, OPEN_DIRECTORY);
	if (fd < 0) {
		err = err ? err : -errno;
		run_dir_remove(path);
		return err;
	}
	/* A process that checks whether the directory is in use holds the lock for a moment: wait.
	 * On a file system without locks recover judges by the processes alone. */
	while (flock(fd, LOCK_EX) && errno == EINTR)
		continue;
	return fd;
}

static bool memory_directory_usable(void)
{
	struct statfs fs;

	if (statfs(MEMORY_DIRECTORY, &fs) || access(MEMORY_DIRECTORY, W_OK | X_OK))
		return false;
	if (fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC)
		return false;
	return fs.f_blocks == 0 || fs.f_bavail * (uint64_t)fs.f_bsize >= MEMORY_FREE_BYTES;
}

int run_dir_make(const char *wanted, const char *stem, char *path, size_t path_bytes, char *line,
		 size_t bytes)
{
	char parent[PATH_MAX];
	int err = 0;

	if (*wanted) {
		snprintf(parent, sizeof(parent), "%s", wanted);
	} else if (memory_directory_usable()) {
		snprintf(parent, sizeof(parent), MEMORY_DIRECTORY);
	} else {
		paths_directory(stem, parent, sizeof(parent));
		err = output_make_directories(stem);
	}
	if (!err)
		err = make_in(parent, path, path_bytes);
	if (err < 0)
		snprintf(line, bytes,
			 "no spool can be created in %.300s: %s; FLAMETRAP_SPOOL chooses another "
			 "directory",
			 parent, strerror(-err));
	return err;
}

void run_dir_remove(const char *path)
{
	char run[PATH_MAX];

	run_dir_name(path, run, sizeof(run));
	if (run_dir_is(run, geteuid()) && !rmdir(path) && strcmp(run, path) != 0)
		rmdir(run);
}

void run_dir_name(const char *path, char *run, size_t bytes)
{
	const char *slash = spool_name_is_secret(path) ? strrchr(path, '/') : NULL;

	snprintf(run, bytes, "%.*s", slash ? (int)(slash - path) : PATH_MAX, path);
}

bool run_dir_is_locked(const char *path, int flags)
{
	int fd = open(path, flags);
	bool used;

	if (fd < 0)
		return false;
	used = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return used;
}

bool run_dir_in_use(const char *path)
{
	char spools[PATH_MAX];

	return run_dir_is_locked(run_dir_spools(path, spools, sizeof(spools)) ? spools : path,
				 OPEN_DIRECTORY);
}

bool run_dir_is(const char *path, uid_t owner)
{
	struct stat status;
	mode_t mode;

	if (!spool_name_is_run(path) || lstat(path, &status))
		return false;
	mode = status.st_mode & 07777;
	return S_ISDIR(status.st_mode) && status.st_uid == owner &&
	       (mode == MODE_OWN || mode == MODE_OUTER);
}

bool run_dir_spools(const char *path, char *spools, size_t bytes)
{
	struct stat status;
	struct dirent *entry;
	bool found;
	DIR *stream;

	if (lstat(path, &status) || !run_dir_is(path, status.st_uid))
		return false;
	if ((status.st_mode & 07777) == MODE_OWN)
		return snprintf(spools, bytes, "%s", path) < (int)bytes;
	stream = opendir(path);
	if (!stream)
		return false;
	found = false;
	while (!found && (entry = readdir(stream)))
		found = spool_name_is_secret(entry->d_name) &&
			snprintf(spools, bytes, "%s/%s", path, entry->d_name) < (int)bytes &&
			!lstat(spools, &status) && S_ISDIR(status.st_mode);
	closedir(stream);
	return found;
}
