/* Plain reads of sysfs and tracefs.  An attribute is one line without its newline. */
#include "runtime/command/inspect/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "config/events/lookup.h"
#include "runtime/command/base/kernel_limits.h"
#include "runtime/command/inspect/cpu_names.h"

static long read_line(const char *path, char *text, size_t bytes)
{
	return kernel_limits_line(path, text, bytes) ? (long)strlen(text) : -ENOENT;
}

static int list_names(const char *directory, int (*each)(const char *name, void *context),
		      void *context)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int stop = 0;

	if (!stream)
		return -errno;
	while (!stop && (entry = readdir(stream)))
		stop = each(entry->d_name, context);
	closedir(stream);
	return 0;
}

void sysfs_lend(void)
{
	static const struct lookup lookup = {
		.read = read_line,
		.list = list_names,
		.encode = cpu_names_encode,
		.nearest = cpu_names_nearest,
	};

	lookup_use(&lookup);
}
