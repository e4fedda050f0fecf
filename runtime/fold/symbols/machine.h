/*
 * The code of this machine: the symbols of its files and of its kernel.  Reading them takes far
 * longer than everything else, so profiles that are written together share them.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_MACHINE_H
#define RUNTIME_FOLD_SYMBOLS_MACHINE_H

struct files;
struct kernel;
struct machine;

/* `warn`, if not NULL, is called once for each file whose symbols do not match the sampled code.
 * Returns NULL when memory is out.  Free with machine_free(). */
struct machine *machine_new(void (*warn)(const char *line));
void machine_free(struct machine *machine);

/* Owned by the machine. */
struct files *machine_files(struct machine *machine);

/* The kernel's symbols are read at the first call.  Returns NULL when memory is out. */
struct kernel *machine_kernel(struct machine *machine);

#endif
