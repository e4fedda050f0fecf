/*
 * Records from the kernel's ring, as if the kernel could not be trusted.  An input is five words
 * (sample_type, read_format, trailer, branch and register masks) and a record of any bytes.  Every
 * pointer of the result must lie inside the record.
 */
#include <linux/perf_event.h>

#include "runtime/sample/perf/ring.h"
#include "tests/fuzz/fuzz.h"

#define FORMAT_WORDS 5

struct extent {
	const char *from;
	const char *to;
};

static void check(const struct extent *inside, const void *at, uint64_t bytes)
{
	const char *from = at;

	CHECK(!at || !bytes || (from >= inside->from && bytes <= (uint64_t)(inside->to - from)));
}

static void check_text(const struct extent *inside, const char *text)
{
	if (text)
		check(inside, text, strlen(text) + 1);
}

static void check_record(const struct record *record, const struct extent *inside)
{
	check(inside, record->chain, (uint64_t)record->chain_depth * 8);
	check_text(inside, record->text);
	CHECK(record->counts.count <= EVENTS_MAX && record->kind < RECORD_KINDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t word[FORMAT_WORDS];
	struct record_format format;
	struct record record;
	struct extent inside;
	size_t whole;
	char *bytes;

	if (size < sizeof(word))
		return 0;
	memcpy(word, data, sizeof(word));
	format = (struct record_format){ word[0], word[1], word[2] & 1, word[3], word[4] };
	whole = (size - sizeof(word)) & ~(size_t)7 & 0xffff;
	bytes = malloc(whole ? whole : 1);
	memcpy(bytes, data + sizeof(word), whole);
	if (whole >= sizeof(struct perf_event_header))
		((struct perf_event_header *)bytes)->size = (uint16_t)whole;
	record_parse(&format, bytes, whole, &record);
	inside = (struct extent){ bytes, bytes + whole };
	if (record.kind != RECORD_MALFORMED)
		check_record(&record, &inside);
	free(bytes);
	return 0;
}
