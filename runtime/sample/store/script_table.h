/*
 * The functions of interpreters that samples met, each of them once in the spool
 * (runtime/spool/format_code.h).  A function is found again by its address and a fingerprint of
 * what is there, because interpreters reuse addresses.  A function that is made again, elsewhere or
 * at the same address, is the one that it was: the spool grows with the program's text, not with
 * time.
 */
#ifndef RUNTIME_SAMPLE_STORE_SCRIPT_TABLE_H
#define RUNTIME_SAMPLE_STORE_SCRIPT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sample/store/script_new.h"
#include "runtime/spool/format_code.h"
#include "runtime/spool/format_log.h"

struct spool_alloc;

/* Forget all: a new spool begins.  Context: init, fork child. */
void script_table_start(struct spool_alloc *spool);

/* Returns the number of a function, or 0 if it is not known.  No lock, no system call.
 * Context: signal. */
uint32_t script_table_find(const struct code_key *key);

/* Copy a new function into the spool; its texts are read by memory_copy(), cut to bounds, and need
 * not be readable.  Returns its number; 0 if another thread is adding one or if the spool cannot
 * grow now (try again with the next sample), if its name cannot be read, or if functions have used
 * up their share of the spool.  Context: signal. */
uint32_t script_table_add(const struct code_key *key, const struct script_new *code);

/* Keep others from adding functions, so that the caller may use script_store_*().  Waits for 2 s at
 * most, with all signals blocked: a handler of the same thread would wait for it in vain; if not
 * `patiently`, much less (runtime/sample/sys/lock.h).  Returns false if another thread has
 * it still.  Context: thread; signal, not patiently. */
bool script_table_lock(bool patiently);
void script_table_unlock(void);

/* Returns the hash of a text for script_store_text().  Context: any. */
uint64_t script_table_hash(const char *bytes, size_t count);

/* script_store.c appends functions, labels, and their texts to the spool, for the holder of that
 * lock.  Begin with the empty lists of a new spool.  Context: init, fork child. */
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

#define SCRIPT_KEYS_MAX 65536 /* when there are so many, all are forgotten */

/* script_keys.c has the addresses at which functions were met: any thread may look one up without a
 * lock while another adds one.  Forget all and return the memory.  Context: init, fork child. */
void script_keys_start(void);

/* Returns the number kept for a key; 0: none.  Context: any. */
uint32_t script_keys_find(const struct code_key *key);

/* Keep a number that is not 0 for a key that is not kept.  Without memory for it, the key is not
 * found later.  Context: any, one caller at a time. */
void script_keys_add(const struct code_key *key, uint32_t number);

#endif
