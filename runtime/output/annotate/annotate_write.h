/* Writes listings: as text for people, or as JSON for programs. */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_WRITE_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/output/annotate/annotate_listing.h"

struct annotate_listing;
struct annotate_sites;
struct json;
struct profile;
struct spool_counter;

struct annotate_shown {
	unsigned rows; /* hottest lines or instructions, shown with their neighbours; 0: all that
			* have a weight */
	bool all;      /* the whole function */
	bool calls;    /* also the weights with what was called */
	bool lines;    /* source lines only */
	bool bare;     /* instructions only */
	struct source_text source;
};

/* Returns how exact the addresses of a counter's samples are, without the counter's name: "the
 * instruction that caused it".  `engine` is the spool's enum spool_engine.  The text is static. */
const char *annotate_skid_text(const struct spool_counter *counter, uint32_t engine);

/* Returns which texts of a listing are source files that changed after the object file was made, or
 * after the end of the profile if the function is interpreted: by number, to be freed.  Returns
 * NULL when memory is out. */
bool *annotate_newer_files(const struct annotate_listing *listing);

/* Print what the counters' addresses mean, one line for each. */
void annotate_write_skid(const struct annotate_sites *sites, const struct profile *profile,
			 FILE *file);

/* Print which copy of the function a listing shows, its weights, and what is missing. */
void annotate_write_title(const struct annotate_listing *listing, const struct profile *profile,
			  const struct annotate_shown *shown, FILE *file);

/* Print a listing.  Returns 0 or -ENOMEM. */
int annotate_write_text(const struct annotate_listing *listing, const struct profile *profile,
			struct annotate_shown *shown, FILE *file);

/* Write one JSON object: begin, each listing, end. */
void annotate_write_json_begin(const struct annotate_sites *sites, const struct profile *profile,
			       struct json *json);
void annotate_write_json(const struct annotate_listing *listing, struct annotate_shown *shown,
			 struct json *json);
void annotate_write_json_end(struct json *json);

#endif
