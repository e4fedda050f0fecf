/*
 * Was this program started inside a sandbox (seccomp(2)) that kills for a call of ours?
 */
#ifndef PRELOAD_SANDBOX_H
#define PRELOAD_SANDBOX_H

#include <stdbool.h>

/* True if a child of ours, which made each of our system calls in vain, was killed for one.
 * Makes one only where there is a filter at all.  Context: init. */
bool sandbox_kills(void);

#endif
