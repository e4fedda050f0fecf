/*
 * The moment at which sampling may begin.  The library is linked with -z initfirst: the loader
 * calls its constructor before those of all other objects (_dl_init in elf/dl-init.c, glibc 2.36),
 * so that theirs are sampled, and the threads that they create.
 */
#ifndef PRELOAD_PROCESS_AFTER_LIBC_H
#define PRELOAD_PROCESS_AFTER_LIBC_H

typedef void after_libc_begin(int argc, char **argv);

/* Call begin(argc, argv) as soon as libc can be used, which is now or when libc's own constructors
 * have run.  Context: the constructor. */
void after_libc_call(after_libc_begin *begin, int argc, char **argv);

#endif
