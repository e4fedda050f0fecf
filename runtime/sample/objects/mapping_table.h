/*
 * The mappings of this process, for page faults.  They come from /proc/self/maps at the start, and
 * later from the kernel's records of new mappings (perf_event_attr.mmap_data).  Such a record
 * arrives in the ring of the thread that maps, before its first fault there.
 */
#ifndef RUNTIME_SAMPLE_OBJECTS_MAPPING_TABLE_H
#define RUNTIME_SAMPLE_OBJECTS_MAPPING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define MAPPING_TABLE_MAX   4096 /* mappings that are known at once; others are unknown */
#define MAPPING_TABLE_FILES 256	 /* files with a name each; others share a frame without one */

struct event;
struct events;
struct perf_event_attr;
struct modules;
struct unwind_stack;

/* True if samples of this event are distinguished by the mapping at their address.  Context:
 * any. */
bool mapping_table_suits(const struct event *event);

/* True if the event would also count our own page faults, as such or as a tracepoint.  Context:
 * any. */
bool mapping_table_shows_ours(const struct events *events);

/* Make the event's counter write records of new mappings.  Context: init. */
void mapping_table_prepare(struct perf_event_attr *attr);

/* Read the present mappings.  The table is empty before, and nothing of a fork's parent stays.
 * Files and libraries in which faults occur are noted in `modules`, which outlives it.  Context:
 * init, fork child. */
void mapping_table_start(struct modules *modules);

/* Add a new mapping of `bytes` at `start`; its name is that of PERF_RECORD_MMAP2.  Context:
 * signal. */
void mapping_table_note(uint64_t start, uint64_t bytes, const char *name);

/* Returns the frame of a fault's mapping (SPOOL_PC_REGION, SPOOL_PC_LIBRARY), for a thread with
 * this stack.  Context: signal. */
uint64_t mapping_table_frame(const struct unwind_stack *stack, uint64_t address);

#endif
