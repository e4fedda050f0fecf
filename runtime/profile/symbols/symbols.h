/*
 * The functions of one ELF file by the file's own addresses, from all sources that elfutils finds:
 * .symtab, .dynsym, mini debug info, separate debug files by link or build ID, and debuginfod when
 * DEBUGINFOD_URLS is set.
 *
 * An address past the end of a symbol does not belong to that symbol.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_SYMBOLS_H
#define RUNTIME_PROFILE_SYMBOLS_SYMBOLS_H

#include <stdint.h>

struct source;
struct symbols;
struct symbols_elf_file;

enum symbols_kind {
	SYMBOLS_UNKNOWN,  /* nothing is known about the address */
	SYMBOLS_NAMED,	  /* the address lies in a function with a name */
	SYMBOLS_NAMELESS, /* the address lies in a function of which only the start is known */
};

struct symbols_found {
	enum symbols_kind kind;
	const char *name; /* as in the file (mangled), never empty; valid until symbols_close */
	uint64_t start;	  /* of the function, in the file's addresses */
	uint64_t end;	  /* one past its last byte; above `start` */
};

/* Open a file, whose description must outlive the result.  Returns 0; -ESTALE if it has another
 * build ID (and no debug file with the given one is installed); or -errno. */
int symbols_open(const struct symbols_elf_file *file, struct symbols **symbols);
void symbols_close(struct symbols *symbols);

/* Returns what is wrong with the file's symbols, to follow its name and to precede "no names";
 * NULL: nothing. */
const char *symbols_wrong(const struct symbols *symbols);

/* Returns the file's lines and inlined functions, opened at the first call; NULL if it has none.
 * symbols_close_source() closes its descriptors; all results from it are then invalid. */
struct source *symbols_source(struct symbols *symbols);
/* Likewise, of its source, and the first time only; with the file's path. */
const char *symbols_source_wrong(struct symbols *symbols, const char **path);
void symbols_close_source(struct symbols *symbols);

struct symbols_found symbols_find(struct symbols *symbols, uint64_t address);

/* Returns the description of the file, as it was opened. */
const struct symbols_elf_file *symbols_file(const struct symbols *symbols);

#endif
