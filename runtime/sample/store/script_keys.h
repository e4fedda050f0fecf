/*
 * The addresses at which functions of interpreters were met.  Any thread may look one up without a
 * lock while another adds one.
 */
#ifndef RUNTIME_SAMPLE_STORE_SCRIPT_KEYS_H
#define RUNTIME_SAMPLE_STORE_SCRIPT_KEYS_H

#include <stdint.h>

#include "runtime/sample/store/script_new.h"

#define SCRIPT_KEYS_MAX 65536 /* when there are so many, all are forgotten */

/* Forget all and return the memory.  Context: init, fork child. */
void script_keys_start(void);

/* Returns the number kept for a key; 0: none.  Context: any. */
uint32_t script_keys_find(const struct code_key *key);

/* Keep a number that is not 0 for a key that is not kept.  Without memory for it, the key is not
 * found later.  Context: any, one caller at a time. */
void script_keys_add(const struct code_key *key, uint32_t number);

#endif
