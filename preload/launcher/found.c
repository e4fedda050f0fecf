#include "preload/launcher/found.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/env.h"
#include "preload/launcher/private.h"
#include "preload/launcher/say.h"

/* The spools of a directory, and of the runs' own directories below it. */
static int add_with_private(struct spool_files *files, const char *directory,
			    enum found_private which)
{
	int err = spool_files_add(files, directory);
	struct dirent *entry;
	DIR *stream;

	if (err)
		return err;
	stream = opendir(directory);
	if (!stream)
		return -errno;
	while (err != -ENOMEM && (entry = readdir(stream))) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) <
			    (int)sizeof(path) &&
		    private_is(path) && (which == FOUND_ALL || !private_in_use(path)))
			err = spool_files_add(files, path);
	}
	closedir(stream);
	return err == -ENOMEM ? err : 0;
}

int found_spools(struct spool_files *files, const char *directory, enum found_private which)
{
	const char *const usual[] = { env_get(environ, "FLAMETRAP_SPOOL"), "/dev/shm", "." };
	int err = 0;

	if (directory) {
		err = add_with_private(files, directory, which);
		if (err)
			say("%s: %s", directory, strerror(-err));
		return err;
	}
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && err != -ENOMEM; i++)
		if (usual[i] && usual[i][0])
			err = add_with_private(files, usual[i], which);
	return err == -ENOMEM ? err : 0;
}
