/*
 * The functions of one ELF file, by the file's own addresses, from all that elfutils finds:
 * .symtab, .dynsym, mini debug info, separate debug files by link or build-id, and debuginfod
 * when DEBUGINFOD_URLS is set.
 *
 * An address behind the end of a symbol is not that symbol.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_SYMBOLS_H
#define RUNTIME_FOLD_SYMBOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#define SYMBOLS_BUILD_ID_MAX 64

struct source;
struct symbols;

enum symbols_kind {
	SYMBOLS_UNKNOWN,  /* nothing is known of the address */
	SYMBOLS_NAMED,	  /* it lies in a function with a name */
	SYMBOLS_NAMELESS, /* it lies in a function whose start only is known */
};

struct symbols_found {
	enum symbols_kind kind;
	const char *name; /* as in the file (mangled), never empty; valid until symbols_close */
	uint64_t start;	  /* of the function, in the file's addresses */
};

/* Open a file that must carry the given build-id, unless `build_id_bytes` is 0.
 * Returns 0; -ESTALE if it carries another (and no debug file of the wanted one is
 * installed); or -errno. */
int symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes,
		 struct symbols **symbols);

/* The same for an image in memory: the vDSO of this very process.  Returns 0 or -errno. */
int symbols_open_vdso(struct symbols **symbols);

void symbols_close(struct symbols *symbols);

/* The file's lines and inlined functions, opened at the first call; NULL if it has none.  What
 * was found in it is gone after symbols_close_source, which lets go of its descriptors. */
struct source *symbols_source(struct symbols *symbols);
void symbols_close_source(struct symbols *symbols);

struct symbols_found symbols_find(struct symbols *symbols, uint64_t address);

#endif
