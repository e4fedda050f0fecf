/* All paths are looked up once, before the program starts. */
#include "runtime/command/base/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "config/text/text.h"
#include "runtime/command/base/status_line.h"
#include "runtime/profile/base/stream.h"

#if defined(__x86_64__)
#define TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#endif

#define SEARCH_PATH_UNSET "/bin:/usr/bin" /* the default of execvp() without PATH */

static int own_directory(char *path, size_t bytes)
{
	ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
	char *slash;

	if (length < 0)
		return -errno;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

/* The path of the directory contains no link, so neither does that of a file in it that is no
 * link. */
static bool locate(const char *directory, const char *name, char found[PATH_MAX])
{
	char tried[PATH_MAX + 32];
	struct stat status;

	snprintf(tried, sizeof(tried), "%s/%s", directory, name);
	if (lstat(tried, &status))
		return false;
	if (!S_ISREG(status.st_mode) || strchr(name, '/'))
		return realpath(tried, found) != NULL;
	return snprintf(found, PATH_MAX, "%s", tried) < PATH_MAX;
}

int paths_library(char *path, size_t path_bytes, char *line, size_t bytes)
{
	static const char *const from_us[] = { "libflametrap.so", "../lib/libflametrap.so",
					       "../lib64/libflametrap.so",
					       "../lib/" TRIPLET "/libflametrap.so" };
	char directory[PATH_MAX];
	int err = own_directory(directory, sizeof(directory));

	if (err)
		return refuse(line, bytes, err,
			      "/proc/self/exe: %s; /proc is needed to find libflametrap.so",
			      strerror(-err));
	for (size_t i = 0; i < sizeof(from_us) / sizeof(from_us[0]); i++) {
		char found[PATH_MAX];

		if (!locate(directory, from_us[i], found))
			continue;
		if (strpbrk(found, ": "))
			return refuse(
				line, bytes, -EINVAL,
				"%.300s cannot be preloaded: LD_PRELOAD separates its entries by "
				"spaces and colons; move it to a path without them",
				found);
		return snprintf(path, path_bytes, "%s", found) < (int)path_bytes ? 0
										 : -ENAMETOOLONG;
	}
	return refuse(line, bytes, -ENOENT,
		      "libflametrap.so is neither in %.200s nor in %.200s/../lib", directory,
		      directory);
}

bool paths_are_open(const char *path)
{
	char part[PATH_MAX];
	struct stat status;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path) + 1, path);
		if (stat(part, &status) || !(status.st_mode & S_IXOTH))
			return false;
	}
	return !stat(path, &status) && status.st_mode & S_IROTH;
}

static int runnable(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

int paths_command(const char *command, char *path, size_t bytes)
{
	const char *set = env_get(environ, "PATH");
	const char *search = set ? set : SEARCH_PATH_UNSET;
	struct text line = text_into(path, bytes);

	if (strchr(command, '/')) {
		text_add(&line, command);
		return line.used < bytes - 1 && runnable(path) ? 0 : -ENOENT;
	}
	while (*command) {
		size_t length = strcspn(search, ":");

		line = text_into(path, bytes);
		text_add_bytes(&line, search, length);
		text_add(&line, length ? "/" : "");
		text_add(&line, command);
		if (line.used < bytes - 1 && runnable(path))
			return 0;
		if (!search[length])
			break;
		search += length + 1;
	}
	return -ENOENT;
}

void paths_directory(const char *path, char *directory, size_t bytes)
{
	char *slash;

	snprintf(directory, bytes, "%s", path);
	slash = strrchr(directory, '/');
	if (!slash)
		snprintf(directory, bytes, ".");
	else
		slash[slash == directory ? 1 : 0] = '\0';
}

/* A stream accepts one file, and no spools beside it. */
static int check_stream(const char *stem, unsigned formats, char *line, size_t bytes)
{
	const char *wrong = NULL;

	if (formats & SETTINGS_FORMAT_SPOOL)
		wrong = "holds no spools; -o names a STEM of files for them";
	else if (formats & (formats - 1) && !stream_is_null(stem))
		wrong = "takes one file; choose one by --format";
	if (wrong)
		snprintf(line, bytes, "%.300s %s", stem, wrong);
	return wrong ? -EINVAL : 0;
}

int paths_output(const char *stem, unsigned formats, char *line, size_t bytes)
{
	char directory[PATH_MAX];
	struct stat status;
	int err;

	if (stream_is(stem))
		return check_stream(stem, formats, line, bytes);
	paths_directory(stem, directory, sizeof(directory));
	while (stat(directory, &status) && errno == ENOENT && strcmp(directory, ".") != 0 &&
	       strcmp(directory, "/") != 0) {
		char upper[PATH_MAX];

		paths_directory(directory, upper, sizeof(upper));
		memcpy(directory, upper, sizeof(directory));
	}
	if (access(directory, W_OK | X_OK) == 0 && stat(directory, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	err = -errno;
	return refuse(line, bytes, err,
		      "output cannot be written in %.300s: %s; -o chooses another place", directory,
		      strerror(-err));
}
