/*
 * The copy ends where the used part of the spool ends, and its header says so.  It is published
 * under the first free name.
 */
#include "runtime/collect/spool_copy.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/base/atomic_file.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/spool/spool_version.h"
#include "runtime/spool/format.h"
#include "runtime/spool/spool_name.h"

#define NUMBERS_MAX 10000
#define LINE_BYTES  8192

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

/* Write a header of an older version unchanged, except for the fields that all versions have at its
 * start. */
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

/* Write the header, with the size of the copy, and the chunks up to there. */
static int copy(struct spool_header *header, int from, FILE *to)
{
	int err;

	if (header->used_bytes >= (uint64_t)SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS &&
	    header->used_bytes < header->size_bytes)
		header->size_bytes = header->used_bytes;
	err = copy_header(header, from, to);
	return err ? err : copy_bytes(from, header->header_bytes, header->size_bytes, to);
}

static int name(struct atomic_file *publish, const char *stem, uint32_t pid, char *made,
		size_t bytes)
{
	int err = -EEXIST;

	for (unsigned number = 1; err == -EEXIST && number < NUMBERS_MAX; number++) {
		if (!spool_name_make_copy(made, bytes, stem, pid, number))
			return -ENAMETOOLONG;
		err = atomic_file_name(publish, made, false);
	}
	return err;
}

/* Returns 0 with the name of the copy in `made`, or -errno with `line` naming the file.  The copy
 * is made from the file that was checked, even if another file has its name by then. */
static int make_one(const char *path, const char *stem, char *made, size_t made_bytes, char *line,
		    size_t bytes)
{
	struct spool_header *header = malloc(sizeof(*header));
	struct atomic_file publish;
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
		err = atomic_file_open(&publish, made);
	else
		err = -ENAMETOOLONG;
	if (!err) {
		err = atomic_file_flush(&publish, copy(header, from, publish.file));
		if (!err)
			err = name(&publish, stem, header->pid, made, made_bytes);
		atomic_file_close(&publish);
	}
	if (err)
		snprintf(line, bytes, "%s: cannot be kept as %s.%u.spool: %s", path, stem,
			 header->pid, strerror(-err));
out:
	close(from);
	free(header);
	return err;
}

int spool_copy_make(const char *const *paths, size_t count, const char *stem,
		    bool (*told)(int err, const char *text, void *context), void *context)
{
	bool going = true;
	int err = 0;

	for (size_t i = 0; going && i < count; i++) {
		char made[SPOOL_TEXT_MAX + 64], line[LINE_BYTES] = "no memory";
		int now = make_one(paths[i], stem, made, sizeof(made), line, sizeof(line));

		going = told(now, now ? line : made, context);
		err = err ? err : now;
	}
	return err;
}
