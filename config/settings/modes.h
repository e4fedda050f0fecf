/*
 * Settings that stand for several: FLAMETRAP_OFF_CPU and FLAMETRAP_WALL.
 */
#ifndef CONFIG_SETTINGS_MODES_H
#define CONFIG_SETTINGS_MODES_H

#include <stddef.h>

struct settings;

/* Turn them into events and a weight, when all settings are stored: off-cpu is added to what is
 * counted, and task-clock where nothing is asked for, or where the picture of both sides needs
 * it; weights are events unless a weight was given.  A second call changes nothing.
 * Returns 0; or -EINVAL with `line` filled.  Context: any. */
int modes_apply(struct settings *settings, char *line, size_t bytes);

#endif
