/*
 * The command's eyes for event strings: sysfs and tracefs by ordinary file calls, a processor's
 * own names by libpfm4.
 */
#ifndef RUNTIME_COMMAND_INSPECT_SYSFS_H
#define RUNTIME_COMMAND_INSPECT_SYSFS_H

/* Lend them to config/ (config/events/lookup.h).  Call once, before any event string is read. */
void sysfs_lend(void);

#endif
