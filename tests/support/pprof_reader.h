/* Reads a pprof file from memory, for tests of the writer. */
#ifndef TESTS_UNIT_PPROF_READER_H
#define TESTS_UNIT_PPROF_READER_H

#include <stddef.h>

struct Pprof__Profile;

/* NULL if it is no gzipped pprof message, or has bytes behind it.  To be freed by
 * pprof__profile__free_unpacked. */
struct Pprof__Profile *pprof_reader_read(char *packed, size_t bytes);

#endif
