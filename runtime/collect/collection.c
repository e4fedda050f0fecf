/*
 * A spool is removed only after its samples are in complete files.
 *
 * A file that was written is identified by device, inode, size and modification time, none of which
 * a new name changes.  The inode number alone may belong to another file by now.
 */
#include "runtime/collect/collection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/command/base/status_line.h"
#include "runtime/output/output.h"
#include "runtime/profile/base/atomic_file.h"
#include "runtime/profile/base/user_file.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

#define NUMBERS_MAX	  10000
#define LINE_BYTES	  8192
#define ENVIRONMENT_BYTES (128 << 10)

void collection_fail(const struct collection_options *options, const char *line)
{
	if (options->failed)
		options->failed(line, options->context);
	else
		status_line_text(line);
}

int collection_read(struct collection *collection, struct profile *profile)
{
	size_t count = 0;

	for (size_t i = 0; i < collection->count; i++) {
		char line[LINE_BYTES];
		int result;

		progress_step(collection->before + i, collection->all);
		result = profile_read(profile, collection->path[i], line, sizeof(line));
		if (result)
			collection_fail(collection->options, line);
		if (result >= 0)
			collection->path[count++] = collection->path[i];
		else if (collection->options->all_or_none)
			return result;
		else
			collection->failed++;
	}
	collection->count = count;
	return profile_settle(profile);
}

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

/* If this fails (no space, no permission), the file may be written a second time. */
static void note_in_spools(int fd, void *context)
{
	const struct collection *collection = context;
	struct spool_written entry;
	struct stat st;

	if (fstat(fd, &st))
		return;
	entry = entry_of(&st);
	for (size_t i = 0; i < collection->count; i++) {
		int spool_fd = open(collection->path[i],
				    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

		if (spool_fd < 0)
			continue;
		if (is_own_spool(spool_fd))
			note(spool_fd, &entry);
		close(spool_fd);
	}
}

/* Returns true if the file of that name was noted in the first spool. */
static bool was_written(const char *path, void *context)
{
	const struct collection *collection = context;
	struct spool_written entry;
	struct stat st;
	bool found;

	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	entry = entry_of(&st);
	look_through(collection->leader_fd, &entry, &found);
	return found;
}

/* Returns whether a living process was started with the library; true if that is unknown. */
static bool is_profiled(unsigned pid)
{
	static char text[ENVIRONMENT_BYTES];
	char path[64];
	size_t got;

	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	got = user_file_text(path, text, sizeof(text));
	return !got || memmem(text, got, "libflametrap", 12);
}

/* Returns the length of what output.c put between stem and ending of a path; 0: nothing. */
static size_t added_bytes(const struct spool_header *header, const char *path)
{
	char added[64];
	size_t stem = strlen(header->output);
	size_t length = (size_t)snprintf(added, sizeof(added), ".%u.", header->pid);
	size_t more;

	if (strncmp(path, header->output, stem) != 0 || strncmp(path + stem, added, length) != 0)
		return 0;
	more = strspn(path + stem + length, "0123456789");
	if (more && path[stem + length + more] == '.')
		length += more + 1;
	return length - 1;
}

/* Distinguishes a file that an earlier run left from one that another process of this run wrote,
 * after a profile was written to `path` instead of its stem's own name.  If the file under the
 * stem's name is older than the process, and no profiled process started this one (its other
 * children share the stem), the user may take the old file for the new one.  Then the function
 * returns true, with a message in `line`.  In doubt there is none. */
static bool explain_moved(const struct spool_header *header, const char *path, char *line,
			  size_t bytes)
{
	char wanted[SPOOL_TEXT_MAX + 256];
	size_t added = added_bytes(header, path);
	struct stat st;

	if (!added)
		return false;
	snprintf(wanted, sizeof(wanted), "%s%s", header->output,
		 path + strlen(header->output) + added);
	if (stat(wanted, &st) ||
	    (uint64_t)st.st_mtim.tv_sec >= header->start_realtime_ns / 1000000000)
		return false;
	if (is_profiled(header->parent_pid))
		return false;
	snprintf(line, bytes, "%s is there already, from an earlier run; wrote %s", wanted, path);
	return true;
}

static void tell_written(const char *path, void *context)
{
	struct collection *collection = context;
	const struct collection_options *options = collection->options;
	char line[LINE_BYTES];

	if (options->written)
		options->written(path, options->context);
	if (collection->moved || !options->moved || !collection->leader ||
	    !explain_moved(collection->leader, path, line, sizeof(line)))
		return;
	collection->moved = true;
	options->moved(line, options->context);
}

int collection_write(struct collection *collection, struct profile *profile,
		     struct output_request *request, char *line, size_t bytes)
{
	request->written = tell_written;
	request->naming = collection->running ? NULL : note_in_spools;
	request->known = collection->leader ? was_written : NULL;
	request->context = collection;
	return output_write(profile, request, line, bytes);
}

static int copy_bytes(int from, uint64_t at, uint64_t end, FILE *to)
{
	char *buffer = malloc(SPOOL_CHUNK_BYTES);
	int err = buffer ? 0 : -ENOMEM;

	while (!err && at < end) {
		size_t want = end - at < SPOOL_CHUNK_BYTES ? (size_t)(end - at) : SPOOL_CHUNK_BYTES;
		ssize_t got = pread(from, buffer, want, (off_t)at);

		if (!got)
			break; /* a file that was cut stays cut; its reader reports it */
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || fwrite(buffer, 1, (size_t)got, to) != (size_t)got)
			err = -EIO;
		at += (uint64_t)(got > 0 ? got : 0);
	}
	free(buffer);
	return err;
}

/* Write a header of an older version unchanged, but for the fields at the start of all versions. */
static int copy_header(const struct spool_header *header, int from, FILE *to)
{
	unsigned char bytes[sizeof(*header)];

	if (header->header_bytes > sizeof(bytes) ||
	    spool_check_pread(from, bytes, header->header_bytes, 0))
		return -EIO;
	memcpy(bytes, header,
	       header->version == SPOOL_VERSION ? sizeof(*header) : SPOOL_VERSION_SAME_BYTES);
	return fwrite(bytes, 1, header->header_bytes, to) == header->header_bytes ? 0 : -EIO;
}

/* Write the header, with the size of the copy, and the chunks up to there: a copy ends where the
 * used part of the spool ends. */
static int copy(struct spool_header *header, int from, FILE *to)
{
	int err;

	if (header->used_bytes >= (uint64_t)SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS &&
	    header->used_bytes < header->size_bytes)
		header->size_bytes = header->used_bytes;
	err = copy_header(header, from, to);
	return err ? err : copy_bytes(from, header->header_bytes, header->size_bytes, to);
}

static int name_copy(struct atomic_file *atomic, const char *stem, uint32_t pid, char *made,
		     size_t bytes)
{
	int err = -EEXIST;

	for (unsigned number = 1; err == -EEXIST && number < NUMBERS_MAX; number++) {
		if (!spool_name_make_copy(made, bytes, stem, pid, number))
			return -ENAMETOOLONG;
		err = atomic_file_name(atomic, made, false);
	}
	return err;
}

/* Returns 0 with the name of the copy in `made`, or -errno with `line` naming the file.  The copy
 * is made from the file that was checked, even if another file has its name by then. */
static int make_one(const char *path, const char *stem, char *made, size_t made_bytes, char *line,
		    size_t bytes)
{
	struct spool_header *header = malloc(sizeof(*header));
	struct atomic_file atomic;
	int from = -1;
	int err = header ? spool_read_open(path, &from, line, bytes) : -ENOMEM;

	if (err) {
		free(header);
		return err;
	}
	err = spool_read_header_fd(from, path, header, line, bytes);
	if (err)
		goto out;
	if (spool_name_make_copy(made, made_bytes, stem, header->pid, 1))
		err = atomic_file_open(&atomic, made);
	else
		err = -ENAMETOOLONG;
	if (!err) {
		err = atomic_file_flush(&atomic, copy(header, from, atomic.file));
		if (!err)
			err = name_copy(&atomic, stem, header->pid, made, made_bytes);
		atomic_file_close(&atomic);
	}
	if (err)
		snprintf(line, bytes, "%s: cannot be kept as %s.%u.spool: %s", path, stem,
			 header->pid, strerror(-err));
out:
	close(from);
	free(header);
	return err;
}

int collection_copy(const struct collection *collection, const char *stem)
{
	const struct collection_options *options = collection->options;
	int err = 0;

	for (size_t i = 0; i < collection->count && (!err || options->every_copy); i++) {
		char made[SPOOL_TEXT_MAX + 64], line[LINE_BYTES] = "no memory";
		int now =
			make_one(collection->path[i], stem, made, sizeof(made), line, sizeof(line));

		if (now)
			collection_fail(options, line);
		else if (options->copied)
			options->copied(made, options->context);
		err = err ? err : now;
	}
	return err;
}

/* Children of a killed process have their own spools: the list has no further use. */
void collection_remove(const struct collection *collection)
{
	for (size_t i = 0; i < collection->count; i++) {
		char list[SPOOL_TEXT_MAX + 64];

		unlink(collection->path[i]);
		if (collection->options->with_lists &&
		    spool_name_make_list(list, sizeof(list), collection->path[i]))
			unlink(list);
	}
}
