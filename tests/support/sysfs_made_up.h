/* A made-up sysfs and tracefs, lent to the parser of events, for tests of the event grammar. */
#ifndef TESTS_UNIT_SYSFS_MADE_UP_H
#define TESTS_UNIT_SYSFS_MADE_UP_H

#include <stddef.h>

struct sysfs_made_up_file {
	const char *path, *text;
};

/* Lend a machine of these files, which the caller keeps, until lookup_use(NULL). */
void sysfs_made_up_use(const struct sysfs_made_up_file *files, size_t count);

/* Lend a machine with a processor's PMU, some of whole sockets, probes and a tracepoint. */
void sysfs_made_up_usual(void);

#endif
