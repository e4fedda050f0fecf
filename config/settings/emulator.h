/*
 * Emulators that run a program of another processor, and hand it their own environment.  Its loader
 * would complain about a library in LD_PRELOAD that it cannot load.
 */
#ifndef CONFIG_SETTINGS_EMULATOR_H
#define CONFIG_SETTINGS_EMULATOR_H

#include <stdbool.h>

/* True if the program at this path is known as one, by its name.  Context: any. */
bool emulator_is(const char *path);

#endif
