/* Names for the stubs through which a file calls functions of other files: "malloc@plt". */
#ifndef RUNTIME_PROFILE_DEBUGINFO_PLT_H
#define RUNTIME_PROFILE_DEBUGINFO_PLT_H

#include <libelf.h>
#include <stdint.h>

/* Call `found` for each stub of an x86-64 file, with its first address (in the file's address
 * space), its size and the name of its target, which is valid during the call.  For files of other
 * machines no stub is found.  Returns 0, -ENOMEM, or the first result of `found` that is not 0. */
int plt_read(Elf *elf, int (*found)(void *context, uint64_t start, uint64_t size, const char *name),
	     void *context);

#endif
