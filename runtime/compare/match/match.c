/*
 * Renames apply before a name is numbered, so that everything after that sees the new name on both
 * sides.
 */
#include "runtime/compare/match/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/text/glob.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/symbols/frame_kind.h"

/* Names are those of Linux 5.10 to 6.17 on x86-64 and aarch64.  The outermost frame decides, so the
 * list needs only entry functions, and functions that may appear without their entry. */
bool match_is_noise(const char *name)
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

void match_free(struct match *match)
{
	for (int role = 0; role < MATCH_ROLES; role++) {
		string_table_free(&match->names[role]);
		free(match->list[role]);
	}
	string_table_free(&match->texts);
	free(match->pairs);
	free(match->commands);
	*match = (struct match){ .pairs = NULL };
}

const char *match_text(struct match *match, const char *text, size_t bytes)
{
	uint32_t number = string_table_intern(&match->texts, text, bytes);

	return number ? string_table_text(&match->texts, number) : NULL;
}

int match_add_pair(struct match *match, enum match_role role, uint32_t number, const char *old,
		   const char *new_name)
{
	if (!grow(&match->pairs, match->pair_count, sizeof(*match->pairs)))
		return -ENOMEM;
	match->pairs[match->pair_count++] = (struct match_pair){
		.old = old, .new_name = new_name, .role = role, .number = number
	};
	return 0;
}

/* Returns the number of a name, which is copied so that it outlives the stacks that had it. */
static uint32_t number_name(struct match *match, enum match_role role, const char *name)
{
	struct string_table *names = &match->names[role];
	uint32_t number = string_table_intern(names, name, strlen(name));
	size_t bytes;

	if (number <= match->count[role])
		return number;
	if (!grow(&match->list[role], match->count[role], sizeof(*match->list[role])))
		return 0;
	name = string_table_text(names, number);
	match->list[role][match->count[role]++] = (struct match_name){
		.name = name,
		.as = name,
		.noise = role == MATCH_INNER && match_is_noise(name),
		.interp = frame_kind_of(name, &bytes) == FRAME_KIND_INTERP,
	};
	return number;
}

int match_has(struct match *match, enum match_role role, enum runs_side side, const char *name)
{
	uint32_t number = number_name(match, role, name);

	return number ? match->list[role][number - 1].runs[side] > 0 : -ENOMEM;
}

static int by_weight(const void *left, const void *right)
{
	const struct match_pair *a = left;
	const struct match_pair *b = right;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	if (!order)
		order = strcmp(a->old, b->old);
	return order ? order : strcmp(a->new_name, b->new_name);
}

void match_order(struct match *match)
{
	for (size_t i = 0; i < match->pair_count; i++) {
		struct match_pair *pair = &match->pairs[i];
		const struct match_name *name = &match->list[pair->role][pair->number - 1];

		pair->weight = name->total[RUNS_BEFORE] + name->total[RUNS_AFTER];
	}
	if (match->pairs)
		qsort(match->pairs, match->pair_count, sizeof(*match->pairs), by_weight);
}

/* Tell readers of a name that the user changed, once for all runs that have it. */
static int tell(struct match *match, enum match_role role, uint32_t number, const char *old)
{
	for (size_t i = 0; i < match->pair_count; i++) {
		const struct match_pair *pair = &match->pairs[i];

		if (pair->number == number && pair->role == role && !strcmp(pair->old, old))
			return 0;
	}
	old = match_text(match, old, strlen(old));
	return old ? match_add_pair(match, role, number, old, match->list[role][number - 1].name)
		   : -ENOMEM;
}

uint32_t match_number(struct match *match, enum match_role role, enum runs_side side,
		      const char *name)
{
	const char *as = name;
	bool given = false;
	uint32_t number;

	if (side == RUNS_BEFORE)
		as = match_renamed(match, role, name, &given);
	number = as ? number_name(match, role, as) : 0;
	if (!number || !given)
		return number;
	match->list[role][number - 1].given = true;
	return tell(match, role, number, name) ? 0 : number;
}

int match_decide(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES])
{
	int err = 0;

	if (!match->options.exact)
		err = match_groups(match, role, runs);
	if (!err && role == MATCH_OUTER)
		err = match_commands(match);
	if (!err && role == MATCH_INNER && !match->options.exact)
		err = match_scripts(match);
	return err;
}
