/*
 * Finds symbols in an ELF file by reading its tables: no allocation, no loader.  The file is
 * hostile input: every offset and count is checked.
 */
#ifndef RUNTIME_SAMPLE_ELF_ELF_SYMBOL_H
#define RUNTIME_SAMPLE_ELF_ELF_SYMBOL_H

#include <stdint.h>

struct elf_symbol {
	uint64_t address; /* in the file's addresses: add the object's bias */
	uint64_t offset;  /* its offset in the file; UINT64_MAX if it has none (.bss) */
	uint64_t bytes;	  /* its size; 0: unknown */
};

/* Find a defined data object or function by its (mangled) name, in .symtab or else .dynsym.
 * Returns 0; -ENOENT; -ENOEXEC if the file is not an ELF file of this machine; or -errno of
 * opening.  Context: init, thread. */
int elf_symbol_find(const char *path, const char *name, struct elf_symbol *symbol);

/* Takes a function of `bytes` bytes, more than 0, at an address of the file. */
typedef void elf_symbol_visit(uint64_t address, uint64_t bytes, const char *name, void *context);

/* Visit each function that the file defines, in .symtab or else .dynsym.  `inode` is the file's, or
 * 0 for any: there may be another one by now.  Returns 0; -ESTALE if it is another one; and as
 * above.  Context: any, except our handlers. */
int elf_symbol_each(const char *path, uint64_t inode, elf_symbol_visit *each, void *context);

#endif
