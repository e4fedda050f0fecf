/*
 * The code of this machine: the symbols of its files and of its kernel.  Reading them takes far
 * longer than everything else, so profiles that are written together share them.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_MACHINE_H
#define RUNTIME_PROFILE_SYMBOLS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;
struct machine;
struct source;
struct spool_header;
struct spool_module;
struct symbols;

/* `warn`, if not NULL, is called once for each file whose symbols do not match the sampled code.
 * Returns NULL when memory is out.  Free with machine_free(). */
struct machine *machine_new(void (*warn)(const char *line));
void machine_free(struct machine *machine);

/* Returns the kernel's symbols, which are read at the first call; NULL when memory is out. */
struct kernel *machine_kernel(struct machine *machine);

/* The next modules are of that spool: as long as its process runs, files that are not found, or are
 * other ones here, are searched for in its root directory. */
void machine_begin(struct machine *machine, const struct spool_header *header);

/* Open a module's file, if it is not open yet.  Returns the file's number; *symbols are its
 * symbols, owned by the machine, or NULL if there are none.  same_kernel says whether the module
 * was sampled under the running kernel of this machine, whose vDSO is then known. */
uint32_t machine_open(struct machine *machine, const struct spool_module *module, bool same_kernel,
		      struct symbols **symbols);

/* True if another file than the sampled one has the path of the file with that number, so that it
 * has no symbols; false for 0. */
bool machine_is_changed(const struct machine *machine, uint32_t file);

/* Returns the lines and inlined functions of a file that machine_open() opened; NULL if it has
 * none.  The result is valid until the next call, since only a limited number is kept open. */
struct source *machine_source(struct machine *machine, struct symbols *symbols);

#endif
