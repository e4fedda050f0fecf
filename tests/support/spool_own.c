/* The folder's name is that of the spool without its last part. */
#include "tests/support/spool_own.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int spool_own_open(struct spool_alloc *spool, uint64_t bytes)
{
	char folder[] = "/tmp/flametrap-spool-XXXXXX";

	memset(spool, 0, sizeof(*spool));
	if (!mkdtemp(folder))
		return -1;
	if (!spool_alloc_create(spool, folder, bytes, 1, 1))
		return 0;
	rmdir(folder);
	return -1;
}

int spool_own_close(struct spool_alloc *spool)
{
	char folder[sizeof(spool->path)], *last;

	strcpy(folder, spool->path);
	last = strrchr(folder, '/');
	if (!last)
		return -1;
	*last = '\0';
	spool_alloc_unlink(spool);
	spool_alloc_abandon(spool);
	return rmdir(folder);
}
