/* Signals by name and number, for FLAMETRAP_SIGNAL and for messages. */
#ifndef CONFIG_SETTINGS_SIGNALS_H
#define CONFIG_SETTINGS_SIGNALS_H

#include <stddef.h>

#include "config/text/scan.h"

/* Parse "USR2", "SIGUSR2", "RTMIN+3", "RTMAX-1" or a number, and refuse signals that cannot
 * carry an overflow.  Returns 0, or -EINVAL with *complaint filled.  Context: any. */
int signals_parse(int *number, const char *text, struct complaint *complaint);

/* Write the name of a signal: "SIGUSR2", "SIGRTMIN+3" or "signal 99".  Context: any. */
void signals_name(int number, char *out, size_t bytes);

#endif
