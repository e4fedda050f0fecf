/*
 * Objects that the loader binds past us: a plugin loaded with RTLD_DEEPBIND finds libc's functions
 * before ours.  Its slots for the functions that we interpose are set to ours, as a plain dlopen
 * would have set them.
 */
#ifndef PRELOAD_LIBC_BINDINGS_H
#define PRELOAD_LIBC_BINDINGS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct libc_tables;

/* Remember the objects that are loaded now: they are bound as they should be.  Context: init. */
void bindings_start(void);

/* An object is about to be loaded that may be bound past us.  From now on bindings_look() looks.
 * Context: thread. */
void bindings_expect(void);

/* Set the slots of all objects that were loaded since the last look.  In a namespace with a libc of
 * its own, slots are set to in_space(name) instead of ours, if it is not NULL.  Takes the loader's
 * lock for a moment, as dlsym(3) does.  Context: thread. */
void bindings_look(void *(*in_space)(const char *name));

/* The tables of the libc of the namespace in which the code at an address was loaded; false for the
 * program's own namespace.  Context: thread. */
bool bindings_libc_at(uint64_t address, struct libc_tables *libc);

typedef void bindings_begin(int argc, char **argv);

/* Call begin(argc, argv) as soon as libc can be used, and sampling may begin: now, or when libc's
 * own constructors have run.  The library is linked with -z initfirst: the loader calls its
 * constructor before those of all other objects (_dl_init in elf/dl-init.c, glibc 2.36), so that
 * theirs are sampled, and the threads that they create.  Context: the constructor. */
void bindings_begin_after_libc(bindings_begin *begin, int argc, char **argv);

#endif
