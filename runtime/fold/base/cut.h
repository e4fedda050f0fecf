/*
 * Files that are cut while they are mapped: a program that is built anew while it is read, or a
 * module that another user made.
 */
#ifndef RUNTIME_FOLD_BASE_CUT_H
#define RUNTIME_FOLD_BASE_CUT_H

#include <stdbool.h>

/* From now on what is gone from a mapped file reads as zeros, where the kernel would end the
 * process by SIGBUS.  Calls after the first do nothing. */
void cut_guard(void);

/* True once after something was gone. */
bool cut_happened(void);

#endif
