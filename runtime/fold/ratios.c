/*
 * Instructions are told per cycle, misses and faults per thousand instructions, all else per
 * millisecond where the group has a clock, and per thousand of its leader where it has not.
 */
#include "runtime/fold/ratios.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/functions.h"
#include "runtime/fold/profile.h"
#include "runtime/fold/stacks.h"

#define NONE	  UINT32_MAX
#define NS_PER_MS 1000000.0

static bool is_usable(const struct profile *profile, unsigned counter, unsigned leader)
{
	const struct spool_counter *about = profile_counter(profile, counter);

	return about->leader == leader && !(about->flags & SPOOL_COUNTER_UNAVAILABLE);
}

/* A name, with modifiers behind it or without. */
static bool is_named(const struct spool_counter *about, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(about->name, name, length) &&
	       (!about->name[length] || about->name[length] == ':' || about->name[length] == '/');
}

static unsigned find(const struct profile *profile, unsigned leader, const char *name)
{
	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		if (is_usable(profile, i, leader) && is_named(profile_counter(profile, i), name))
			return i;
	return NONE;
}

static unsigned find_clock(const struct profile *profile, unsigned leader)
{
	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		if (is_usable(profile, i, leader) &&
		    profile_counter(profile, i)->unit == SPOOL_UNIT_NS)
			return i;
	return NONE;
}

static void choose_base(const struct profile *profile, unsigned leader, struct ratios_pair *pair)
{
	const struct spool_counter *about = profile_counter(profile, pair->of);
	unsigned instructions = find(profile, leader, "instructions");
	unsigned cycles = find(profile, leader, "cycles");
	unsigned clock = find_clock(profile, leader);
	const char *form = "%s per thousand %s";

	pair->by = leader;
	pair->scale = 1000;
	if (pair->of == instructions && cycles != NONE) {
		pair->by = cycles;
		pair->scale = 1;
		form = "%s for each of %s";
	} else if (pair->of != cycles && instructions != NONE) {
		pair->by = instructions;
	} else if (clock != NONE) {
		pair->by = clock;
		pair->scale = NS_PER_MS;
		form = "%s per ms of %s";
	}
	snprintf(pair->title, sizeof(pair->title), form, about->name, /* NOLINT: one of three */
		 profile_counter(profile, pair->by)->name);
}

bool ratios_choose(const struct profile *profile, unsigned counter, struct ratios_pair *pair)
{
	const struct spool_counter *about = profile_counter(profile, counter);

	if (about->leader >= profile_counter_count(profile) ||
	    !is_usable(profile, counter, about->leader) || about->unit == SPOOL_UNIT_NS)
		return false;
	pair->of = counter;
	choose_base(profile, about->leader, pair);
	return pair->by != counter;
}

static int by_name(const void *one, const void *other)
{
	return strcmp(((const struct function *)one)->name, ((const struct function *)other)->name);
}

struct side {
	struct stacks *stacks;
	struct function *list;
	size_t count;
};

static void side_free(struct side *side)
{
	free(side->list);
	stacks_free(side->stacks);
}

static int side_make(struct profile *profile, unsigned counter, struct side *side)
{
	int err = profile_stacks(profile, counter, SETTINGS_WEIGHT_EVENTS, &side->stacks);

	return err ? err : functions_list(side->stacks, &side->list, &side->count);
}

static uint64_t self_of(const struct side *sorted, const char *name)
{
	const struct function wanted = { .name = name };
	const struct function *found =
		bsearch(&wanted, sorted->list, sorted->count, sizeof(wanted), by_name);

	return found ? found->self : 0;
}

int ratios_print(struct profile *profile, const struct ratios_pair *pair, unsigned rows, FILE *file)
{
	struct side of = { 0 }, by = { 0 };
	int err = side_make(profile, pair->of, &of);

	if (!err)
		err = side_make(profile, pair->by, &by);
	if (err)
		goto out;
	qsort(of.list, of.count, sizeof(*of.list), by_name);
	fprintf(file, "\n%s\n\n    ratio %14s %14s  function\n", pair->title, "of", "by");
	for (size_t i = 0; i < by.count && (!rows || i < rows) && by.list[i].self; i++) {
		uint64_t events = self_of(&of, by.list[i].name);

		fprintf(file, "%9.3f %14llu %14llu  %s\n",
			pair->scale * (double)events / (double)by.list[i].self,
			(unsigned long long)events, (unsigned long long)by.list[i].self,
			by.list[i].name);
	}
out:
	side_free(&of);
	side_free(&by);
	return err;
}
