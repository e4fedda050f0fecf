/*
 * Functions of two profiles, joined by name.  Shares are compared, not counts: one profile may
 * be of a longer run than the other.
 */
#include "runtime/fold/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/functions.h"
#include "runtime/fold/graph_text.h"
#include "runtime/fold/stacks.h"

#define NAME_COLUMN  36 /* where names start in the table */
#define NAME_LEAST   16
#define CHANGE_LEAST 1e-12 /* less is rounding */

/* One function in both profiles: index 0 is before, 1 after. */
struct row {
	const char *name;
	uint64_t self[2];
	uint64_t total[2];
	uint64_t value[2]; /* the pair that the table at hand is about */
	double change;	   /* of its share */
};

struct table {
	struct row *rows;
	size_t count;
	uint64_t whole[2];
};

double compare_z(uint64_t part_a, uint64_t whole_a, uint64_t part_b, uint64_t whole_b)
{
	double a = (double)whole_a;
	double b = (double)whole_b;
	double pooled = ((double)part_a + (double)part_b) / (a + b);
	double error = sqrt(pooled * (1 - pooled) * (1 / a + 1 / b));

	if (whole_a == 0 || whole_b == 0 || !(error > 0))
		return 0;
	return ((double)part_b / b - (double)part_a / a) / error;
}

bool compare_is_beyond_noise(double z, size_t shares)
{
	double chance = erfc(fabs(z) / sqrt(2));

	return shares && chance * (double)shares < 0.05;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

/* Largest change first; equal ones by name, so that the same profiles give the same table. */
static int by_change(const void *a, const void *b)
{
	const struct row *first = a;
	const struct row *second = b;
	double difference = fabs(second->change) - fabs(first->change);

	if (difference > 0)
		return 1;
	return difference < 0 ? -1 : strcmp(first->name, second->name);
}

static void take(struct row *row, const struct function *function, int side)
{
	row->name = function->name;
	row->self[side] = function->self;
	row->total[side] = function->total;
}

/* Merge two lists into rows.  rows has room for all. */
static size_t join(struct row *rows, struct function *const list[2], const size_t count[2])
{
	size_t at[2] = { 0, 0 };
	size_t made = 0;

	for (int side = 0; side < 2; side++)
		if (count[side])
			qsort(list[side], count[side], sizeof(*list[side]), by_name);
	while (at[0] < count[0] || at[1] < count[1]) {
		struct row *row = &rows[made++];
		int order = at[0] == count[0]	? 1
			    : at[1] == count[1] ? -1
						: by_name(&list[0][at[0]], &list[1][at[1]]);

		*row = (struct row){ .change = 0 };
		if (order <= 0)
			take(row, &list[0][at[0]++], 0);
		if (order >= 0)
			take(row, &list[1][at[1]++], 1);
	}
	return made;
}

static int table_make(struct table *table, struct stacks *before, struct stacks *after)
{
	struct stacks *const stacks[2] = { before, after };
	struct function *list[2] = { NULL, NULL };
	size_t count[2] = { 0, 0 };
	int err = 0;

	*table = (struct table){ .rows = NULL };
	for (int side = 0; side < 2 && !err; side++) {
		table->whole[side] = stacks_root(stacks[side])->total;
		err = functions_list(stacks[side], false, &list[side], &count[side]);
	}
	if (err)
		goto out;
	table->rows = calloc(count[0] + count[1] + 1, sizeof(*table->rows));
	if (table->rows)
		table->count = join(table->rows, list, count);
	else
		err = -ENOMEM;
out:
	free(list[0]);
	free(list[1]);
	return err;
}

/* Order the rows by the change of one of their pairs. */
static void table_order(struct table *table, bool total)
{
	for (size_t i = 0; i < table->count; i++) {
		struct row *row = &table->rows[i];

		memcpy(row->value, total ? row->total : row->self, sizeof(row->value));
		row->change = (double)row->value[1] / (double)table->whole[1] -
			      (double)row->value[0] / (double)table->whole[0];
	}
	qsort(table->rows, table->count, sizeof(*table->rows), by_change);
}

static void write_row(const struct table *table, const struct row *row,
		      const struct compare_options *options, FILE *file)
{
	double z = compare_z(row->value[0], table->whole[0], row->value[1], table->whole[1]);
	size_t cells = options->columns > NAME_COLUMN + NAME_LEAST ? options->columns - NAME_COLUMN
								   : NAME_LEAST;

	for (int side = 0; side < 2; side++)
		fprintf(file, "%8.2f", 100 * (double)row->value[side] / (double)table->whole[side]);
	fprintf(file, "%+9.2f", 100 * row->change);
	if (options->samples)
		fprintf(file, "%8.1f %c ", z, compare_is_beyond_noise(z, table->count) ? '*' : ' ');
	else
		fprintf(file, "%8s   ", "-");
	graph_text_terminal(file, row->name, options->columns ? cells : SIZE_MAX);
	fputc('\n', file);
}

static void write_rows(struct table *table, bool total, const struct compare_options *options,
		       FILE *file)
{
	unsigned shown = 0;

	table_order(table, total);
	fprintf(file, "\n  before   after   change       z   function, %s\n",
		total ? "with all it called" : "itself");
	for (size_t i = 0; i < table->count && (!options->rows || shown < options->rows); i++) {
		if (fabs(table->rows[i].change) < CHANGE_LEAST)
			break; /* all that follow changed less */
		write_row(table, &table->rows[i], options, file);
		shown++;
	}
	if (!shown)
		fputs("  no function changed\n", file);
}

int compare_write(struct stacks *before, struct stacks *after,
		  const struct compare_options *options, FILE *file)
{
	struct table table;
	int err;

	if (stacks_root(before)->total == 0 || stacks_root(after)->total == 0)
		return -ENODATA;
	err = table_make(&table, before, after);
	if (!err) {
		write_rows(&table, false, options, file);
		write_rows(&table, true, options, file);
		fputs(options->samples ? "\nShares in %; *: beyond sampling noise, at 95 % for all "
					 "functions "
					 "together.\n"
				       : "\nShares in %; values are no samples, so nothing is said "
					 "of noise.\n",
		      file);
	}
	free(table.rows);
	return err ? err : ferror(file) ? -EIO : 0;
}
