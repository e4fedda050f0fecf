/* Packages are hidden because libdw reads them itself since 0.191, by an index that it believes. */
#include "runtime/profile/base/open_instead.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

static bool begun;
static int instead = -1;

void open_instead_begin(int fd)
{
	begun = true;
	instead = fd;
}

void open_instead_end(void)
{
	begun = false;
}

static bool is_package(const char *path)
{
	size_t length = strlen(path);

	return length >= 4 && !strcmp(path + length - 4, ".dwp");
}

bool open_instead_find(const char *path, int *fd)
{
	bool package = begun && is_package(path);

	if (!begun || (!package && instead < 0))
		return false;
	errno = ENOENT;
	*fd = package ? -1 : fcntl(instead, F_DUPFD_CLOEXEC, 0);
	return true;
}
