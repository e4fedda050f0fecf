/*
 * A listing for people.  A column for each counter holds the percentage of the function's own
 * weight in it.  The hottest rows are shown with a few neighbours; what is left out between them is
 * one line with its sum.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/annotate/annotate_listing.h"
#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/merge/profile.h"

#define NEIGHBOURS  3
#define HOT_PERCENT 5.0
#define CELL	    9  /* least width of a column */
#define CELL_MOST   20 /* longer names of counters are cut */
#define TAB_CELLS   4
#define TEXT_CELLS  400 /* longer source lines are cut */

struct writing {
	const struct annotate_listing *listing;
	const struct profile *profile;
	struct annotate_shown *shown;
	FILE *file;
	bool by_line;
	bool calls;    /* columns with what is called, too */
	size_t *order; /* of the rows that are printed: by address, or by file and line */
	size_t count;
	bool *chosen; /* by place in `order` */
};

static struct annotate_weight weight_at(const struct writing *writing, size_t row, unsigned counter)
{
	const struct annotate_listing *listing = writing->listing;

	return (writing->by_line
			? listing->line_weights
			: listing->row_weights)[row * listing->sites->counter_count + counter];
}

/* The largest share of a row in any counter: that is how hot it is. */
static double heat(const struct writing *writing, size_t row)
{
	const struct annotate_sites *sites = writing->listing->sites;
	double most = 0;

	for (unsigned c = 0; c < sites->counter_count; c++) {
		const struct annotate_weight *sum = &writing->listing->copy->sum[c];
		struct annotate_weight own = weight_at(writing, row, c);
		double self = maths_percent(own.self, sum->self);
		double total = maths_percent(own.total, sum->total);

		if (self > most)
			most = self;
		if (writing->calls && total > most)
			most = total;
	}
	return most;
}

static int cells_of(const struct writing *writing, unsigned counter)
{
	unsigned number = writing->listing->sites->counters[counter];
	const char *name = profile_counter(writing->profile, number)->name;
	size_t cells = safe_text_cells(name, strlen(name)) + 1;

	return cells < CELL ? CELL : cells > CELL_MOST ? CELL_MOST : (int)cells;
}

static void print_percent(const struct writing *writing, int cells, uint64_t part, uint64_t whole)
{
	if (part)
		fprintf(writing->file, "%*.2f", cells, maths_percent(part, whole));
	else
		fprintf(writing->file, "%*s", cells, "");
}

static void print_weights(const struct writing *writing, const struct annotate_weight *weights)
{
	const struct annotate_sites *sites = writing->listing->sites;

	for (unsigned c = 0; c < sites->counter_count; c++) {
		const struct annotate_weight *sum = &writing->listing->copy->sum[c];

		print_percent(writing, cells_of(writing, c), weights[c].self, sum->self);
		if (writing->calls)
			print_percent(writing, CELL, weights[c].total, sum->total);
	}
}

static void print_blank(const struct writing *writing)
{
	int cells = 0;

	for (unsigned c = 0; c < writing->listing->sites->counter_count; c++)
		cells += cells_of(writing, c) + (writing->calls ? CELL : 0);
	fprintf(writing->file, " %*s", cells, "");
}

static void print_head(const struct writing *writing)
{
	const struct annotate_sites *sites = writing->listing->sites;

	putc_unlocked(' ', writing->file);
	for (unsigned c = 0; c < sites->counter_count; c++) {
		const char *name = profile_counter(writing->profile, sites->counters[c])->name;
		int cells = cells_of(writing, c);
		size_t bytes = safe_text_fit(name, strlen(name), (size_t)cells - 1);

		fprintf(writing->file, "%*s", cells - (int)safe_text_cells(name, bytes), "");
		safe_text_plain(writing->file, name, bytes);
		if (writing->calls)
			fprintf(writing->file, "%*s", CELL, "+calls");
	}
	fputs(writing->by_line ? "      line\n" : "   address\n", writing->file);
}

/* Writes source text with its tabs as blanks, so that columns stay where they are. */
static void print_source(const struct writing *writing, uint32_t number, const char *before)
{
	const struct annotate_line *line = &writing->listing->lines[number - 1];
	const char *path = string_table_text(&writing->listing->texts, line->file);
	size_t bytes, shown;
	const char *text = source_text_line(&writing->shown->source, path, line->line, &bytes);

	if (!text)
		return;
	shown = safe_text_fit(text, bytes, TEXT_CELLS);
	fputs(before, writing->file);
	for (size_t i = 0; i < shown;) {
		const char *tab = memchr(text + i, '\t', shown - i);
		size_t end = tab ? (size_t)(tab - text) : shown;

		safe_text_plain(writing->file, text + i, end - i);
		if (tab)
			fprintf(writing->file, "%*s", TAB_CELLS, "");
		i = end + 1;
	}
	fputs(shown < bytes ? ".." : "", writing->file);
}

/* Writes a text of the listing.  It may come from hostile debug information, and stays on its line.
 */
static void print_name(const struct writing *writing, const char *before, uint32_t number,
		       const char *after)
{
	fputs(before, writing->file);
	safe_text_terminal(writing->file, string_table_text(&writing->listing->texts, number),
			   SIZE_MAX);
	fputs(after, writing->file);
}

/* Writes the line that the following instructions are of. */
static void print_heading(const struct writing *writing, const struct annotate_row *row)
{
	const struct string_table *texts = &writing->listing->texts;
	const struct annotate_line *line = &writing->listing->lines[row->line - 1];
	const char *path = string_table_text(texts, line->file);
	const char *slash = strrchr(path, '/');

	print_blank(writing);
	fputs("  ", writing->file);
	safe_text_terminal(writing->file, slash ? slash + 1 : path, SIZE_MAX);
	fprintf(writing->file, ":%u", line->line);
	if (row->inlined)
		print_name(writing, " [", row->inlined, "]");
	print_source(writing, row->line, "   ");
	putc_unlocked('\n', writing->file);
}

static void print_instruction(const struct writing *writing, const struct annotate_row *row)
{
	fprintf(writing->file, "  %8llx", (unsigned long long)row->address);
	if (row->mnemonic)
		fprintf(writing->file, *row->operands ? "  %-7s %s" : "  %s%s", row->mnemonic,
			row->operands);
	if (row->symbol)
		print_name(writing, " <", row->symbol, ">");
	putc_unlocked('\n', writing->file);
}

static void print_line(const struct writing *writing, size_t index)
{
	fprintf(writing->file, "  %8u", writing->listing->lines[index].line);
	print_source(writing, (uint32_t)index + 1, "  ");
	putc_unlocked('\n', writing->file);
}

/* Rows that are left out are one line with their sum.  Returns the place after them. */
static size_t print_gap(const struct writing *writing, size_t place)
{
	const struct annotate_sites *sites = writing->listing->sites;
	struct annotate_weight sums[SPOOL_COUNTERS_MAX] = { 0 };
	size_t from = place;

	for (; place < writing->count && !writing->chosen[place]; place++)
		for (unsigned c = 0; c < sites->counter_count; c++) {
			struct annotate_weight own = weight_at(writing, writing->order[place], c);

			sums[c].self += own.self;
			sums[c].total += own.total;
		}
	putc_unlocked(' ', writing->file);
	print_weights(writing, sums);
	fprintf(writing->file, "       ...  %zu more %s%s\n", place - from,
		writing->by_line ? "line" : "instruction", place - from == 1 ? "" : "s");
	return place;
}

static void print_file(const struct writing *writing, uint32_t file)
{
	print_blank(writing);
	print_name(writing, "  ", file, "\n");
}

/* What is at no row is one line, so that the percentages add up to 100. */
static void print_rest(const struct writing *writing)
{
	const struct annotate_listing *listing = writing->listing;
	const struct annotate_weight *rest =
		writing->by_line ? listing->lineless : listing->outside;
	bool any = false;

	for (unsigned c = 0; c < listing->sites->counter_count; c++)
		any |= rest[c].self || (writing->calls && rest[c].total);
	if (!any)
		return;
	putc_unlocked(' ', writing->file);
	print_weights(writing, rest);
	fputs(writing->by_line ? "       ...  at no known line\n"
			       : "       ...  at no instruction that was decoded\n",
	      writing->file);
}

static void print_rows(const struct writing *writing)
{
	const struct annotate_listing *listing = writing->listing;
	unsigned counters = listing->sites->counter_count;
	uint32_t line = 0, inlined = 0, file = 0;

	for (size_t place = 0; place < writing->count;) {
		size_t index = writing->order[place];
		const struct annotate_row *row = writing->by_line ? NULL : &listing->rows[index];

		if (!writing->chosen[place]) {
			place = print_gap(writing, place);
			line = 0;
			continue;
		}
		if (row && row->line && !writing->shown->bare &&
		    (row->line != line || row->inlined != inlined))
			print_heading(writing, row);
		if (!row && listing->lines[index].file != file)
			print_file(writing, listing->lines[index].file);
		line = row ? row->line : 0;
		inlined = row ? row->inlined : 0;
		file = row ? 0 : listing->lines[index].file;
		putc_unlocked(heat(writing, index) >= HOT_PERCENT ? '>' : ' ', writing->file);
		print_weights(writing, (row ? listing->row_weights : listing->line_weights) +
					       index * counters);
		if (row)
			print_instruction(writing, row);
		else
			print_line(writing, index);
		place++;
	}
}

/* A row and how hot it is. */
struct hot {
	double heat;
	size_t place;
};

static int compare_heat(const void *left, const void *right)
{
	const struct hot *a = left, *b = right;

	if (a->heat != b->heat)
		return a->heat > b->heat ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

static int choose(struct writing *writing)
{
	size_t most = writing->shown->rows ? writing->shown->rows : SIZE_MAX;
	struct hot *list = calloc(writing->count + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < writing->count; i++)
		list[i] = (struct hot){ heat(writing, writing->order[i]), i };
	qsort(list, writing->count, sizeof(*list), compare_heat);
	for (size_t i = 0; i < writing->count && i < most && list[i].heat > 0; i++) {
		size_t from = list[i].place > NEIGHBOURS ? list[i].place - NEIGHBOURS : 0;

		for (size_t k = from; k <= list[i].place + NEIGHBOURS && k < writing->count; k++)
			writing->chosen[k] = true;
	}
	free(list);
	return 0;
}

/* Lines of one file are together; files are in the order in which the code meets them. */
static int compare_lines(const void *left, const void *right, void *context)
{
	const struct annotate_line *lines = context;
	const struct annotate_line *a = &lines[*(const size_t *)left];
	const struct annotate_line *b = &lines[*(const size_t *)right];

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

int annotate_write_text(const struct annotate_listing *listing, const struct profile *profile,
			struct annotate_shown *shown, FILE *file)
{
	bool by_line = listing->line_count && (shown->lines || !listing->row_count);
	struct writing writing = {
		.listing = listing,
		.profile = profile,
		.shown = shown,
		.file = file,
		.by_line = by_line,
		/* A function that only calls others has no weight of its own to show. */
		.calls = shown->calls || !annotate_sites_has_own(listing->sites, listing->copy),
		.count = by_line ? listing->line_count : listing->row_count,
	};
	int err = 0;

	writing.order = calloc(writing.count + 1, sizeof(*writing.order));
	writing.chosen = calloc(writing.count + 1, sizeof(*writing.chosen));
	if (!writing.order || !writing.chosen)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < writing.count; i++) {
		writing.order[i] = i;
		writing.chosen[i] = shown->all;
	}
	if (!err && by_line)
		qsort_r(writing.order, writing.count, sizeof(*writing.order), compare_lines,
			listing->lines);
	if (!err && !shown->all)
		err = choose(&writing);
	if (!err) {
		annotate_write_title(listing, profile, shown, file);
		print_head(&writing);
		print_rows(&writing);
		print_rest(&writing);
	}
	free(writing.order);
	free(writing.chosen);
	return err;
}
