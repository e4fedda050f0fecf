/*
 * Where CPython 3.12 and later keep a thread's state while it holds the interpreter's lock: in a
 * thread-local variable, whose place only their code knows.  It is never asked for by a call, which
 * could allocate it.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_TLS_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_TLS_H

#include <stdbool.h>
#include <stdint.h>

#define CPYTHON_TLS_CODE 48 /* bytes of code that are decoded */

enum cpython_tls_kind {
	CPYTHON_TLS_UNKNOWN,
	CPYTHON_TLS_OFFSET,   /* from the thread pointer */
	CPYTHON_TLS_SLOT,     /* a word holds that offset */
	CPYTHON_TLS_INDEX,    /* two words hold the module's number and the offset in its block */
	CPYTHON_TLS_ARGUMENT, /* two words hold a resolver, and what may be the offset */
};

struct cpython_tls {
	enum cpython_tls_kind kind;
	uint64_t address; /* of the words */
	int64_t offset;	  /* to add, but with CPYTHON_TLS_OFFSET the whole */
};

/* Decode a function at `address` that returns the variable's value.  Context: any. */
void cpython_tls_decode(const uint8_t code[CPYTHON_TLS_CODE], uint64_t address,
			struct cpython_tls *tls);

/* Get the variable's offset from the thread pointer, the same in all threads.  False: it is not the
 * same, or not known.  Reads by memory_copy().  Context: any. */
bool cpython_tls_offset(const struct cpython_tls *tls, int64_t *offset);

#endif
