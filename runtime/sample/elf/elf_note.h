/*
 * The build-id of an object, read from its memory.
 */
#ifndef RUNTIME_SAMPLE_ELF_ELF_NOTE_H
#define RUNTIME_SAMPLE_ELF_ELF_NOTE_H

#include <stdint.h>

#include "runtime/spool/format.h"

/* Copy the build-id of the object mapped at [start, end) with the given bias.  The mapping must
 * begin with the ELF header.  Memory that was unmapped meanwhile does not fault: there is no
 * build-id then.  Nothing is read from the kernel's half of the address space.  Returns its number
 * of bytes; 0 if there is none: then *head_sum is file_head_sum() of the first page, or 0 if that
 * may differ from the file's.  Context: any, one caller at a time. */
uint32_t elf_note_build_id(uint64_t start, uint64_t end, uint64_t bias,
			   uint8_t id[SPOOL_BUILD_ID_MAX], uint64_t *head_sum);

#endif
