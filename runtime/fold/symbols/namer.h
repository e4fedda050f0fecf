/*
 * Turns the addresses of one process after another into names of frames, as numbers of
 * string_table.h.  What is learnt of a file serves all processes; nothing is looked up twice.
 *
 * Names: a function's; `name_[k]` in the kernel and `name_[j]` from a JIT's map;
 * `module@0xSTART` for a function whose start only is known; `[module]`, `[kernel]_[k]` and
 * `[unknown]` where not even that; `[truncated]` and the like for pseudo addresses.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_NAMER_H
#define RUNTIME_FOLD_SYMBOLS_NAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct string_table;
struct namer;
struct spool_module;
struct spool_read;

#define NAMER_FRAMES_MAX 64
#define NAMER_OURS	 UINT32_MAX /* code of flametrap's own: no frame at all */

/* `demangle`: names as in the source; `tidy`: without endings of the compiler's copies.
 * NULL when memory is out.  Free with namer_free, before names and machine. */
struct namer *namer_new(struct string_table *strings, struct machine *machine, bool demangle,
			bool tidy);
void namer_free(struct namer *namer);

/* Addresses to come are those of this spool, which must live until namer_end.
 * Returns 0 or -ENOMEM. */
int namer_begin(struct namer *namer, const struct spool_read *spool);
void namer_end(struct namer *namer);

/* The name of a node's address and generation; NAMER_OURS; or 0 when memory is out. */
uint32_t namer_name(struct namer *namer, uint64_t pc, uint32_t generation);

/* What debug information says of an address: one frame of it. */
struct namer_frame {
	uint32_t name;	     /* the first is what namer_name returns; the others are of functions */
	uint32_t file;	     /* with its directory, a string_table number; 0: unknown */
	uint32_t line;	     /* where the address, or the call of the next frame, stands */
	uint32_t start_line; /* of the function; 0: unknown */
};

/* The function that holds the address, then those inlined there, outermost first.  Takes time:
 * for each address once.  Returns how many, at least 1; 0 when memory is out. */
size_t namer_frames(struct namer *namer, uint64_t pc, uint32_t generation,
		    struct namer_frame frames[NAMER_FRAMES_MAX]);

/* The address of a function of this machine's running kernel; 0 where it is hidden. */
uint64_t namer_kernel_address(struct namer *namer, const char *name);

/* How far behind the start of its function an address lies; false where no function is known. */
bool namer_offset(struct namer *namer, uint64_t pc, uint32_t generation, uint64_t *offset);

/* The text of a name; valid until the next one is made. */
const char *namer_plain(const struct namer *namer, uint32_t name);

/* The name of the module it lies in instead: a file's without its directory, "[kernel]_[k]", or
 * what namer_name returns for pseudo addresses and where nothing was loaded. */
uint32_t namer_module_name(struct namer *namer, uint64_t pc, uint32_t generation);

/* The symbol, as its file has it, that a name was made of; the name itself if it is no
 * demangled one. */
uint32_t namer_symbol(struct namer *namer, uint32_t name);

/* The module of the current spool that a node's address lies in; NULL for addresses of the
 * kernel, pseudo addresses, and where nothing was loaded. */
const struct spool_module *namer_module(const struct namer *namer, uint64_t pc,
					uint32_t generation);

/* A text made fit to be a frame's name, with an ending; 0 when memory is out. */
uint32_t namer_text(struct namer *namer, const char *text, const char *ending);

#endif
