/*
 * Mappings of events, of which each takes a place of the process's (vm.max_map_count, proc(5)); a
 * program with many threads needs the places for their stacks.  So the events of a process take at
 * most a 16th of them.
 */
#ifndef RUNTIME_SAMPLE_PERF_EVENT_MAPPING_H
#define RUNTIME_SAMPLE_PERF_EVENT_MAPPING_H

#include <stddef.h>

/* Map `bytes` of an event, shared.  Returns 0 with *mapping; -EUSERS if the share is used up; or
 * -errno.  Context: thread, signal. */
int event_mapping_make(void **mapping, size_t bytes, int fd);

/* Remove a mapping, if it is not NULL.  Context: thread, signal. */
void event_mapping_remove(void *mapping, size_t bytes);

/* Count none: a child of fork inherits no mapping of an event (VM_DONTCOPY, perf_mmap in
 * kernel/events/core.c).  Context: fork child. */
void event_mapping_forget_all(void);

#endif
