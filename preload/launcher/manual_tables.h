/*
 * The table of each verb, for manual.c alone.
 */
#ifndef PRELOAD_LAUNCHER_MANUAL_TABLES_H
#define PRELOAD_LAUNCHER_MANUAL_TABLES_H

#include "preload/launcher/manual.h"

#define MANUAL_STATUS_READ                                                                         \
	"0; 1 if a file cannot be read or written, though what the others hold is printed; 2 for " \
	"wrong usage."

extern const struct manual manual_run;
extern const struct manual manual_watch;
extern const struct manual manual_report;
extern const struct manual manual_graph;
extern const struct manual manual_fold;
extern const struct manual manual_diff;
extern const struct manual manual_list;
extern const struct manual manual_start;
extern const struct manual manual_stop;
extern const struct manual manual_recover;
extern const struct manual manual_events;
extern const struct manual manual_doctor;
extern const struct manual manual_help;

#endif
