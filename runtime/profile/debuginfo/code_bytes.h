/*
 * The bytes of functions, read from their ELF file for a disassembler.  The file is hostile input.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_CODE_BYTES_H
#define RUNTIME_PROFILE_DEBUGINFO_CODE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define CODE_BYTES_MOST ((size_t)1 << 20) /* of one function */

struct symbols_elf_file;

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
