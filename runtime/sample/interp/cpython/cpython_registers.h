/*
 * The general registers of interrupted code.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_REGISTERS_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

#if defined(__aarch64__)
#define CPYTHON_REGISTERS 31
#else
#define CPYTHON_REGISTERS 15
#endif

/* Get all that may hold an address.  Context: signal. */
void cpython_registers(const ucontext_t *context, uint64_t *registers);

#endif
