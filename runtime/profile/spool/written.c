/*
 * A file is identified by device, inode, size and modification time, none of which a new name
 * changes.  The inode number alone may belong to another file by now.
 */
#include "runtime/profile/spool/written.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/spool/format.h"

static struct spool_written entry_of(const struct stat *st)
{
	return (struct spool_written){
		.device = st->st_dev,
		.inode = st->st_ino,
		.bytes = (uint64_t)st->st_size,
		.mtime_ns =
			(uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec,
	};
}

/* Returns how many entries there are; *found says whether `wanted` is among them. */
static unsigned look_through(int spool_fd, const struct spool_written *wanted, bool *found)
{
	struct spool_written entries[SPOOL_WRITTEN_MAX];
	ssize_t got = pread(spool_fd, entries, sizeof(entries), SPOOL_WRITTEN_OFFSET);
	unsigned count = 0;

	*found = false;
	for (; got > 0 && count < (size_t)got / sizeof(*entries) && entries[count].inode; count++)
		*found |= !memcmp(&entries[count], wanted, sizeof(*wanted));
	return count;
}

/* Accepts only a spool that belongs to the user: others could put another file in its place. */
static bool is_own_spool(int fd)
{
	uint64_t magic;
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && S_ISREG(st.st_mode) &&
	       pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       magic == SPOOL_MAGIC;
}

/* The caller ignores the result, because it cannot act on it. */
static ssize_t note(int spool_fd, const struct spool_written *entry)
{
	bool found;
	unsigned number = look_through(spool_fd, entry, &found);

	if (found || number == SPOOL_WRITTEN_MAX)
		return 0;
	return pwrite(spool_fd, entry, sizeof(*entry),
		      (off_t)(SPOOL_WRITTEN_OFFSET + number * sizeof(*entry)));
}

void written_note(const char *path, int fd)
{
	int spool_fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct spool_written entry;
	struct stat st;

	if (spool_fd < 0)
		return;
	if (is_own_spool(spool_fd) && !fstat(fd, &st)) {
		entry = entry_of(&st);
		note(spool_fd, &entry);
	}
	close(spool_fd);
}

bool written_knows(int spool_fd, const char *name)
{
	struct spool_written entry;
	struct stat st;
	bool found;

	if (lstat(name, &st) || !S_ISREG(st.st_mode))
		return false;
	entry = entry_of(&st);
	look_through(spool_fd, &entry, &found);
	return found;
}
