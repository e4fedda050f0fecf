/*
 * Functions of two profiles, joined by name.  Rows are sorted and marked by the change of their
 * shares, because one profile may be of a longer run than the other.  If both runs did the same
 * work, the values say more; they stand before the shares.
 */
#include "runtime/fold/report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/glob.h"
#include "runtime/fold/base/grow.h"
#include "runtime/fold/base/maths.h"
#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/functions.h"

#define NAME_COLUMN  62 /* column where names start */
#define NAME_LEAST   16
#define VALUE_MOST   99999999 /* larger values are shown in a larger unit */
#define CHANGE_LEAST 1e-12    /* smaller changes are rounding errors */

/* One function in both profiles: index 0 is before, 1 after. */
struct row {
	const char *name;
	uint64_t self[2];
	uint64_t total[2];
	uint64_t value[2]; /* the pair that the current table shows */
	double change;	   /* of its share */
};

struct table {
	struct string_table names;
	struct row *rows; /* by the number of the name - 1, until they are sorted */
	size_t count;
	uint64_t whole[2]; /* totals without noise */
	uint64_t noise[2];
	uint64_t scale;	  /* divisor of the values shown */
	const char *unit; /* unit of the values shown */
};

/* Names are those of Linux 5.10 to 6.17 on x86-64 and aarch64.  The outermost frame decides, so the
 * list needs only entry functions, and functions that may appear without their entry. */
bool compare_is_noise(const char *name)
{
	static const char *const patterns[] = {
		"asm_sysvec_*_[[]k]",
		"sysvec_*_[[]k]",
		"__sysvec_*_[[]k]",
		"asm_common_interrupt_[[]k]",
		"common_interrupt_[[]k]",
		"*apic_timer_interrupt_[[]k]",
		"hrtimer_interrupt_[[]k]",
		"ret_from_intr_[[]k]",
		"do_IRQ_[[]k]",
		"irq_e[nx]*_[[]k]",
		"__irq_exit*_[[]k]",
		"*softirq*_[[]k]",
		"asm_exc_nmi*_[[]k]",
		"exc_nmi*_[[]k]",
		"el*_irq*_[[]k]",
		"el*_interrupt*_[[]k]",
		"gic_handle_irq*_[[]k]",
		"preempt_schedule_irq_[[]k]",
		"perf_*_[[]k]",
		"__perf_*_[[]k]",
		"*_pmu_*_[[]k]",
		"[[]preempted]",
		"[[]flametrap]",
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (glob_match(patterns[i], name))
			return true;
	return false;
}

struct cut {
	struct frame_tree_remaking remaking;
	uint64_t noise;
};

static int add_own(void *context, const char **names, size_t depth, uint64_t value)
{
	struct cut *cut = context;

	for (size_t i = 1; i < depth; i++) /* the first is the command */
		if (compare_is_noise(names[i])) {
			cut->noise += value;
			return 0;
		}
	return frame_tree_add(cut->remaking.made, names, depth, value);
}

/* Copy stacks without the frames of noise and their callees.  Returns 0 with *rest, sorted, to be
 * freed with frame_tree_free(), and *noise, the value left out; or -ENOMEM. */
static int cut_noise(struct frame_tree *tree, struct frame_tree **rest, uint64_t *noise)
{
	struct cut cut = { .noise = 0 };
	int err = frame_tree_remake(tree, add_own, &cut.remaking, rest);

	*noise = cut.noise;
	return err;
}

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
	double chance = maths_erfc(fabs(z) / sqrt(2));

	return shares && chance * (double)shares < 0.05;
}

/* Sorts by largest change first; equal ones by name, so that the same profiles give the same
 * table. */
static int by_change(const void *a, const void *b)
{
	const struct row *first = a;
	const struct row *second = b;
	double difference = fabs(second->change) - fabs(first->change);

	if (difference > 0)
		return 1;
	return difference < 0 ? -1 : strcmp(first->name, second->name);
}

/* Chooses the unit in which the larger total has few digits. */
static void choose_scale(struct table *table, const char *unit)
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	static const char *const thousands[] = { "", "thousand ", "million ", "billion " };
	uint64_t largest = table->whole[table->whole[1] > table->whole[0]];
	unsigned step = 0;

	for (table->scale = 1; step < 3 && largest / table->scale > VALUE_MOST; step++)
		table->scale *= 1000;
	table->unit = strcmp(unit, "ns") ? thousands[step] : times[step];
}

static int add(struct table *table, const struct function *function, int side)
{
	uint32_t number =
		string_table_intern(&table->names, function->name, strlen(function->name));

	if (!number)
		return -ENOMEM;
	if (number > table->count) {
		if (!grow(&table->rows, table->count, sizeof(*table->rows)))
			return -ENOMEM;
		table->rows[table->count++] = (struct row){ .name = function->name };
	}
	table->rows[number - 1].self[side] = function->self;
	table->rows[number - 1].total[side] = function->total;
	return 0;
}

static int add_all(struct table *table, struct frame_tree *tree, int side)
{
	struct function *list;
	size_t count;
	int err = functions_list(tree, 1, false, &list, &count);

	table->whole[side] = frame_tree_root(tree)->total;
	for (size_t i = 0; !err && i < count; i++)
		err = add(table, &list[i], side);
	free(list);
	return err;
}

/* Sort the rows by the change of one of their pairs. */
static void table_order(struct table *table, bool total)
{
	for (size_t i = 0; i < table->count; i++) {
		struct row *row = &table->rows[i];

		memcpy(row->value, total ? row->total : row->self, sizeof(row->value));
		row->change = (double)row->value[1] / (double)table->whole[1] -
			      (double)row->value[0] / (double)table->whole[0];
	}
	if (table->rows)
		qsort(table->rows, table->count, sizeof(*table->rows), by_change);
}

static void write_values(const struct table *table, const struct row *row, FILE *file)
{
	double scale = (double)table->scale;
	double value[2] = { (double)row->value[0] / scale, (double)row->value[1] / scale };

	fprintf(file, "%9.0f%9.0f%+10.0f", value[0], value[1], value[1] - value[0]);
}

static void write_row(const struct table *table, const struct row *row,
		      const struct compare_options *options, FILE *file)
{
	double z = compare_z(row->value[0], table->whole[0], row->value[1], table->whole[1]);
	size_t cells = options->columns > NAME_COLUMN + NAME_LEAST ? options->columns - NAME_COLUMN
								   : NAME_LEAST;

	write_values(table, row, file);
	for (int side = 0; side < 2; side++)
		fprintf(file, "%8.2f", 100 * (double)row->value[side] / (double)table->whole[side]);
	fprintf(file, "%+8.2f", 100 * row->change);
	if (options->samples)
		fprintf(file, "%7.1f %c ", z, compare_is_beyond_noise(z, table->count) ? '*' : ' ');
	else
		fprintf(file, "%7s   ", "-");
	safe_text_terminal(file, row->name, options->columns ? cells : SIZE_MAX);
	fputc('\n', file);
}

static void write_rows(struct table *table, bool total, const struct compare_options *options,
		       FILE *file)
{
	unsigned shown = 0;

	table_order(table, total);
	fprintf(file,
		"\n   before    after    change before%%  after%% change%%      z   function, %s\n",
		total ? "with all it called" : "itself");
	for (size_t i = 0; i < table->count && (!options->rows || shown < options->rows); i++) {
		if (fabs(table->rows[i].change) < CHANGE_LEAST)
			break; /* all following rows changed less */
		write_row(table, &table->rows[i], options, file);
		shown++;
	}
	if (!shown)
		fputs("  no function changed\n", file);
}

/* Write "change +80 samples (+8.0 %)" of the total; then the part that is not compared. */
static void write_whole(const struct table *table, const char *unit, FILE *file)
{
	double before = (double)table->whole[0] + (double)table->noise[0];
	double after = (double)table->whole[1] + (double)table->noise[1];

	fprintf(file, "change %+.0f %s (%+.1f %%)\n", after - before, unit,
		100 * (after - before) / before);
	if (table->noise[0] || table->noise[1])
		fprintf(file,
			"noise  %llu %s before, %llu after: interrupts, preemption and sampling, "
			"left out of what follows\n",
			(unsigned long long)table->noise[0], unit,
			(unsigned long long)table->noise[1]);
}

static void write_legend(const struct table *table, const struct compare_options *options,
			 const char *unit, FILE *file)
{
	fprintf(file, "\nValues in %s%s, then shares in %%; ", table->unit,
		strcmp(unit, "ns") ? unit : "");
	fputs(options->samples ? "*: beyond sampling noise, at 95 % for all functions together.\n"
			       : "the values are not samples, so noise is not estimated.\n",
	      file);
}

/* `trees` are without noise. */
static int write_tables(struct table *table, struct frame_tree *const trees[2],
			const struct compare_options *options, FILE *file)
{
	const char *unit = options->unit ? options->unit : "samples";
	int err = add_all(table, trees[0], 0);

	if (!err)
		err = add_all(table, trees[1], 1);
	if (err)
		return err;
	choose_scale(table, unit);
	write_whole(table, unit, file);
	if (!table->whole[0] || !table->whole[1]) {
		fputs("\none of them holds nothing else, so there is nothing to compare\n", file);
		return 0;
	}
	write_rows(table, false, options, file);
	write_rows(table, true, options, file);
	write_legend(table, options, unit, file);
	return 0;
}

int compare_write(struct frame_tree *before, struct frame_tree *after,
		  const struct compare_options *options, FILE *file)
{
	struct frame_tree *const both[2] = { before, after };
	struct frame_tree *trees[2] = { NULL, NULL };
	struct table table = { .rows = NULL };
	int err = 0;

	if (frame_tree_root(before)->total == 0 || frame_tree_root(after)->total == 0)
		return -ENODATA;
	for (int side = 0; side < 2 && !err; side++)
		err = cut_noise(both[side], &trees[side], &table.noise[side]);
	if (!err)
		err = write_tables(&table, trees, options, file);
	free(table.rows);
	string_table_free(&table.names);
	frame_tree_free(trees[0]);
	frame_tree_free(trees[1]);
	return err ? err : ferror(file) ? -EIO : 0;
}
