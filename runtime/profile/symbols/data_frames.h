/*
 * Names of leaves that are no code: the data that a watched access touched, and the level of the
 * memory hierarchy that served a sampled access (SPOOL_PC_DATA, SPOOL_PC_MEMORY).
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_DATA_FRAMES_H
#define RUNTIME_PROFILE_SYMBOLS_DATA_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_module;
struct symbols;

/* Returns whether this is the pc of such a leaf.  data_frame_address() returns true for a leaf of
 * data, with the data's address in *address. */
bool data_frame_is(uint64_t pc);
bool data_frame_address(uint64_t pc, uint64_t *address);

/* Returns true if the leaf belongs to a module (that of the data, or the mapped file itself);
 * *address then lies in it. */
bool data_frame_in_module(uint64_t pc, uint64_t *address);

/* Writes the leaf's name: "[data account+0x10]", "[data libz.so.1+0x4040]", "[data 0x7ffe1000]",
 * "[load L1 hit]", "[stack]", "[file passwd]".  The module of the data and its symbols may be NULL.
 */
void data_frame_text(uint64_t pc, const struct spool_module *module, const struct symbols *symbols,
		     char *text, size_t bytes);

/* Returns whether data_frame_text() made that text. */
bool data_frame_is_text(const char *text);

#endif
