#include "config/lookup.h"

#include <errno.h>

static const struct lookup *lent;

void lookup_use(const struct lookup *lookup)
{
	lent = lookup;
}

long lookup_read(const char *path, char *text, size_t bytes)
{
	return lent ? lent->read(path, text, bytes) : -ENOSYS;
}

int lookup_list(const char *directory, int (*each)(const char *name, void *context), void *context)
{
	return lent && lent->list ? lent->list(directory, each, context) : -ENOSYS;
}
