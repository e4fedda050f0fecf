/* For any contents of an ELF file, and any source text: a listing ends, no weight is lost, and its
 * JSON is safe.  Debug information is left to elfutils' own tests. */
#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/output/annotate/annotate_sites.h"
#include "runtime/profile/base/json.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/symbols/symbols.h"
#include "runtime/spool/format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/written.h"

#define SITES	  4
#define FUNCTIONS 8

static void check_listing(const struct annotate_listing *listing)
{
	struct annotate_shown shown = { .source.closed = true };
	uint64_t sum = listing->outside[0].self, next = 0;
	struct json json = { .file = written_begin() };

	for (size_t i = 0; i < listing->row_count; i++) {
		CHECK(listing->rows[i].address >= next);
		next = listing->rows[i].address + listing->rows[i].bytes;
		sum += listing->row_weights[i * listing->sites->counter_count].self;
	}
	CHECK(sum == listing->copy->sum[0].self);
	CHECK(listing->missing || listing->outside[0].self & 8); /* behind the function */
	annotate_write_json(listing, &shown, &json);
	written_end();
	check_json(written.text, written.bytes);
}

/* Samples at the start of the function, in its middle, at its end and behind it. */
static void list(struct symbols *symbols, const struct symbols_found *found)
{
	const uint64_t last = found->end - 1;
	struct annotate_weight weights[SITES] = { { 1, 1 }, { 2, 2 }, { 4, 4 }, { 8, 8 } };
	struct annotate_site sites[SITES] = {
		{ found->start, 0 },
		{ found->start + (last - found->start) / 2, 1 },
		{ last, 2 },
		{ last + 1, 3 },
	};
	struct annotate_copy copy = {
		.kind = ANNOTATE_NATIVE,
		.name = found->kind == SYMBOLS_NAMED ? found->name : "nameless",
		.path = "</script>",
		.symbols = symbols,
		.start = found->start,
		.end = found->end,
		.sum = { { 15, 15 } },
		.sites = sites,
		.count = SITES,
	};
	struct annotate_sites all = { .counter_count = 1,
				      .copies = &copy,
				      .count = 1,
				      .weights = weights,
				      .weight_count = SITES };
	const struct annotate_listing_options options = { .intel = found->start & 1,
							  .no_lines = true };
	struct annotate_listing listing;

	CHECK(annotate_listing_make(&listing, &all, &copy, &options) == 0);
	check_listing(&listing);
	annotate_listing_free(&listing);
}

static void list_functions(const char *path)
{
	struct machine *machine = machine_new(NULL);
	struct spool_module module = { 0 };
	struct symbols *symbols = NULL;
	uint64_t start = UINT64_MAX;
	int functions = 0;

	CHECK(machine);
	strcpy(module.path, path);
	machine_open(machine, &module, false, &symbols);
	for (uint64_t address = 0; symbols && address < 0x5000 && functions < FUNCTIONS;
	     address += 8) {
		struct symbols_found found = symbols_find(symbols, address);

		if (found.kind == SYMBOLS_UNKNOWN || found.start == start)
			continue;
		start = found.start;
		functions++;
		list(symbols, &found);
	}
	machine_free(machine);
}

/* Lines are parts of the file, one after another. */
static void check_lines(const char *path, size_t size)
{
	struct source_text source = { 0 };
	uint32_t count = source_text_lines(&source, path);
	size_t bytes, sum = 0;

	CHECK(count <= size);
	for (uint32_t line = 1; line <= count; line++) {
		CHECK(source_text_line(&source, path, line, &bytes));
		sum += bytes;
	}
	CHECK(sum <= size && !source_text_line(&source, path, count + 1, &bytes));
	source_text_free(&source);
}

/* A name always fits itself. */
static void check_names(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	size_t bytes = strlen(text);

	CHECK(name_fit(text, text) == NAME_FIT_WHOLE);
	for (size_t i = 0; i < bytes && i < 64; i++) {
		name_fit(text + i, text);
		name_fit(text, text + i);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_path(data, size);

	check_names(data, size < 4096 ? size : 4096);
	check_lines(path, size);
	list_functions(path);
	return 0;
}
