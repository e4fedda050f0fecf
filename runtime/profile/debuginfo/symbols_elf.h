/*
 * Part of symbols.c: finds and opens the files that symbols come from, with libdwfl, and reads in
 * them what is in no symbol table.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_SYMBOLS_ELF_H
#define RUNTIME_PROFILE_DEBUGINFO_SYMBOLS_ELF_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/base/ranges.h"
#include "runtime/spool/format.h"

/* A file and how it is recognised: by its build ID, or without one by what is known of it. */
struct symbols_elf_file {
	const char *path; /* NULL: the vDSO of this process */
	const uint8_t *build_id;
	size_t build_id_bytes;	  /* 0: there is none */
	struct spool_mapped same; /* all zeroes: any file will do */
};

/* Open a file as symbols_open() describes.  Returns 0 with *dwfl (to be ended with dwfl_end()) and
 * its one module, whose addresses are those in the file; or -errno. */
int symbols_elf_open(const struct symbols_elf_file *file, Dwfl **dwfl, Dwfl_Module **module);

/* Unpack .gnu_debugdata (symbols that distributions leave in stripped files, packed by xz) of a
 * file that has no better symbols, to see that libdw can.  If it is damaged or unpacks to more than
 * any compiler makes, it is hidden from libdw, which would unpack it into memory whatever its size.
 * Returns NULL, or what is wrong with it, to follow the file's name. */
const char *mini_debug_check(Elf *elf);

/* Call `found` for each stub of an x86-64 file through which it calls a function of another file,
 * with its first address (in the file's address space), its size and the name of its target, which
 * is valid during the call.  For files of other machines no stub is found.  Returns 0, -ENOMEM, or
 * the first result of `found` that is not 0. */
int plt_read(Elf *elf, int (*found)(void *context, uint64_t start, uint64_t size, const char *name),
	     void *context);

/* Add the range of every function that .eh_frame of a 64-bit ELF file describes, which a stripped
 * file still has, in the file's own addresses, and build the table.  Reading stops at a damaged
 * entry. Returns 0 (also without .eh_frame) or -ENOMEM. */
int unwind_table_read(Elf *elf, struct ranges *ranges);

#define CODE_BYTES_MOST ((size_t)1 << 20) /* of one function */

struct code_bytes {
	uint8_t *bytes; /* allocated */
	size_t count;
	uint16_t machine; /* EM_X86_64 and so on: elf.h */
};

/* Read the code from `start` up to `end`, which are the file's own addresses.  The code ends at the
 * end of its section, and after CODE_BYTES_MOST bytes.  Returns 0 with *code, whose `bytes` the
 * caller frees; -ESTALE if the file has another build ID; -ENODATA if it has no code there, as a
 * separate debug file has none; or -errno. */
int code_bytes_read(const struct symbols_elf_file *file, uint64_t start, uint64_t end,
		    struct code_bytes *code);

#endif
