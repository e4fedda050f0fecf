/*
 * Resolves the names in events to addresses: symbols to watch and functions to probe.
 */
#ifndef RUNTIME_SAMPLE_PLAN_SYMBOL_TARGET_H
#define RUNTIME_SAMPLE_PLAN_SYMBOL_TARGET_H

struct event;

/* Resolves the symbol or path of an event and fills in the fields for perf_event_open(2): bp_addr,
 * or config1 and config2 of a probe.  config1 points into *event, which must not move afterwards.
 * Does nothing for other events.  `executable` is the path of the program.
 * Returns 0; -ESPIPE if no loaded object has the symbol; or -errno if the probed file cannot be
 * read.  Context: init (takes the loader's lock). */
int symbol_target_find(struct event *event, const char *executable);

#endif
