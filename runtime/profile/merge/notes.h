/* Texts of a picture about its profile: the command, how it was sampled, and what is missing. */
#ifndef RUNTIME_PROFILE_MERGE_NOTES_H
#define RUNTIME_PROFILE_MERGE_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"

struct profile;

struct notes {
	char title[512];
	char notes[1024];
	const char *unit; /* the unit of a stack's value; static */
};

/* Make the texts for one counter of a profile. */
void notes_make(struct notes *notes, const struct profile *profile, unsigned counter,
		enum settings_weight weight);

/* Make the texts for a tree of time on and off the CPU. */
void notes_wall(struct notes *notes, const struct profile *profile);

/* Write the command line of the first process, cut to fit, unprintable bytes as '?'. */
void notes_command(const struct profile *profile, char *text, size_t bytes);

/* Write the engines used: "sigtrap", "sigtrap and timer", …. */
void notes_engines(unsigned engines, char *text, size_t bytes);

/* Write which part of an interpreter's stacks lacks the functions of the program, and why.  Returns
 * false, and writes nothing, if that part is small. */
bool notes_interpreted(const struct profile *profile, char *text, size_t bytes);

/* Write how much CPU time lies before sampling.  Returns false, and writes nothing, if it is none,
 * or not known. */
bool notes_before(const struct profile *profile, char *text, size_t bytes);

/* Write how often a counter takes a sample: "every 1234567 ns", "every event" or "999 Hz". */
void notes_rate(const struct profile *profile, unsigned counter, char *text, size_t bytes);

/* Write what part of its time a profile shows: "3.000 s to 4.000 s of 7.512 s".  Returns false if
 * it shows all of it. */
bool notes_window(const struct profile *profile, char *text, size_t bytes);

/* Write how exact the numbers of a window are.  Returns false if they are exact. */
bool notes_estimated(const struct profile *profile, char *text, size_t bytes);

#endif
