/*
 * The command's eyes for event strings: sysfs and tracefs by ordinary file calls, a processor's
 * own names by libpfm4.
 */
#ifndef PRELOAD_LAUNCHER_SYSFS_H
#define PRELOAD_LAUNCHER_SYSFS_H

/* Lend them to config/ (config/lookup.h).  Call once, before any event string is read. */
void sysfs_lend(void);

#endif
