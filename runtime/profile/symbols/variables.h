/*
 * Variables of an ELF file: the symbols of its data.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_VARIABLES_H
#define RUNTIME_PROFILE_SYMBOLS_VARIABLES_H

#include <stdint.h>

struct symbols_elf_file;

/* Returns the variable in which an address of the file lies, demangled, with the offset in it
 * unless it is its first byte: "account", "account+0x10".  To be freed; NULL: none is known.  Reads
 * all symbols of the file. */
char *variables_find(const struct symbols_elf_file *file, uint64_t address);

#endif
