/*
 * Finds and opens the files that symbols come from, with libdwfl.  Part of symbols.c.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_SYMBOLS_ELF_H
#define RUNTIME_FOLD_SYMBOLS_SYMBOLS_ELF_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/* Open a file as symbols_open() describes.  Returns 0 with *dwfl (to be ended with dwfl_end()) and
 * its one module, whose addresses are those in the file; or -errno. */
int symbols_elf_open(const char *path, const uint8_t *build_id, size_t build_id_bytes, Dwfl **dwfl,
		     Dwfl_Module **module);

/* Like symbols_elf_open(), for the vDSO of this process. */
int symbols_elf_open_vdso(Dwfl **dwfl, Dwfl_Module **module);

#endif
