/*
 * Appends functions of interpreters, labels, and their texts to the spool.  All calls are for the
 * holder of the code table's lock.
 */
#ifndef RUNTIME_SAMPLE_STORE_SCRIPT_STORE_H
#define RUNTIME_SAMPLE_STORE_SCRIPT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_code.h"
#include "runtime/spool/format_log.h"

struct spool_alloc;

/* Begin with the empty lists of a new spool.  Context: init, fork child. */
void script_store_start(struct spool_alloc *spool);

/* True while so much of the spool is free for functions that long texts may be stored, such as
 * tables of lines.  Context: any; likewise the others. */
bool script_store_is_roomy(void);

/* True once functions have used up their share of the spool, or their numbers: what finds no room
 * then never will.  Before, the spool may only be unable to grow for a time. */
bool script_store_is_full(void);

/* Store a text and refer to it.  Texts of the same bytes may share them; `hash` is one of the bytes
 * that identifies them.  False, and *text unchanged: no room. */
bool script_store_text(const char *bytes, size_t count, uint64_t hash, struct spool_text *text);

/* Publish a function whose texts are stored.  Returns its number; 0: no room. */
uint32_t script_store_code(const struct spool_code *code);

/* Publish a label whose texts are stored.  Returns its number; 0: no room. */
uint32_t script_store_label(const struct spool_label *label);

#endif
