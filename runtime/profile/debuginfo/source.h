/*
 * Source lines and inlined functions for the addresses of one ELF file, from its own DWARF or that
 * of a separate debug file.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_SOURCE_H
#define RUNTIME_PROFILE_DEBUGINFO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#define SOURCE_FRAMES_MAX 64

struct source;
struct symbols_elf_file;

struct source_frame {
	const char *name; /* of an inlined function, as in the DWARF (mangled if it has a linkage
			   * name); NULL for the function that holds the code: symbols.h has its
			   * name */
	const char *file; /* NULL: unknown; with its directory as the compiler wrote it */
	const char *directory; /* that a relative `file` begins in; of the address's own line only;
				* NULL: unknown */
	int start_line;	       /* first line of the function; 0: unknown */
	int line; /* of the address, or of the call of the previous frame; 0: unknown */
};

/* Open a file like symbols_open().  It stays open, with one or two descriptors.  Returns 0 with
 * *source, to be closed with source_close(); -ENODATA if it has no DWARF; or -errno. */
int source_open(const struct symbols_elf_file *file, struct source **source);
void source_close(struct source *source);

/* Returns what the file's debug information lacks, to follow its name and to precede "no names";
 * NULL: nothing. */
const char *source_wrong(const struct source *source);

/* List the frames of an address, innermost first: inlined functions, then the function that holds
 * the code.  Texts are valid until source_close().  Returns how many, at least 1 and at most
 * SOURCE_FRAMES_MAX; beyond that the innermost ones are left out. */
size_t source_find(struct source *source, uint64_t address, struct source_frame *frames);

#endif
