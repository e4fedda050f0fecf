/*
 * What the machine did beside the runs, and how it chooses its clock.
 */
#ifndef RUNTIME_COMMAND_AB_MACHINE_LOAD_H
#define RUNTIME_COMMAND_AB_MACHINE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the time that all processors together were busy since the machine started, ours and that
 * of other guests of its host included; 0 if the kernel does not tell. */
uint64_t machine_load_busy_ns(void);

/* Write the name of the first processor's frequency governor.  Returns false if there is none, or
 * if it holds the frequency as far as it can ("performance"). */
bool machine_load_governor(char *name, size_t bytes);

#endif
