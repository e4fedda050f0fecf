/*
 * Options that stand for several settings.
 */
#ifndef PRELOAD_LAUNCHER_MODES_H
#define PRELOAD_LAUNCHER_MODES_H

struct environment;
struct options;

/* Turn --off-cpu and --wall into FLAMETRAP_EVENTS and FLAMETRAP_WEIGHT of an environment that has
 * the other options already: off-cpu is added to what is counted, and task-clock where nothing
 * is, or where --wall needs it; weights are events unless a weight was asked for.  A list that
 * cannot be read stays as it is, for whoever reads it to say so.  Returns 0 or -ENOMEM. */
int modes_apply(const struct options *options, struct environment *environment);

#endif
