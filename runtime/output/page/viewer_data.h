/*
 * The page of a profile (--format html): one self-contained file that a browser shows without a
 * network, and its data as its script reads them.
 *
 * The page is HTML with its style, the rules of both palettes (#palette), its data as BASE64 in the
 * text of #profile, and its script: viewer.js with the modules that it imports (join.awk).  The
 * script reads the colours of both palettes from the rules, since it draws on canvases and the
 * reader may choose light or dark.
 *
 * BASE64 is a zlib-free "deflate-raw" stream (RFC 1951) of: the length of a JSON text as 32 bits,
 * the text in UTF-8, zero bytes up to a multiple of 8, and columns.  All is little-endian.  Names
 * are data: the script puts them into the page as text only.
 *
 *   { "format": 1,
 *     "title", "command", "host",
 *     "notes": [text, …]            what is missing or was thinned, whole sentences
 *     "realtimeMs"                  the wall-clock time of time 0, since 1970
 *     "unitNs"                      of all times below: a power of two; times fit 32 bits
 *     "from", "to"                  the axis, in that unit
 *     "counters":  [{ "name", "unit": "ns"|"", "weight": "samples"|"events", "period",
 *                     "offCpu": bool }, …]
 *     "processes": [{ "pid", "parent", "name", "host", "start", "end" }, …]
 *     "tracks":    [{ "process", "tid", "name", "start", "end" }, …]
 *     "labels":    [{ "below", "key", "value" }, …]   numbered from 1; 0: none
 *     "marks":     [{ "time", "kind", "process", "track" (-1: the process), "text" }, …]
 *                  kinds: "fork" "exec" "exec failed" "load" "unload" "start" "stop" "throttled"
 *                  "slower"
 *     "names":     [name, …]        whole, with their suffixes, as in graph_data.h
 *     "kinds":     [index, …]       into kindNames, by name
 *     "classes":   [class, …]       colour class by name, as in the SVG
 *     "kindNames": [text, …]
 *     "modules":   [path, …]        numbered from 1; 0: none
 *     "waits":     [[text, name], …] rows of time off the processor, numbered from 1, each with the
 *                                   index of the name of the function that waits
 *     "files":     [{ "path", "text" (absent: not readable here) }, …]
 *     "code":      [{ "name", "path" (of the object), "start" (its address in the file),
 *                     "rows": [[offset, instruction, index of its file, line], …] }, …]
 *                  functions with most weight; rows are numbered from 1 through all of them; the
 *                  last two are absent where the page does not have the file.  Instructions far
 *                  from all samples are left out; a row with an empty text stands for them
 *     "legend":    ["title", [class, text], …]
 *     "columns":   { name: [type, offset, count], … }   offset from the first column's start
 *   }
 *
 * Types are "u8" "u16" "u32" "f64", optionally followed by "d": each value is the difference to the
 * one before, modulo its size.  A column has the first of them that holds its values, but for those
 * with a "d".  Offsets are multiples of 8.  Columns, with their usual types:
 *
 *   nodeParent u32, nodeName u32, nodeModule u32,   by node; node 0 is the root, named names[0];
 *   nodeWait u32                                    parents come before their children.  nodeWait:
 *                                                   the row of "waits" of the waits that end there
 *   lineFile u32, lineNumber u32                    by source line, numbered from 1
 *   time u32d, node u32, track u32, counter u8,     by sample, in the order of time; those of a
 *   samples u32, events f64, labels u32, line u32   group have the same time, track and node.
 *                                                   line: of the leaf; 0: not known
 *   instruction u32                                 by sample too: the row of "code"; 0: none
 *
 * A column that would hold only zeros may be left out.  The value of a sample is its samples or its
 * events, as its counter's "weight" says.  A sample of a counter with "offCpu" is the span of
 * `events` ns that ends at its time.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_DATA_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct gzip;
struct profile;
struct timeline;
struct viewer_data;

/* Write the page of a profile, with times if it was made with options.timeline.  A page of more
 * than `most` bytes is written with fewer samples, and says so; 0: no limit.  Returns 0, -EIO
 * or -ENOMEM. */
int viewer_data_page(const struct profile *profile, enum settings_weight weight, uint64_t most,
		     FILE *file);

/* Make the data of a profile; `timeline` is NULL if it has no times.  Both must outlive the result.
 * Returns 0 or -ENOMEM.  Call viewer_data_free() in both cases. */
int viewer_data_make(struct viewer_data *data, const struct profile *profile,
		     const struct timeline *timeline, enum settings_weight weight);
void viewer_data_free(struct viewer_data *data);

/* Take about half of the samples away: see viewer_samples_halve(), whose result it returns. */
int viewer_data_halve(struct viewer_data *data);

/* Write BASE64.  The result depends on nothing but the profile, the texts of source files, and
 * the code of the sampled files as the disassembler shows it.  Returns 0, -EIO or -ENOMEM. */
int viewer_data_write(struct viewer_data *data, FILE *file);

/* The page of a profile, and that of a comparison. */
enum viewer_shell { VIEWER_SHELL_PROFILE, VIEWER_SHELL_DIFFERENCE };

/* Write a page up to its data, which follow as base64, and from their end on, as
 * above.  Errors are those of the file: ferror(). */
void viewer_shell_begin(enum viewer_shell shell, const char *title, FILE *file);
void viewer_shell_end(enum viewer_shell shell, FILE *file);

/* Write a text of less than 4 GB: its length as 32 bits, its bytes, and zeros up to a multiple of
 * 8. */
void viewer_shell_pack(struct gzip *gzip, const char *text, size_t length);

#endif
