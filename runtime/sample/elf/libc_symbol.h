/*
 * Symbols of libc and the loader themselves, even if another object defines the same names.
 */
#ifndef RUNTIME_SAMPLE_ELF_LIBC_SYMBOL_H
#define RUNTIME_SAMPLE_ELF_LIBC_SYMBOL_H

/* Returns the address of the symbol that libc or ld.so exports under this name; NULL if neither
 * does.  Context: init. */
void *libc_symbol(const char *name);

#endif
