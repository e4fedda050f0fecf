/*
 * Protects the command against files that become shorter while they are mapped: a program that is
 * rebuilt while the command reads it, or a module that another user made.
 */
#ifndef RUNTIME_PROFILE_BASE_SIGBUS_GUARD_H
#define RUNTIME_PROFILE_BASE_SIGBUS_GUARD_H

#include <stdbool.h>

/* Install a SIGBUS handler.  From now on the missing part of a mapped file reads as zeros instead
 * of ending the process with SIGBUS.  Later calls do nothing. */
void sigbus_guard(void);

/* Returns true once after a missing part was read. */
bool sigbus_happened(void);

#endif
