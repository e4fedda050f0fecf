/*
 * What lies where in this process's memory, for page faults: /proc/self/maps as it was at start,
 * and since then the kernel's records of new mappings (perf_event_attr.mmap_data), which come in
 * the ring of the thread that maps, before the first fault it takes there.
 */
#ifndef RUNTIME_SAMPLE_SPOOL_MAPPING_TABLE_H
#define RUNTIME_SAMPLE_SPOOL_MAPPING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct events;
struct perf_event_attr;
struct modules;
struct unwind_stack;

/* Is this an event whose address is told apart by what lies there?  Context: any. */
bool mapping_table_suits(const struct event *event);

/* True if a page fault of ours would be among what is counted: as such, or as a tracepoint.
 * Context: any. */
bool mapping_table_shows_ours(const struct events *events);

/* Have its counter write records of new mappings.  Context: init. */
void mapping_table_prepare(struct perf_event_attr *attr);

/* Read what is mapped now.  Nothing is known before, and nothing of a fork's parent stays.  Files
 * and libraries that faults meet are noted in `modules`, which outlive it.
 * Context: init, fork child. */
void mapping_table_start(struct modules *modules);

/* A mapping of `bytes` at `start` is new; its name is that of PERF_RECORD_MMAP2.
 * Context: signal. */
void mapping_table_note(uint64_t start, uint64_t bytes, const char *name);

/* What a fault of the thread with this stack met, as a frame (SPOOL_PC_REGION, SPOOL_PC_LIBRARY).
 * Context: signal. */
uint64_t mapping_table_frame(const struct unwind_stack *stack, uint64_t address);

#endif
