/*
 * Reads a record word by word and never past its end.  Once `short_of` is set, all reads return 0.
 * For record*.c alone.
 */
#ifndef RUNTIME_SAMPLE_PERF_RECORD_CURSOR_H
#define RUNTIME_SAMPLE_PERF_RECORD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;
struct record_counts;
struct record_format;

struct record_cursor {
	const uint64_t *at;
	const uint64_t *end;
	bool short_of;
};

static inline uint64_t record_cursor_next(struct record_cursor *cursor)
{
	if (cursor->at < cursor->end)
		return *cursor->at++;
	cursor->short_of = true;
	return 0;
}

/* Reads two 32-bit fields that share a word. */
static inline void record_cursor_pair(struct record_cursor *cursor, uint32_t *first,
				      uint32_t *second)
{
	uint64_t word = record_cursor_next(cursor);

	*first = (uint32_t)word;
	*second = (uint32_t)(word >> 32);
}

/* Returns `count` words in a row, or NULL if the record has fewer left. */
static inline const uint64_t *record_cursor_words(struct record_cursor *cursor, uint64_t count)
{
	const uint64_t *words = cursor->at;

	if (cursor->short_of || count > (uint64_t)(cursor->end - cursor->at)) {
		cursor->short_of = true;
		return NULL;
	}
	cursor->at += count;
	return words;
}

/* Reads the counts of PERF_SAMPLE_READ and PERF_RECORD_READ.  Context: signal. */
void record_sample_counts(const struct record_format *format, struct record_cursor *cursor,
			  struct record_counts *counts);

/* Reads the fields of PERF_RECORD_SAMPLE.  Context: signal. */
void record_sample_parse(const struct record_format *format, struct record_cursor *cursor,
			 struct record *record);

#endif
