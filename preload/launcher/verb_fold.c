/*
 * flametrap fold FILE…: folded stacks on standard output.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "preload/launcher/choice.h"
#include "preload/launcher/verbs.h"
#include "runtime/fold/folded.h"
#include "runtime/fold/input.h"
#include "runtime/fold/stacks.h"

static const char usage[] =
	"usage: flametrap fold [--counter NAME] [--weight samples|events]\n"
	"                      [--threads merge|name|id] [--inline] [--lines] FILE...\n"
	"Writes folded stacks of spools and folded files, merged, to standard output.  --inline "
	"shows\n"
	"the functions that were inlined (name_[i]), --lines the lines (name:file:line).\n";

/* One counter fits a folded file; the others are named, so that nobody takes it for all. */
static void tell_others(const struct input *input, const struct choice *choice, int counter)
{
	unsigned count = input->profile ? profile_counter_count(input->profile) : 0;

	if (choice->reading.counter || count < 2)
		return;
	fprintf(stderr, "flametrap: writing counter %s; choose another with --counter:",
		profile_counter(input->profile, (unsigned)counter)->name);
	for (unsigned i = 1; i < count; i++)
		fprintf(stderr, " %s", profile_counter(input->profile, i)->name);
	fputc('\n', stderr);
}

static int write_stacks(const struct input *input, const struct choice *choice)
{
	int counter = input_counter(input, choice->reading.counter);
	struct stacks *stacks;
	int err;

	if (counter < 0) {
		fprintf(stderr, "flametrap: no spool given has a counter %s\n",
			choice->reading.counter);
		return counter;
	}
	tell_others(input, choice, counter);
	err = input_stacks(input, (unsigned)counter, choice->reading.weight, &stacks);
	if (err)
		return err;
	err = folded_write(stacks, stdout);
	stacks_free(stacks);
	if (fflush(stdout) && !err)
		err = -errno;
	if (err)
		fprintf(stderr, "flametrap: standard output: %s\n", strerror(-err));
	return err;
}

int verb_fold(int argc, char **argv)
{
	struct choice choice;
	struct profile_options options;
	struct input input;
	int first = choice_read(&choice, CHOICE_FOLD, argc, argv, usage);
	int err;

	if (first < 0)
		return choice.status;
	options = reading_profile(&choice.reading, choice_warn);
	err = input_open(&input, &options, argv + first, (size_t)(argc - first), choice_warn);
	if (!err)
		err = write_stacks(&input, &choice);
	input_close(&input);
	return err ? 1 : 0;
}
