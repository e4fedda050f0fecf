/*
 * Symbols of libc and the loader themselves, whoever else defines their names.
 */
#ifndef RUNTIME_SAMPLE_ELF_LIBC_SYMBOL_H
#define RUNTIME_SAMPLE_ELF_LIBC_SYMBOL_H

/* The address of what libc or ld.so exports under this name; NULL if none does.  Context: init. */
void *libc_symbol(const char *name);

#endif
