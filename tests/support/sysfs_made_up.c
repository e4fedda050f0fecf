/*
 * A path is listed by the next name of each file below it.  A name appears once for each such
 * file; the caller removes duplicates.
 */
#include "tests/support/sysfs_made_up.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/events/lookup.h"

static const struct sysfs_made_up_file *all;
static size_t number;

static long read_file(const char *path, char *text, size_t bytes)
{
	for (size_t i = 0; i < number; i++) {
		if (strcmp(all[i].path, path) == 0) {
			if (strlen(all[i].text) >= bytes)
				abort();
			strcpy(text, all[i].text);
			return (long)strlen(text);
		}
	}
	return -ENOENT;
}

static int list_directory(const char *directory, int (*each)(const char *name, void *context),
			  void *context)
{
	size_t length = strlen(directory);
	int stop = 0;

	for (size_t i = 0; i < number && !stop; i++) {
		const char *rest = all[i].path + length + 1;
		char name[64];

		if (strncmp(all[i].path, directory, length) != 0 || all[i].path[length] != '/')
			continue;
		memcpy(name, rest, strcspn(rest, "/"));
		name[strcspn(rest, "/")] = '\0';
		stop = each(name, context);
	}
	return 0;
}

void sysfs_made_up_use(const struct sysfs_made_up_file *files, size_t count)
{
	static const struct lookup machine = { .read = read_file, .list = list_directory };

	all = files;
	number = count;
	lookup_use(&machine);
}
