/*
 * Options that the verbs which read profiles have in common.
 */
#ifndef PRELOAD_LAUNCHER_CHOICE_H
#define PRELOAD_LAUNCHER_CHOICE_H

#include "config/settings.h"

struct choice {
	const char *counter; /* --counter NAME; NULL: not given */
	enum settings_weight weight;
	enum settings_threads threads;
	unsigned rows; /* --rows N; 0: all */
	int status;    /* to exit with, where choice_read says so */
};

/* Read the options of a verb that needs at least one file.  Returns the index of the first; or
 * -1 with choice->status set, after usage or a complaint was printed. */
int choice_read(struct choice *choice, int argc, char **argv, const char *usage);

/* Print one line on standard error. */
void choice_warn(const char *line);

#endif
