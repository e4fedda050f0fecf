/*
 * Each run asks, so what is asked is bounded: a directory is listed, and of the first spools in
 * it is looked which were left behind.
 */
#include "preload/launcher/unfinished.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/env.h"
#include "preload/launcher/found.h"
#include "preload/launcher/private.h"
#include "preload/launcher/say.h"
#include "runtime/fold/spool_read.h"

#define LOOKED_AT_MOST 64

/* An image that gave way by exec, or ended and failed to write, is no news. */
static bool is_killed(const struct spool_file *file)
{
	struct spool_header *header = malloc(sizeof(*header));
	char line[256];
	bool killed = header && !file->live &&
		      !spool_read_header(file->path, header, line, sizeof(line)) &&
		      header->state == SPOOL_RUNNING;

	free(header);
	return killed;
}

static void add(struct spool_files *files, const char *directory)
{
	if (directory && directory[0] && !access(directory, R_OK | X_OK) &&
	    !private_in_use(directory))
		found_spools(files, directory, FOUND_LEFT);
}

void unfinished_say(const char *directory)
{
	struct spool_files files = { 0 };
	struct spool_files first;
	size_t count = 0;

	if (directory) {
		add(&files, directory);
	} else {
		add(&files, env_get(environ, "FLAMETRAP_SPOOL"));
		add(&files, "/dev/shm");
	}
	first = files;
	if (first.count > LOOKED_AT_MOST)
		first.count = LOOKED_AT_MOST;
	if (!spool_files_find_live(&first))
		for (size_t i = 0; i < first.count; i++)
			count += is_killed(&first.file[i]);
	if (count)
		say("%s%zu unfinished profile%s of processes that have ended: flametrap recover "
		    "writes them",
		    files.count > first.count ? "at least " : "", count, count == 1 ? "" : "s");
	spool_files_free(&files);
}
