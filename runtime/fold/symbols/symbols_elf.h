/*
 * Finding and opening the files that symbols come from, by libdwfl.  Part of symbols.c.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_SYMBOLS_ELF_H
#define RUNTIME_FOLD_SYMBOLS_SYMBOLS_ELF_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/* Open as symbols_open says.  Returns 0 with *dwfl (to be ended by dwfl_end) and its one
 * module, whose addresses are those in the file; or -errno. */
int symbols_elf_open(const char *path, const uint8_t *build_id, size_t build_id_bytes, Dwfl **dwfl,
		     Dwfl_Module **module);

/* The same for the vDSO of this process. */
int symbols_elf_open_vdso(Dwfl **dwfl, Dwfl_Module **module);

#endif
