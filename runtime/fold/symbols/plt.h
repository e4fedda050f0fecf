/*
 * Names for the stubs through which a file calls functions of other files: "malloc@plt".
 */
#ifndef RUNTIME_FOLD_SYMBOLS_PLT_H
#define RUNTIME_FOLD_SYMBOLS_PLT_H

#include <libelf.h>
#include <stdint.h>

/* Tell `found` each stub of an x86-64 file: its first address (the file's own), its size and the
 * name of what it jumps to, valid during the call.  Files of other machines have none that we
 * know.  Returns 0, or -ENOMEM, or the first result of `found` that is not 0. */
int plt_read(Elf *elf, int (*found)(void *context, uint64_t start, uint64_t size, const char *name),
	     void *context);

#endif
