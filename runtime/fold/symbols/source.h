/*
 * Source lines and inlined functions of one ELF file's addresses, from its DWARF: its own or
 * that of a separate debug file.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_SOURCE_H
#define RUNTIME_FOLD_SYMBOLS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#define SOURCE_FRAMES_MAX 64

struct source;

struct source_frame {
	const char *name; /* of an inlined function, as in the DWARF (mangled if it has that);
			   * NULL for the function whose code it is, which symbols know */
	const char *file; /* NULL: unknown; with its directory as the compiler wrote it */
	int start_line;	  /* of the function; 0: unknown */
	int line; /* where the address, or the call of the frame before, stands; 0: unknown */
};

/* Open a file as symbols_open does.  It stays open, with one or two descriptors.
 * Returns 0 with *source to be closed by source_close; -ENODATA if it has no DWARF; or -errno. */
int source_open(const char *path, const uint8_t *build_id, size_t build_id_bytes,
		struct source **source);
void source_close(struct source *source);

/* The frames of an address, innermost first: inlined functions, then the one that holds the
 * code.  Texts are valid until source_close.  Returns how many, at least 1, at most
 * SOURCE_FRAMES_MAX, where what was inlined further in is left out. */
size_t source_find(struct source *source, uint64_t address, struct source_frame *frames);

#endif
