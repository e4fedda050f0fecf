/*
 * One copy of a function, ready to be shown: its instructions and its source lines, with their
 * weights.
 */
#ifndef RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_LISTING_H
#define RUNTIME_OUTPUT_ANNOTATE_ANNOTATE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"

struct annotate_sites;
struct json;
struct machine;
struct profile;
struct source_text_file;
struct spool_counter;

/* An instruction.  Without a disassembler, or without the code, an address with samples. */
struct annotate_row {
	uint64_t address;
	uint32_t bytes;	  /* 0: not decoded */
	uint32_t line;	  /* number of its line; 0: unknown */
	uint32_t inlined; /* number in `texts` of the function inlined there; 0: none */
	uint32_t symbol;  /* likewise, "name+0x12" that it jumps to or calls; 0: unknown */
	const uint8_t *code;
	char *mnemonic; /* NULL: not decoded */
	char *operands; /* part of the same memory */
};

struct annotate_line {
	uint32_t file; /* a path, number in `texts` */
	uint32_t line;
};

struct annotate_listing {
	const struct annotate_sites *sites;
	const struct annotate_copy *copy;
	const char *missing;	   /* why there are no instructions; NULL: there are */
	struct annotate_row *rows; /* by address */
	size_t row_count;
	struct annotate_line *lines; /* by number - 1 */
	size_t line_count;
	struct annotate_weight *row_weights;		     /* counter_count for each row */
	struct annotate_weight *line_weights;		     /* likewise for each line */
	struct annotate_weight outside[SPOOL_COUNTERS_MAX];  /* of sites at no row */
	struct annotate_weight lineless[SPOOL_COUNTERS_MAX]; /* of sites at no line */
	struct string_table texts;
	struct map line_numbers;
	uint8_t *code;
};

struct annotate_listing_options {
	struct machine *machine;  /* that the profile was read with */
	struct source_text *text; /* where lines between those with code are taken from;
				   * NULL: nowhere */
	bool intel;		  /* x86 code in Intel's syntax */
	bool no_lines;
	bool no_instructions;
};

/* Make the listing of a copy, which must outlive it.  Returns 0 or -ENOMEM; call
 * annotate_listing_free() in both cases. */
int annotate_listing_make(struct annotate_listing *listing, const struct annotate_sites *sites,
			  const struct annotate_copy *copy,
			  const struct annotate_listing_options *options);
void annotate_listing_free(struct annotate_listing *listing);

/* The texts of source files read so far.  An empty struct is zeroed. */
struct source_text {
	struct string_table paths;
	struct source_text_file *files; /* by number of the path - 1 */
	uint32_t count;
	bool closed; /* the caller's: no file is read */
};

/* Returns the text of a line, counted from 1, with its length without the line feed; NULL if the
 * file cannot be read, is no text or too large, or has fewer lines. */
const char *source_text_line(struct source_text *source, const char *path, uint32_t line,
			     size_t *bytes);

/* Returns the number of lines of a file; 0 if it cannot be read. */
uint32_t source_text_lines(struct source_text *source, const char *path);

void source_text_free(struct source_text *source);

/* How listings are written: as text for people, or as JSON for programs. */
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
