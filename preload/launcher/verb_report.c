/*
 * flametrap report FILE…: top functions as a table, losses, overhead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "preload/launcher/choice.h"
#include "preload/launcher/verbs.h"
#include "runtime/fold/input.h"
#include "runtime/fold/ratios.h"
#include "runtime/fold/report.h"
#include "runtime/fold/stacks.h"

static const char usage[] =
	"usage: flametrap report [--counter NAME] [--weight samples|events] [-n|--rows N] FILE...\n"
	"Prints who ran, what was lost, what profiling cost, and the functions with most of\n"
	"each counter (or of the one named), from spools and folded files.\n";

/* A terminal's width; a file gets whole names. */
static unsigned columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

static int report_spools(const struct input *input, const struct choice *choice,
			 const struct report_options *options)
{
	int only = input_counter(input, choice->counter);
	unsigned count = profile_counter_count(input->profile);
	int err = 0;

	if (only < 0) {
		fprintf(stderr, "flametrap: no spool given has a counter %s\n", choice->counter);
		return only;
	}
	report_summary(input->profile, stdout);
	for (unsigned i = 0; !err && i < count; i++)
		if (!choice->counter || i == (unsigned)only)
			err = report_counter(input->profile, i, options, stdout);
	for (unsigned i = 0; !err && i < count; i++) {
		struct ratios_pair pair;

		if ((!choice->counter || i == (unsigned)only) &&
		    ratios_choose(input->profile, i, &pair))
			err = ratios_print(input->profile, &pair, options->rows, stdout);
	}
	return err;
}

/* Folded files say nothing of counters: their table stands by itself. */
static int report_folded(struct input *input, const struct report_options *options)
{
	struct profile *spools = input->profile;
	struct stacks *stacks;
	int err;

	input->profile = NULL;
	err = input_stacks(input, 0, options->weight, &stacks);
	input->profile = spools;
	if (err)
		return err;
	if (spools)
		puts("\nfolded files\n");
	err = report_table(stacks, "count", options, stdout);
	stacks_free(stacks);
	return err;
}

int verb_report(int argc, char **argv)
{
	struct choice choice;
	struct profile_options options = { .warn = choice_warn };
	struct report_options table = { .columns = columns() };
	struct input input;
	int first = choice_read(&choice, argc, argv, usage);
	int err;

	if (first < 0)
		return choice.status;
	table.rows = choice.rows;
	table.weight = choice.weight;
	err = input_open(&input, &options, argv + first, (size_t)(argc - first), choice_warn);
	if (!err && input.profile)
		err = report_spools(&input, &choice, &table);
	if (!err && input.folded_count)
		err = report_folded(&input, &table);
	input_close(&input);
	if (fflush(stdout) || ferror(stdout)) {
		perror("flametrap: standard output");
		return 1;
	}
	return err ? 1 : 0;
}
