/* The shape of a run (load_curve.h), as a part of the report. */
#ifndef RUNTIME_OUTPUT_REPORT_REPORT_LOAD_H
#define RUNTIME_OUTPUT_REPORT_REPORT_LOAD_H

#include <stdbool.h>
#include <stdio.h>

struct json;
struct profile;

struct report_load_look {
	unsigned columns;  /* width of a line; 0: no limit */
	bool ascii;	   /* bars of ASCII characters */
	const char *files; /* if not NULL: for a command that shows one moment alone */
};

/* Print the load of a counter over time as a line of bars, and the moments that stand out; nothing
 * if the profile has no timeline, or too few samples.  Returns 0 or -ENOMEM. */
int report_load_print(const struct profile *profile, unsigned counter,
		      const struct report_load_look *look, FILE *file);

/* Write the same as a member "shape" of a JSON object; null if there is
 * none.  Returns 0 or -ENOMEM. */
int report_load_json(const struct profile *profile, unsigned counter, struct json *json);

#endif
