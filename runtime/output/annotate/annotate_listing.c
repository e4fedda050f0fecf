/*
 * Instructions are decoded one after another from the start of the function.  A site belongs to the
 * instruction that its address is in: that of a caller is inside its call.
 */
#include "runtime/output/annotate/annotate_listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/annotate/disassembler.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/debuginfo/symbols_elf.h"
#include "runtime/profile/symbols/demangle.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/debuginfo/source.h"
#include "runtime/profile/symbols/symbols.h"

#define MISSING_SYMBOL_MOST 100	 /* lines between two with code */
#define LINES_MOST	    2000 /* lines with code that others are filled in between */

/* The data that the steps share. */
struct making {
	struct annotate_listing *listing;
	struct disassembler *disassembler; /* NULL: addresses only */
	struct source *source;		   /* NULL: no lines */
	size_t decoded;			   /* bytes of code in listing->code */
};

static uint32_t intern(struct annotate_listing *listing, const char *text)
{
	return string_table_intern(&listing->texts, text, strlen(text));
}

/* Returns the number of a symbol's name as in the source, with its offset, if any; 0: no memory. */
static uint32_t intern_symbol(struct annotate_listing *listing, const char *symbol, uint64_t offset)
{
	char *plain = strdup(symbol), *demangled = NULL, *text = NULL;
	uint32_t number = 0;

	if (!plain)
		return 0;
	demangle_plain(plain);
	demangled = demangle_symbol(plain);
	if (asprintf(&text, offset ? "%s+0x%llx" : "%s", demangled ? demangled : plain,
		     (unsigned long long)offset) >= 0) {
		number = intern(listing, text);
		free(text);
	}
	free(demangled);
	free(plain);
	return number;
}

/* Returns the number of a line; 0 when memory is out. */
static uint32_t number_line(struct annotate_listing *listing, const char *file,
			    const char *directory, uint32_t line)
{
	uint32_t path = 0;
	uint32_t *known;
	char *whole;

	if (file[0] == '/' || !directory || directory[0] != '/') {
		path = intern(listing, file);
	} else if (asprintf(&whole, "%s/%s", directory, file) >= 0) {
		path = intern(listing, whole);
		free(whole);
	}
	known = path ? map_at(&listing->line_numbers, path, line) : NULL;
	if (!known || *known)
		return known ? *known : 0;
	if (!grow(&listing->lines, listing->line_count, sizeof(*listing->lines)))
		return 0;
	listing->lines[listing->line_count++] = (struct annotate_line){ path, line };
	*known = (uint32_t)listing->line_count;
	return *known;
}

/* Find the source of an address.  Returns 1; 0 if the instruction is not in the inlined function
 * that is shown; or -ENOMEM. */
static int find_source(struct making *making, uint64_t address, struct annotate_row *row)
{
	const char *inlined = making->listing->copy->inlined;
	struct source_frame frames[SOURCE_FRAMES_MAX];
	size_t count = making->source ? source_find(making->source, address, frames) : 0;
	bool within = !making->listing->copy->outer;

	for (size_t i = 0; i + 1 < count && !within; i++)
		within = inlined && frames[i].name && !strcmp(frames[i].name, inlined);
	if (!within)
		return 0;
	if (count && frames[0].file && frames[0].line > 0) {
		row->line = number_line(making->listing, frames[0].file, frames[0].directory,
					(uint32_t)frames[0].line);
		if (!row->line)
			return -ENOMEM;
	}
	if (count && frames[0].name && (!inlined || strcmp(frames[0].name, inlined) != 0))
		row->inlined = intern_symbol(making->listing, frames[0].name, 0);
	return 1;
}

static int keep_text(struct making *making, const struct instruction *instruction,
		     struct annotate_row *row)
{
	const struct annotate_copy *copy = making->listing->copy;
	size_t mnemonic = strlen(instruction->mnemonic) + 1;
	size_t operands = strlen(instruction->operands) + 1;
	struct symbols_found found = { .kind = SYMBOLS_UNKNOWN };
	uint64_t target;

	row->mnemonic = malloc(mnemonic + operands);
	if (!row->mnemonic)
		return -ENOMEM;
	row->operands = row->mnemonic + mnemonic;
	memcpy(row->mnemonic, instruction->mnemonic, mnemonic);
	memcpy(row->operands, instruction->operands, operands);
	if (disassembler_target(making->disassembler, instruction, &target))
		found = symbols_find(copy->symbols, target);
	if (found.kind == SYMBOLS_NAMED)
		row->symbol = intern_symbol(making->listing, found.name, target - found.start);
	return 0;
}

/* The listing owns the row's text; without memory it is freed. */
static int add_row(struct annotate_listing *listing, const struct annotate_row *row)
{
	if (!grow(&listing->rows, listing->row_count, sizeof(*row))) {
		free(row->mnemonic);
		return -ENOMEM;
	}
	listing->rows[listing->row_count++] = *row;
	return 0;
}

static int decode(struct making *making)
{
	struct annotate_listing *listing = making->listing;
	size_t at = 0;
	int err = 0;

	while (!err && at < making->decoded) {
		struct annotate_row row = { .address = listing->copy->start + at,
					    .code = listing->code + at };
		struct instruction instruction;
		int within = find_source(making, row.address, &row);

		disassembler_next(making->disassembler, row.code, making->decoded - at, row.address,
				  &instruction);
		row.bytes = instruction.bytes;
		at += row.bytes;
		if (within > 0)
			err = keep_text(making, &instruction, &row);
		if (within > 0 && !err)
			err = add_row(listing, &row);
		else
			err = err ? err : within;
	}
	return err;
}

/* Addresses with samples are all that is known. */
static int list_sites(struct making *making)
{
	const struct annotate_copy *copy = making->listing->copy;
	int err = 0;

	for (size_t i = 0; !err && i < copy->count; i++) {
		struct annotate_row row = { .address = copy->sites[i].address };
		int within = find_source(making, row.address, &row);

		err = within < 0 ? within : add_row(making->listing, &row);
	}
	return err;
}

static int list_lines(struct annotate_listing *listing)
{
	const struct annotate_copy *copy = listing->copy;
	const char *path = copy->path ? copy->path : "";

	for (size_t i = 0; i < copy->count; i++)
		if (!number_line(listing, path, NULL, (uint32_t)copy->sites[i].address))
			return -ENOMEM;
	return 0;
}

static const char *why_without_code(int err)
{
	switch (err) {
	case -ELIBACC:
		return "no instructions: libcapstone.so.5 or .so.4 cannot be loaded (Debian: "
		       "libcapstone5 or libcapstone4)";
	case -ENOTSUP:
		return "no instructions: the code is of another machine than x86-64 or aarch64";
	case -ESTALE:
		return "no instructions: the file has another build ID than the sampled one";
	default:
		return "no instructions: the file that was sampled cannot be read";
	}
}

/* Returns why nothing of the copy's file can be shown; NULL if it can. */
static const char *why_without_file(const struct annotate_copy *copy)
{
	if (copy->kind == ANNOTATE_KERNEL)
		return "no instructions: this is code of the kernel";
	if (copy->kind == ANNOTATE_INTERPRETED)
		return "no instructions: this function is interpreted";
	if (copy->kind == ANNOTATE_OTHER)
		return "no instructions: the code was made at run time, and is in no file";
	if (copy->replaced)
		return "no lines, no instructions: the file has no build ID, and was changed after "
		       "it was sampled";
	if (!copy->symbols)
		return "no lines, no instructions: the file that was sampled was replaced, or "
		       "cannot be read";
	return NULL;
}

/* Read the code and open the disassembler, or set listing->missing.  Returns 0 or -ENOMEM. */
static int open_code(struct making *making, bool intel)
{
	struct annotate_listing *listing = making->listing;
	const struct annotate_copy *copy = listing->copy;
	struct code_bytes code;
	int err;

	if (copy->end <= copy->start) {
		listing->missing = "no instructions: the start of the function is not known";
		return 0;
	}
	err = code_bytes_read(symbols_file(copy->symbols), copy->start, copy->end, &code);
	if (!err) {
		listing->code = code.bytes;
		making->decoded = code.count;
		err = disassembler_open(code.machine, intel, &making->disassembler);
	}
	if (err && err != -ENOMEM)
		listing->missing = why_without_code(err);
	return err == -ENOMEM ? err : 0;
}

static const struct annotate_row *find_row(const struct annotate_listing *listing, uint64_t address)
{
	size_t low = 0, high = listing->row_count;
	const struct annotate_row *row;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (listing->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	row = low ? &listing->rows[low - 1] : NULL;
	return row && (row->address == address || address - row->address < row->bytes) ? row : NULL;
}

static void add(struct annotate_weight *to, const struct annotate_weight *from, unsigned counters)
{
	for (unsigned c = 0; c < counters; c++) {
		to[c].self += from[c].self;
		to[c].total += from[c].total;
	}
}

static void weigh_site(struct annotate_listing *listing, const struct annotate_site *site)
{
	unsigned counters = listing->sites->counter_count;
	const struct annotate_weight *weight = listing->sites->weights + site->weights;
	const struct annotate_row *row = find_row(listing, site->address);
	uint32_t line = row ? row->line : 0;

	if (listing->copy->kind == ANNOTATE_INTERPRETED)
		line = *map_at(&listing->line_numbers, listing->lines[0].file, site->address);
	else if (row)
		add(listing->row_weights + (size_t)(row - listing->rows) * counters, weight,
		    counters);
	else
		add(listing->outside, weight, counters);
	add(line ? listing->line_weights + (line - 1) * (size_t)counters : listing->lineless,
	    weight, counters);
}

static int weigh(struct annotate_listing *listing)
{
	unsigned counters = listing->sites->counter_count;

	listing->row_weights =
		calloc((listing->row_count + 1) * counters, sizeof(*listing->row_weights));
	listing->line_weights =
		calloc((listing->line_count + 1) * counters, sizeof(*listing->line_weights));
	if (!listing->row_weights || !listing->line_weights)
		return -ENOMEM;
	for (size_t i = 0; i < listing->copy->count; i++)
		weigh_site(listing, &listing->copy->sites[i]);
	return 0;
}

/* Adds the lines between the first and the last one of each file, whose text is shown around those
 * with weights.  Returns 0 or -ENOMEM. */
static int fill_lines(struct annotate_listing *listing, struct source_text *text)
{
	size_t count = listing->line_count;

	for (size_t i = 0; i < count; i++) {
		struct annotate_line line = listing->lines[i];
		const char *path = string_table_text(&listing->texts, line.file);
		uint32_t next = UINT32_MAX;

		for (size_t k = 0; k < count; k++)
			if (listing->lines[k].file == line.file &&
			    listing->lines[k].line > line.line && listing->lines[k].line < next)
				next = listing->lines[k].line;
		if (next - line.line > MISSING_SYMBOL_MOST || next > source_text_lines(text, path))
			continue;
		while (++line.line < next)
			if (!number_line(listing, path, NULL, line.line))
				return -ENOMEM;
	}
	return 0;
}

int annotate_listing_make(struct annotate_listing *listing, const struct annotate_sites *sites,
			  const struct annotate_copy *copy,
			  const struct annotate_listing_options *options)
{
	struct making making = { .listing = listing };
	bool interpreted = copy->kind == ANNOTATE_INTERPRETED;
	int err = 0;

	*listing = (struct annotate_listing){ .sites = sites, .copy = copy };
	listing->missing = why_without_file(copy);
	if (!listing->missing && !options->no_instructions)
		err = open_code(&making, options->intel);
	if ((!options->no_lines || copy->outer) && copy->symbols)
		making.source = machine_source(options->machine, copy->symbols);
	if (!err && interpreted)
		err = list_lines(listing);
	else if (!err)
		err = making.disassembler ? decode(&making) : list_sites(&making);
	if (!err && options->text && !making.disassembler && listing->line_count <= LINES_MOST)
		err = fill_lines(listing, options->text);
	if (!err)
		err = weigh(listing);
	disassembler_close(making.disassembler);
	return err;
}

void annotate_listing_free(struct annotate_listing *listing)
{
	for (size_t i = 0; i < listing->row_count; i++)
		free(listing->rows[i].mnemonic);
	free(listing->rows);
	free(listing->lines);
	free(listing->row_weights);
	free(listing->line_weights);
	free(listing->code);
	map_free(&listing->line_numbers);
	string_table_free(&listing->texts);
}
