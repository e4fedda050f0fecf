/*
 * The process of a spool, as long as it runs: its files are found through /proc, whatever its
 * namespaces.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_LIVE_PROCESS_H
#define RUNTIME_PROFILE_SYMBOLS_LIVE_PROCESS_H

struct spool_header;

/* Returns the process's pid in our namespace; 0 if it has ended or is not visible. */
unsigned live_process_find(const struct spool_header *header);

#endif
