/* What tests ask of the system. */
#ifndef TESTS_SUPPORT_SYSTEM_H
#define TESTS_SUPPORT_SYSTEM_H

#include <stddef.h>
#include <sys/types.h>

/* New memory of zeros, which can be read and written and which nobody need give back. */
void *pages_new(size_t bytes);

/* The code with which that child exits. */
int child_end(pid_t child);

#endif
