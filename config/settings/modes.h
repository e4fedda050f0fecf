/*
 * Settings that stand for several others: FLAMETRAP_OFF_CPU and FLAMETRAP_WALL.
 */
#ifndef CONFIG_SETTINGS_MODES_H
#define CONFIG_SETTINGS_MODES_H

#include <stddef.h>

struct settings;

/* Turn them into events and a weight after all settings are stored.  off-cpu is added to the
 * events.  task-clock is added if the user named no event, or if the graph of both sides needs
 * it.  Weights become events unless the user gave a weight.  A second call changes nothing.
 * Returns 0, or -EINVAL with `line` filled.  Context: any. */
int modes_apply(struct settings *settings, char *line, size_t bytes);

#endif
