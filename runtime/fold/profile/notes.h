/*
 * What a picture says of itself: the command, how it was sampled, and what is missing.
 */
#ifndef RUNTIME_FOLD_PROFILE_NOTES_H
#define RUNTIME_FOLD_PROFILE_NOTES_H

#include <stddef.h>

#include "config/settings/settings.h"

struct profile;

struct notes {
	char title[512];
	char notes[1024];
	const char *unit; /* what a stack's value counts; static */
};

/* Texts for one counter of a profile. */
void notes_make(struct notes *notes, const struct profile *profile, unsigned counter,
		enum settings_weight weight);

/* Texts for time on and off the processor in one. */
void notes_wall(struct notes *notes, const struct profile *profile);

/* The command line of the first process, cut to fit, unprintable bytes as '?'. */
void notes_command(const struct profile *profile, char *text, size_t bytes);

/* "sigtrap", "sigtrap and timer", … for the engines seen. */
void notes_engines(unsigned engines, char *text, size_t bytes);

/* "every 1234567 ns", "every event" or "999 Hz": how often a counter takes a sample. */
void notes_rate(const struct profile *profile, unsigned counter, char *text, size_t bytes);

#endif
