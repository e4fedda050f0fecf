/* The mappings of a process, line by line from /proc/PID/maps. */
#ifndef RUNTIME_SAMPLE_SYS_MAPPING_H
#define RUNTIME_SAMPLE_SYS_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#define MAPPING_OWN	   "/proc/self/maps"
#define MAPPING_LINE_BYTES 4608 /* a path of 4,095 bytes; longer ones are rare, and left out */

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file, in bytes */
	uint64_t device; /* for comparison with another mapping's */
	uint64_t inode;	 /* 0: no file */
	bool executable;
	const char *name; /* valid during the call only; "" if it has none */
};

/* Returns whether the next mapping is wanted too. */
typedef bool mapping_visit(const struct mapping *mapping, void *context);

/* Call `each` for the mappings in MAPPING_OWN, or in another process's file, in order of address.
 * `text` has MAPPING_LINE_BYTES bytes that only the caller uses.  Nothing is called if the file
 * cannot be opened.  Context: any. */
void mapping_each(const char *path, char *text, mapping_visit *each, void *context);

#endif
