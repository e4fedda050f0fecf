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

/* Keep others from adding functions, so that the caller may use script_store.h.  Waits for 2 s at
 * most, with all signals blocked: a handler of the same thread would wait for it in vain; if not
 * `patiently`, much less (runtime/sample/sys/bounded_wait.h).  Returns false if another thread has
 * it still.  Context: thread; signal, not patiently. */
bool script_table_lock(bool patiently);
void script_table_unlock(void);

/* Returns the hash of a text for script_store_text().  Context: any. */
uint64_t script_table_hash(const char *bytes, size_t count);

#endif
