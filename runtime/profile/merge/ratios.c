/*
 * Instructions are shown per cycle, misses and faults per thousand instructions, all other events
 * per millisecond if the group has a clock, and per thousand of its leader if not.  The title of a
 * ratio depends only on its two counters, not on how they were chosen.
 */
#include "runtime/profile/merge/ratios.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"

#define NONE	  UINT32_MAX
#define NS_PER_MS 1000000.0

static bool is_usable(const struct profile *profile, unsigned counter, unsigned leader)
{
	const struct spool_counter *about = profile_counter(profile, counter);

	return about->leader == leader && !(about->flags & SPOOL_COUNTER_UNAVAILABLE);
}

/* Returns true for a name with or without modifiers after it. */
static bool is_named(const struct spool_counter *about, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(about->name, name, length) &&
	       (!about->name[length] || about->name[length] == ':' || about->name[length] == '/');
}

static bool is_clock(const struct spool_counter *about)
{
	return about->unit == SPOOL_UNIT_NS;
}

/* Returns the usable counter with that name; NULL: the first clock. */
static unsigned find(const struct profile *profile, unsigned leader, const char *name)
{
	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct spool_counter *about = profile_counter(profile, i);

		if (is_usable(profile, i, leader) &&
		    (name ? is_named(about, name) : is_clock(about)))
			return i;
	}
	return NONE;
}

static unsigned choose_base(const struct profile *profile, unsigned counter, unsigned leader)
{
	unsigned instructions = find(profile, leader, "instructions");
	unsigned cycles = find(profile, leader, "cycles");
	unsigned clock = find(profile, leader, NULL);

	if (counter == instructions && cycles != NONE)
		return cycles;
	if (counter != cycles && instructions != NONE)
		return instructions;
	return clock != NONE ? clock : leader;
}

/* Returns the length of a name without its modifiers. */
static int plain(const char *name)
{
	const char *colon = strrchr(name, ':');

	if (!colon || colon == name || colon[1 + strspn(colon + 1, "ukhGHpPSDWe")])
		return (int)strlen(name);
	return (int)(colon - name);
}

/* Modifiers that both names have are left out, and so is the plural s in "per cycle". */
static void entitle(const struct spool_counter *of, const struct spool_counter *by,
		    struct ratios_pair *pair)
{
	bool same = !strcmp(of->name + plain(of->name), by->name + plain(by->name));
	int of_length = same ? plain(of->name) : (int)strlen(of->name);
	int by_length = same ? plain(by->name) : (int)strlen(by->name);
	int one_length = by_length - (by_length > 1 && by->name[by_length - 1] == 's');
	bool single = (is_named(of, "instructions") && is_named(by, "cycles")) ||
		      (is_named(of, "cycles") && is_named(by, "instructions"));
	const char *form = " per thousand ";

	pair->scale = 1000;
	if (is_clock(of)) {
		pair->scale = 1;
		form = is_clock(by) ? " per ns of " : " per ";
	} else if (is_clock(by)) {
		pair->scale = NS_PER_MS;
		form = " per ms of ";
	} else if (single) {
		pair->scale = 1;
		form = " per ";
	}
	snprintf(pair->by_name, sizeof(pair->by_name), "%.*s", by_length, by->name);
	snprintf(pair->title, sizeof(pair->title), "%s%.*s%s%.*s", is_clock(of) ? "ns of " : "",
		 of_length, of->name, form, strcmp(form, " per ") ? by_length : one_length,
		 by->name);
}

static void make(const struct profile *profile, unsigned of, unsigned by, struct ratios_pair *pair)
{
	pair->of = of;
	pair->by = by;
	entitle(profile_counter(profile, of), profile_counter(profile, by), pair);
}

bool ratios_choose(const struct profile *profile, unsigned counter, struct ratios_pair *pair)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	unsigned base;

	if (about->leader >= profile_counter_count(profile) ||
	    !is_usable(profile, counter, about->leader) || is_clock(about))
		return false;
	base = choose_base(profile, counter, about->leader);
	if (base == counter || !is_usable(profile, base, about->leader))
		return false;
	make(profile, counter, base, pair);
	return true;
}

/* Returns the counter with that name, with or without its modifiers. */
static unsigned named(const struct profile *profile, const char *name, size_t length)
{
	for (int exact = 1; exact >= 0; exact--) {
		for (unsigned i = 0; i < profile_counter_count(profile); i++) {
			const char *here = profile_counter(profile, i)->name;
			size_t bytes = exact ? strlen(here) : (size_t)plain(here);

			if (bytes == length && !memcmp(here, name, length))
				return i;
		}
	}
	return NONE;
}

static int refuse_name(const struct profile *profile, const char *text, char *line, size_t bytes)
{
	int used = snprintf(line, bytes, "%s does not name two counters; there are", text);

	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		if (used >= 0 && (size_t)used < bytes)
			used += snprintf(line + used, bytes - (size_t)used, "%s %s", i ? "," : "",
					 profile_counter(profile, i)->name);
	return -ENOENT;
}

int ratios_find(const struct profile *profile, const char *text, struct ratios_pair *pair,
		char *line, size_t bytes)
{
	unsigned of = named(profile, text, strlen(text));
	unsigned by = NONE;
	unsigned missing;

	if (of != NONE) {
		if (ratios_choose(profile, of, pair))
			return 0;
		snprintf(line, bytes,
			 "%s has no counter in its group to be divided by; write %s/COUNTER", text,
			 text);
		return -EINVAL;
	}
	for (const char *at = strchr(text, '/'); at && by == NONE; at = strchr(at + 1, '/')) {
		of = named(profile, text, (size_t)(at - text));
		if (of != NONE)
			by = named(profile, at + 1, strlen(at + 1));
	}
	if (by == NONE)
		return refuse_name(profile, text, line, bytes);
	if (of == by) {
		snprintf(line, bytes, "%s divides a counter by itself", text);
		return -EINVAL;
	}
	missing = profile_counter(profile, of)->flags & SPOOL_COUNTER_UNAVAILABLE ? of : by;
	if (profile_counter(profile, missing)->flags & SPOOL_COUNTER_UNAVAILABLE) {
		snprintf(line, bytes, "%s could not be opened, so there is no %s",
			 profile_counter(profile, missing)->name, text);
		return -ENOENT;
	}
	make(profile, of, by, pair);
	return 0;
}

static int by_name(const void *one, const void *other)
{
	return strcmp(((const struct function *)one)->name, ((const struct function *)other)->name);
}

struct side {
	struct frame_tree *tree;
	struct function *list;
	size_t count;
};

static void side_free(struct side *side)
{
	free(side->list);
	frame_tree_free(side->tree);
}

static int side_make(struct profile *profile, unsigned counter, struct side *side)
{
	int err = profile_tree(profile, counter, SETTINGS_WEIGHT_EVENTS, &side->tree);

	return err ? err : functions_list(side->tree, 1, false, &side->list, &side->count);
}

static uint64_t self_of(const struct side *sorted, const char *name)
{
	const struct function wanted = { .name = name };
	const struct function *found = NULL;

	if (sorted->count) /* otherwise the list is NULL, which bsearch(3) does not accept */
		found = bsearch(&wanted, sorted->list, sorted->count, sizeof(wanted), by_name);
	return found ? found->self : 0;
}

int ratios_each(struct profile *profile, const struct ratios_pair *pair, unsigned rows,
		void (*row)(const struct ratios_row *row, void *context), void *context)
{
	struct side of = { 0 }, by = { 0 };
	int err = side_make(profile, pair->of, &of);

	if (!err)
		err = side_make(profile, pair->by, &by);
	if (err)
		goto out;
	if (of.count)
		qsort(of.list, of.count, sizeof(*of.list), by_name);
	for (size_t i = 0; i < by.count && (!rows || i < rows) && by.list[i].self; i++) {
		struct ratios_row made = { .name = by.list[i].name, .by = by.list[i].self };

		made.of = self_of(&of, made.name);
		made.ratio = pair->scale * (double)made.of / (double)made.by;
		row(&made, context);
	}
out:
	side_free(&of);
	side_free(&by);
	return err;
}

static void print_row(const struct ratios_row *row, void *context)
{
	fprintf(context, "%9.3f %14llu %14llu  %s\n", row->ratio, (unsigned long long)row->of,
		(unsigned long long)row->by, row->name);
}

int ratios_print(struct profile *profile, const struct ratios_pair *pair, unsigned rows, FILE *file)
{
	fprintf(file, "\n%s\n\n    ratio %14s %14s  function\n", pair->title, "of", "by");
	return ratios_each(profile, pair, rows, print_row, file);
}
