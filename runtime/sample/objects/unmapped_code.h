/*
 * Records where samples met code in no object, in blocks of addresses.  Each block is looked up
 * once.  So if a program keeps making code, running it and unmapping it, its mappings are read only
 * a few times.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_UNMAPPED_CODE_H
#define RUNTIME_SAMPLE_OBJECTS_UNMAPPED_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Forget all.  Context: init, fork child. */
void unmapped_code_start(void);

/* Record an address in no object that a sample met.  Context: signal. */
void unmapped_code_add(uint64_t pc);

/* True if a sample met such memory in or near [start, end) and it has not been looked up yet.
 * Context: any. */
bool unmapped_code_is_near(uint64_t start, uint64_t end);

/* Mark all blocks recorded until now as looked up.  Context: one caller at a time. */
void unmapped_code_ask(void);

/* True if any code was met, asked about or not.  Context: any. */
bool unmapped_code_is_any(void);

#endif
