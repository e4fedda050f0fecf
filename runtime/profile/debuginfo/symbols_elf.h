/* Finds and opens the files that symbols come from, with libdwfl.  Part of symbols.c. */
#ifndef RUNTIME_PROFILE_DEBUGINFO_SYMBOLS_ELF_H
#define RUNTIME_PROFILE_DEBUGINFO_SYMBOLS_ELF_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
