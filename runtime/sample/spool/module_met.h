/*
 * Where samples met code that is in no object, in blocks of addresses.  Each block is asked about
 * once, so that a program that makes code, runs it and unmaps it for ever has its mappings read a
 * few times only.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_MODULE_MET_H
#define RUNTIME_SAMPLE_SPOOL_MODULE_MET_H

#include <stdbool.h>
#include <stdint.h>

/* Nothing was met.  Context: init, fork child. */
void module_met_start(void);

/* A sample met an address that is in no object.  Context: signal. */
void module_met_add(uint64_t pc);

/* True if a sample met such memory in or near [start, end), and nobody has looked yet what it is.
 * Context: any. */
bool module_met_is_near(uint64_t start, uint64_t end);

/* All that was met until now is being looked at.  Context: one caller at a time. */
void module_met_ask(void);

#endif
