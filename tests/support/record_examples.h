/*
 * One example of every type of record, with the expected result of reading it.
 */
#ifndef TESTS_UNIT_RECORD_EXAMPLES_H
#define TESTS_UNIT_RECORD_EXAMPLES_H

#include <stdint.h>

#include "runtime/sample/perf/record.h"

#define RECORD_EXAMPLE_WORDS 32

struct record_example {
	const char *name;
	uint32_t type;
	uint16_t misc;
	struct record_format format;
	uint64_t words[RECORD_EXAMPLE_WORDS]; /* behind the header */
	unsigned count;
	void (*check)(const struct record *record);
};

/* The last is of an unknown type. */
extern const struct record_example record_examples[];
extern const unsigned record_examples_count;

#endif
