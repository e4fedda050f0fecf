/*
 * The functions that event strings need to read sysfs and tracefs by ordinary file calls, and a
 * processor's own names by libpfm4.
 */
#ifndef RUNTIME_COMMAND_INSPECT_SYSFS_H
#define RUNTIME_COMMAND_INSPECT_SYSFS_H

/* Register the functions with config/ (config/events/lookup.h).  Call once, before any event string
 * is read. */
void sysfs_lend(void);

#endif
