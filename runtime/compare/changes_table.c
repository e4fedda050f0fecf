/*
 * Functions of all runs get numbers by their names.  Each run keeps its values by those numbers; a
 * function that a run lacks has the value 0 in it.
 */
#include "runtime/compare/changes_table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/functions.h"

/* One run: its values by function, for the functions known so far. */
struct changes_table_run {
	double *value[CHANGES_KINDS];
	size_t known;
};

void changes_table_free(struct changes_table *table)
{
	for (enum runs_side side = 0; side < RUNS_SIDES; side++) {
		for (size_t i = 0; table->run[side] && i < table->runs[side]; i++)
			for (int kind = 0; kind < CHANGES_KINDS; kind++)
				free(table->run[side][i].value[kind]);
		free(table->run[side]);
		free(table->group[side]);
	}
	free(table->name);
	string_table_free(&table->names);
}

static int number_name(struct changes_table *table, const char *name, uint32_t *number)
{
	size_t known = table->names.count;

	*number = string_table_intern(&table->names, name, strlen(name));
	if (!*number || (*number > known && !grow(&table->name, known, sizeof(*table->name))))
		return -ENOMEM;
	if (*number > known)
		table->name[known] = name;
	return 0;
}

/* The numbers of a run's functions come first, so that its values need no more room than that. */
static int fill_run(struct changes_table *table, struct changes_table_run *run,
		    const struct function *list, size_t count)
{
	uint32_t *number = calloc(count ? count : 1, sizeof(*number));
	int err = number ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++)
		err = number_name(table, list[i].name, &number[i]);
	run->known = table->names.count;
	for (int kind = 0; kind < CHANGES_KINDS && !err; kind++) {
		run->value[kind] = calloc(run->known ? run->known : 1, sizeof(double));
		err = run->value[kind] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < count && !err; i++) {
		run->value[CHANGES_SELF][number[i] - 1] = (double)list[i].self;
		run->value[CHANGES_TOTAL][number[i] - 1] = (double)list[i].total;
	}
	free(number);
	return err;
}

static int read_side(struct changes_table *table, const struct runs *runs, enum runs_side side)
{
	size_t count = table->runs[side];
	int err = 0;

	table->run[side] = calloc(count, sizeof(*table->run[side]));
	table->group[side] = calloc(count, sizeof(*table->group[side]));
	if (!table->run[side] || !table->group[side])
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		struct function *list;
		size_t functions;

		err = functions_list(runs_tree(runs, side, i), runs_outer(runs), false, &list,
				     &functions);
		if (!err)
			err = fill_run(table, &table->run[side][i], list, functions);
		free(list);
	}
	return err;
}

int changes_table_read(struct changes_table *table, const struct runs *runs)
{
	int err = 0;

	*table = (struct changes_table){ 0 };
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		table->runs[side] = runs_count(runs, side);
	for (enum runs_side side = 0; side < RUNS_SIDES && !err; side++)
		err = read_side(table, runs, side);
	table->functions = table->names.count;
	return err;
}

double changes_table_value(const struct changes_table *table, enum changes_kind kind,
			   size_t function, enum runs_side side, size_t run)
{
	const struct changes_table_run *of = &table->run[side][run];

	return function < of->known ? of->value[kind][function] : 0;
}
