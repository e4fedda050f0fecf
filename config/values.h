/*
 * The parsers of the settings table, one per kind of value.  Each stores `text` into its own
 * fields of *settings; 0, or -EINVAL with *complaint filled.  Context: any.
 */
#ifndef CONFIG_VALUES_H
#define CONFIG_VALUES_H

#include "config/settings.h"

int values_mode(struct settings *settings, const char *text, struct complaint *complaint);
int values_encoded(struct settings *settings, const char *text, struct complaint *complaint);
int values_events(struct settings *settings, const char *text, struct complaint *complaint);
int values_frequency(struct settings *settings, const char *text, struct complaint *complaint);
int values_period(struct settings *settings, const char *text, struct complaint *complaint);
int values_output(struct settings *settings, const char *text, struct complaint *complaint);
int values_format(struct settings *settings, const char *text, struct complaint *complaint);
int values_weight(struct settings *settings, const char *text, struct complaint *complaint);
int values_threads(struct settings *settings, const char *text, struct complaint *complaint);
int values_kernel(struct settings *settings, const char *text, struct complaint *complaint);
int values_coarse(struct settings *settings, const char *text, struct complaint *complaint);
int values_notify(struct settings *settings, const char *text, struct complaint *complaint);
int values_signal(struct settings *settings, const char *text, struct complaint *complaint);
int values_depth(struct settings *settings, const char *text, struct complaint *complaint);
int values_memory(struct settings *settings, const char *text, struct complaint *complaint);
int values_spool(struct settings *settings, const char *text, struct complaint *complaint);
int values_follow(struct settings *settings, const char *text, struct complaint *complaint);
int values_start(struct settings *settings, const char *text, struct complaint *complaint);
int values_stop(struct settings *settings, const char *text, struct complaint *complaint);
int values_log(struct settings *settings, const char *text, struct complaint *complaint);
int values_inline(struct settings *settings, const char *text, struct complaint *complaint);
int values_lines(struct settings *settings, const char *text, struct complaint *complaint);
int values_off_cpu(struct settings *settings, const char *text, struct complaint *complaint);
int values_wall(struct settings *settings, const char *text, struct complaint *complaint);
int values_strict(struct settings *settings, const char *text, struct complaint *complaint);
int values_runtimes(struct settings *settings, const char *text, struct complaint *complaint);
int values_collect(struct settings *settings, const char *text, struct complaint *complaint);

#endif
