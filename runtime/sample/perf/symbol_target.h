/*
 * From the names of places to addresses: symbols that are watched, functions that are probed.
 */
#ifndef RUNTIME_SAMPLE_PERF_SYMBOL_TARGET_H
#define RUNTIME_SAMPLE_PERF_SYMBOL_TARGET_H

struct event;

/* Find what an event names and fill in what perf_event_attr(2) wants: bp_addr, or config1 and
 * config2 of a probe, which lead into *event: it must not move afterwards.  Does nothing for
 * other events.  `executable` is the path of the program.
 * Returns 0; -ESPIPE if no loaded object has the symbol; or -errno of reading the probed file.
 * Context: init (takes the loader's lock). */
int symbol_target_find(struct event *event, const char *executable);

#endif
