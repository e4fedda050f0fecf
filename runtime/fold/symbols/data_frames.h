/*
 * Names of leaves that are no code: the data that a watched access met, and where in the memory
 * hierarchy a sampled access was served (SPOOL_PC_DATA, SPOOL_PC_MEMORY).
 */
#ifndef RUNTIME_FOLD_SYMBOLS_DATA_FRAMES_H
#define RUNTIME_FOLD_SYMBOLS_DATA_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_module;

/* Is this the pc of such a leaf?  If it is one of data, *address is the data's. */
bool data_frame_is(uint64_t pc);
bool data_frame_address(uint64_t pc, uint64_t *address);

/* Has it a module (of the data's, or the mapped file's own)?  *address is one that lies in it. */
bool data_frame_in_module(uint64_t pc, uint64_t *address);

/* "[data libz.so.1+0x4040]", "[data 0x7ffe1000]", "[load L1 hit]", "[stack]", "[file passwd]";
 * `base` is the file name of the module, or NULL. */
void data_frame_text(uint64_t pc, const struct spool_module *module, const char *base, char *text,
		     size_t bytes);

#endif
