/*
 * Turns the addresses of one process after another into names of frames, as numbers of
 * string_table.h.  The results for a file serve all processes; nothing is looked up twice.
 *
 * Names: `function`; `name_[k]` in the kernel, `name_[j]` from a JIT's map, and `name_[p]` in an
 * interpreted program; `module@0xSTART` for a function of which only the start is known;
 * `[module]`, `[kernel]_[k]` and `[unknown]` if even that is unknown; `[truncated]` and similar
 * names for pseudo addresses.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_NAMER_H
#define RUNTIME_PROFILE_SYMBOLS_NAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct string_table;
struct namer;
struct spool_module;
struct spool_read;

#define NAMER_FRAMES_MAX 64
#define NAMER_OURS	 UINT32_MAX /* flametrap's own code: makes no frame */

/* `demangle`: names as in the source; `tidy`: without the endings of copies that the compiler made.
 * Returns NULL when memory is out.  Free with namer_free(), before strings and machine. */
struct namer *namer_new(struct string_table *strings, struct machine *machine, bool demangle,
			bool tidy);
void namer_free(struct namer *namer);

/* The next addresses are those of this spool, which must live until namer_end().  Returns 0 or
 * -ENOMEM. */
int namer_begin(struct namer *namer, const struct spool_read *spool);
void namer_end(struct namer *namer);

/* Returns the name of a node's address and generation; NAMER_OURS; or 0 when memory is out. */
uint32_t namer_name(struct namer *namer, uint64_t pc, uint32_t generation);

/* One frame that debug information has for an address. */
struct namer_frame {
	uint32_t name;	     /* the first is what namer_name() returns; the others are inlined
			      * functions' names */
	uint32_t file;	     /* with its directory, a string_table number; 0: unknown */
	uint32_t directory;  /* that a relative `file` of the address's own line begins in; 0:
			      * unknown */
	uint32_t line;	     /* of the address, or of the call of the next frame */
	uint32_t start_line; /* first line of the function; 0: unknown */
};

/* List the function that holds the address, then the functions inlined there, outermost first.
 * This is slow: call it once for each address.  Returns how many, at least 1; 0 when memory is
 * out. */
size_t namer_frames(struct namer *namer, uint64_t pc, uint32_t generation,
		    struct namer_frame frames[NAMER_FRAMES_MAX]);

/* Returns the address of a function of this machine's running kernel; 0 if it is hidden. */
uint64_t namer_kernel_address(struct namer *namer, const char *name);

/* Computes the offset of an address from the start of its function; false if no function is
 * known. */
bool namer_offset(struct namer *namer, uint64_t pc, uint32_t generation, uint64_t *offset);

/* Returns the text of a name; valid until the next name is made. */
const char *namer_plain(const struct namer *namer, uint32_t name);

/* Returns the name of the module of an address: a file without its directory, "[kernel]_[k]", an
 * interpreted function's module with _[p], or the result of namer_name() for pseudo addresses and
 * where nothing was loaded. */
uint32_t namer_module_name(struct namer *namer, uint64_t pc, uint32_t generation);

/* Returns the symbol, as in its file, that a name was made of; or the name itself if it was not
 * demangled. */
uint32_t namer_symbol(struct namer *namer, uint32_t name);

/* Returns the module of the current spool that a node's address lies in; NULL for addresses of the
 * kernel, pseudo addresses, and addresses where nothing was loaded. */
const struct spool_module *namer_module(const struct namer *namer, uint64_t pc,
					uint32_t generation);

/* Makes a frame's name from a text and an ending; 0 when memory is out. */
uint32_t namer_text(struct namer *namer, const char *text, const char *ending);

#endif
