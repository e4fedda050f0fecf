/*
 * DIRECTORY/a-001.PID.spool and so on; a run of several processes has several.
 */
#include "runtime/command/ab/saved.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/command/base/status_line.h"
#include "runtime/spool/spool_name.h"

static bool is_saved(const char *name)
{
	size_t length = strlen(name), ending = strlen(SPOOL_NAME_ENDING);

	return (strncmp(name, "a-", 2) == 0 || strncmp(name, "b-", 2) == 0) && length > ending &&
	       strcmp(name + length - ending, SPOOL_NAME_ENDING) == 0;
}

static bool holds_saved(const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (stream && !found && (entry = readdir(stream)))
		found = is_saved(entry->d_name);
	if (stream)
		closedir(stream);
	return found;
}

int saved_prepare(const struct ab_options *options, char *line, size_t bytes)
{
	const char *directory = options->save;
	struct stat status;
	int err;

	if (!directory)
		return 0;
	err = mkdir(directory, 0777) && errno != EEXIST ? -errno : 0;
	if (!err && (stat(directory, &status) || !S_ISDIR(status.st_mode)))
		err = -ENOTDIR;
	if (!err)
		err = access(directory, W_OK | X_OK) ? -errno : 0;
	if (err)
		return refuse(line, bytes, err, "--save %.300s: %s", directory, strerror(-err));
	if (!holds_saved(directory))
		return 0;
	return refuse(line, bytes, -EEXIST, "--save %.300s: it holds runs of an earlier comparison",
		      directory);
}

/* STEM.PID.spool */
static bool is_of(const char *name, const char *run)
{
	size_t length = strlen(run);

	return is_saved(name) && strncmp(name, run, length) == 0 && name[length] == '.';
}

void saved_forget(const struct ab_options *options, const char *name)
{
	DIR *stream = options->save ? opendir(options->save) : NULL;
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (is_of(entry->d_name, name))
			unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
}

const char *saved_stem(const struct ab_options *options, const char *name, char *stem, size_t bytes)
{
	if (!options->save)
		return NULL;
	snprintf(stem, bytes, "%s/%s", options->save, name);
	return stem;
}
