/*
 * Cheap where there is nothing to say: a directory is listed.  Only where a spool's process
 * seems to be gone is it looked for in all processes' maps.
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

static bool seem_dead(const struct spool_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (!spool_files_is_running(&files->file[i]))
			return true;
	return false;
}

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
	size_t count = 0;

	if (directory) {
		add(&files, directory);
	} else {
		add(&files, env_get(environ, "FLAMETRAP_SPOOL"));
		add(&files, "/dev/shm");
	}
	if (seem_dead(&files) && !spool_files_find_live(&files))
		for (size_t i = 0; i < files.count; i++)
			count += is_killed(&files.file[i]);
	spool_files_free(&files);
	if (count)
		say("%zu unfinished profile%s of processes that have ended: flametrap recover "
		    "writes them",
		    count, count == 1 ? "" : "s");
}
