/*
 * A spool is removed only after its samples are in complete files: see collect.c.
 */
#include "runtime/collect/spools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/command/base/progress.h"
#include "runtime/command/base/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_read.h"

#define WAIT_NS 100000000

/* Returns the state in a spool's header; 0 if it cannot be read. */
static uint32_t state_of(const char *path)
{
	struct spool_header *header = malloc(sizeof(*header));
	uint32_t state = 0;
	char line[256];

	if (header && spool_read_header(path, header, line, sizeof(line)) == 0)
		state = header->state;
	free(header);
	return state;
}

/* An image that exec replaced is not the end of its process. */
static enum spools_main main_of(const struct spool_files *files, const uint32_t *states,
				unsigned pid)
{
	enum spools_main found = SPOOLS_MAIN_MISSING;

	for (size_t i = 0; i < files->count && found != SPOOLS_MAIN_PROFILED; i++)
		if (files->file[i].pid == pid)
			found = states[i] == SPOOL_EXECED ? SPOOLS_MAIN_EXECED
							  : SPOOLS_MAIN_PROFILED;
	return found;
}

static int look_at(struct spools *spools, const char *directory, unsigned pid)
{
	struct spool_files *files = &spools->files;
	uint32_t *states = calloc(files->count + 1, sizeof(*states));

	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++)
		states[i] = state_of(files->file[i].path);
	survivors_find(&spools->survivors, files, states, directory);
	spools->main = main_of(files, states, pid);
	free(states);
	return 0;
}

int spools_list(struct spools *spools, const char *directory, unsigned pid)
{
	int err;

	*spools = (struct spools){ 0 };
	err = spool_files_add(&spools->files, directory);
	if (err)
		goto failed;
	spools->read = calloc(spools->files.count + 1, sizeof(*spools->read));
	err = spools->read ? look_at(spools, directory, pid) : -ENOMEM;
	if (err)
		goto failed;
	return 0;

failed:
	spools_free(spools);
	return err;
}

/* Another user's spool is at most as large as the library may make one. */
static int read_one(const struct spool_file *file, uint64_t bound_bytes, struct profile *profile,
		    char *line, size_t bytes)
{
	if (file->owner == geteuid() || file->bytes <= bound_bytes)
		return profile_read(profile, file->path, line, bytes);
	snprintf(line, bytes, "%s: another user's, and larger than FLAMETRAP_MEMORY", file->path);
	return -EFBIG;
}

void spools_read(struct spools *spools, uint64_t bound_bytes, struct profile *profile)
{
	if (spools->files.refused)
		status_line("%zu spools of other users are too many to be read",
			    spools->files.refused);
	spools->failed += (unsigned)spools->files.refused;
	for (size_t i = 0; i < spools->files.count; i++) {
		char line[1024];
		int result;

		progress_step(i, spools->files.count);
		result = read_one(&spools->files.file[i], bound_bytes, profile, line, sizeof(line));
		if (result >= 0)
			spools->read[spools->read_count++] = spools->files.file[i].path;
		else
			spools->failed++;
		if (result)
			status_line_text(line);
	}
	if (status_line_error("the timeline", profile_settle(profile)))
		spools->failed++;
}

/* A list of ended children stays, because it was not read.  Only a process without
 * FLAMETRAP_COLLECT leaves one. */
void spools_remove(struct spools *spools, const char *directory)
{
	if (spools->survivors.count)
		return;
	for (size_t i = 0; i < spools->read_count; i++)
		unlink(spools->read[i]);
	run_dir_remove(directory);
}

void spools_free(struct spools *spools)
{
	spool_files_free(&spools->files);
	free(spools->read);
	*spools = (struct spools){ 0 };
}

int spools_wait(const char *directory, int (*ending)(void),
		void (*first)(const struct survivors *survivors))
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	struct spools spools;
	int number;

	while (!(number = ending()) && !spools_list(&spools, directory, 0)) {
		struct survivors survivors = spools.survivors;

		spools_free(&spools);
		if (!survivors.count)
			break;
		if (first)
			first(&survivors);
		first = NULL;
		nanosleep(&pause, NULL);
	}
	return number;
}
