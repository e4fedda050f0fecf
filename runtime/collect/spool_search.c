/*
 * Searches the directories in which spools usually lie.  A private directory of another user is
 * included only if everybody's spools are wanted; one whose command still runs, only if all are.
 */
#include "runtime/collect/spool_search.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/spool/spool_name.h"

/* Returns true for a run's directory to be included, of this user or, on request, of any. */
static bool is_wanted(const struct spool_files *files, const char *path,
		      enum spool_search_scope scope)
{
	struct stat status;

	if (!spool_name_is_run(path) || lstat(path, &status) ||
	    (!files->everybody && status.st_uid != geteuid()))
		return false;
	return run_dir_is(path, status.st_uid) &&
	       (scope == SPOOL_SEARCH_ALL || !run_dir_in_use(path));
}

/* Add the spools of a directory, and of the runs' own directories below it. */
static int add_with_run_dirs(struct spool_files *files, const char *directory,
			     enum spool_search_scope scope)
{
	char spools[PATH_MAX];
	struct dirent *entry;
	DIR *stream;
	int err;

	if (run_dir_spools(directory, spools, sizeof(spools)))
		directory = spools;
	err = spool_files_add(files, directory);
	if (err)
		return err;
	stream = opendir(directory);
	if (!stream)
		return -errno;
	while (err != -ENOMEM && (entry = readdir(stream))) {
		char path[PATH_MAX], below[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) <
			    (int)sizeof(path) &&
		    is_wanted(files, path, scope) && run_dir_spools(path, below, sizeof(below)))
			err = spool_files_add(files, below);
	}
	closedir(stream);
	return err == -ENOMEM ? err : 0;
}

static int add_usual(struct spool_files *files, enum spool_search_scope scope)
{
	char here[PATH_MAX];
	const char *const usual[] = {
		env_get(environ, "FLAMETRAP_SPOOL"),
		"/dev/shm",
		getcwd(here, sizeof(here)),
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && err != -ENOMEM; i++)
		if (usual[i] && usual[i][0])
			err = add_with_run_dirs(files, usual[i], scope);
	return err == -ENOMEM ? err : 0;
}

int spool_search(struct spool_files *files, const char *directory, enum spool_search_scope scope)
{
	files->everybody = scope == SPOOL_SEARCH_ALL && geteuid() == 0;
	if (!directory)
		return add_usual(files, scope);
	return status_line_error(directory, add_with_run_dirs(files, directory, scope));
}
