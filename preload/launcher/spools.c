/*
 * A spool goes only after its samples are in files that are complete: see collect.c.
 */
#include "preload/launcher/spools.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/launcher/progress.h"
#include "preload/launcher/say.h"
#include "runtime/fold/profile.h"
#include "runtime/fold/spool_read.h"

static bool says_running(const char *path)
{
	struct spool_header *header = malloc(sizeof(*header));
	bool result = false;
	char line[256];

	if (header && spool_read_header(path, header, line, sizeof(line)) == 0)
		result = header->state == SPOOL_RUNNING;
	free(header);
	return result;
}

/* Count the processes that go on.  A header that says so may be that of a killed one, and
 * looking for its process takes a while: only then is it done. */
static unsigned count_running(struct spool_files *files)
{
	unsigned count = 0;
	bool *says = calloc(files->count + 1, sizeof(*says));
	bool any = false;

	for (size_t i = 0; says && i < files->count; i++)
		any |= says[i] = says_running(files->file[i].path);
	if (any && spool_files_find_live(files) == 0) {
		for (size_t i = 0; i < files->count; i++)
			count += says[i] && files->file[i].live ? 1 : 0;
	}
	free(says);
	return count;
}

int spools_list(struct spools *spools, const char *directory)
{
	int err;

	*spools = (struct spools){ 0 };
	err = spool_files_add(&spools->files, directory);
	if (err)
		goto failed;
	spools->read = calloc(spools->files.count + 1, sizeof(*spools->read));
	if (!spools->read) {
		err = -ENOMEM;
		goto failed;
	}
	spools->running = count_running(&spools->files);
	return 0;

failed:
	spools_free(spools);
	return err;
}

void spools_read(struct spools *spools, struct profile *profile)
{
	for (size_t i = 0; i < spools->files.count; i++) {
		char line[1024];
		int result;

		progress_step(i, spools->files.count);
		result = profile_read(profile, spools->files.file[i].path, line, sizeof(line));
		spools->read[i] = result >= 0;
		spools->failed += spools->read[i] ? 0 : 1;
		if (result)
			say_line(line);
	}
}

int spools_remove(struct spools *spools, const char *directory)
{
	for (size_t i = 0; i < spools->files.count; i++) {
		if (spools->read[i])
			unlink(spools->files.file[i].path);
	}
	return rmdir(directory) ? -errno : 0;
}

void spools_free(struct spools *spools)
{
	spool_files_free(&spools->files);
	free(spools->read);
	*spools = (struct spools){ 0 };
}
