/*
 * Output files, written under a temporary name in the same directory, then renamed: STEM.folded and
 * STEM.svg, or with several counters STEM.COUNTER.folded and so on.  STEM.svg of several counters,
 * STEM.html, STEM.pb.gz and STEM.speedscope.json hold all of them.  Missing directories of the stem
 * are created.
 */
#ifndef RUNTIME_OUTPUT_OUTPUT_H
#define RUNTIME_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/output/formats/format_content.h"

struct profile;
struct profile_options;

struct output_request {
	const char *stem;
	unsigned formats; /* config/settings/formats.h; spools are not written here, see
			     collection.h */
	enum settings_weight weight;
	uint64_t page_bytes; /* limit of STEM.html: see viewer_data_page() */
	bool wall;	     /* also write STEM.wall.folded and STEM.wall.svg: on and off the CPU */
	/* An existing file that was last written before this time, in nanoseconds since 1970, is
	 * replaced.  UINT64_MAX: any.  0: none. */
	uint64_t replaced_before_ns;
	/* Where a name of STEM is taken, the names are STEM.PID and STEM.PID.N with this pid. */
	unsigned pid;
	bool *moved; /* set if a file has such a name; may be NULL */
	/* Called with the path of each file once it is complete; may be NULL. */
	void (*written)(const char *path, void *context);
	/* Called with each complete file before it gets its name; may be NULL. */
	void (*naming)(int fd, void *context);
	/* Used where none is replaced.  Returns whether an existing file was written by a process
	 * that was killed at this same work, and must not be written again; may be NULL. */
	bool (*known)(const char *path, void *context);
	void *context;
};

/* Write all formats of all counters, except counters that could not be opened.  Returns 0; or the
 * first -errno with `line` naming the file.  Complete files stay, partial ones do not. */
int output_write(struct profile *profile, const struct output_request *request, char *line,
		 size_t bytes);

/* Make the missing directories of a stem.  Returns 0 or -errno. */
int output_make_directories(const char *stem);

/* Set the options of what a profile must keep for the files of these formats.  `asked`: the user
 * named them; otherwise nothing is kept that may take seconds to find. */
void output_keep(unsigned formats, bool asked, struct profile_options *options);

/* Limit of a page that nobody asked for: output_request.page_bytes. */
#define OUTPUT_PAGE_BYTES ((uint64_t)8 << 20)

/* An output format with its writer.  Sets of formats have the numbers of their rows, or-ed. */
struct format {
	const char *name;
	const char *ending; /* of a file, without a dot: "pb.gz" */
	unsigned number;
	unsigned facts; /* FORMAT_* */
	format_writer *write;
};

/* Returns the format of a set of one. */
const struct format *format_find(unsigned set);

/* Returns all formats with any of some facts. */
unsigned format_set(unsigned facts);

/* Write the names of a set: "a, b and c". */
void format_names(unsigned set, char *text, size_t bytes);

/* Returns what a format needs and the profile lacks, as the end of a line about its file; NULL if
 * it lacks nothing. */
const char *format_missing(const struct profile *profile, unsigned format);

#endif
