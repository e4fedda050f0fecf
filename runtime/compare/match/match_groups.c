/*
 * A wrong match makes two functions one, and hides a change; a missed one makes a change that is
 * none.  So each kind of form has its rule:
 *
 * Copies of a function are that function, so all of them are, as soon as one side has a copy that
 * the other lacks.  Calls that were inlined and calls that were not are one in any case: builds
 * differ in how many there are of each, and what moves between them is no change.  Two versions of
 * a library in one profile are two libraries: versions match only one to one.  Addresses and
 * numbers that most of the weight has on both sides are those of one build, and tell something;
 * others are chance, and are left out.
 */
#include "runtime/compare/match/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/symbols/frame_kind.h"

#define STEADY_LEAST 0.75 /* of the weight of addresses that are kept */
#define SEVERAL	     UINT32_MAX
#define FORM_ROOM    16 /* what name_form() needs beside the name's own length */

/* The names of one form. */
struct group {
	const char *form;
	enum name_form kind; /* the largest of its names */
	size_t both;	     /* number of names that both sides have */
	size_t own[RUNS_SIDES];
	const char *place[RUNS_SIDES]; /* what its names are on a side, but for addresses */
	bool several[RUNS_SIDES];      /* … if that is not one */
	bool inlined, called;	       /* a name is of inlined calls; of others */
	double weight[2];	       /* self and total of addresses and numbers, per run */
	double steady[2];	       /* of these, of names that most runs have */
	uint32_t largest;	       /* number of the one with the largest total */
	const char *as;		       /* NULL: its names stay */
};

struct grouping {
	struct match *match;
	enum match_role role;
	const size_t *runs;
	struct string_table forms;
	struct group *groups; /* by number of the form - 1 */
	char *text;	      /* room for a form */
	size_t text_bytes;
};

static struct match_name *names_of(const struct grouping *grouping)
{
	return grouping->match->list[grouping->role];
}

static bool takes_part(const struct match_name *name)
{
	return !name->given && !name->noise && (name->runs[RUNS_BEFORE] || name->runs[RUNS_AFTER]);
}

static bool make_room(struct grouping *grouping, const char *name)
{
	size_t bytes = strlen(name) + FORM_ROOM + 1;
	char *larger;

	if (bytes <= grouping->text_bytes)
		return true;
	larger = realloc(grouping->text, 2 * bytes);
	if (!larger)
		return false;
	grouping->text = larger;
	grouping->text_bytes = 2 * bytes;
	return true;
}

static int find_form(struct grouping *grouping, struct match_name *name)
{
	if (!make_room(grouping, name->name))
		return -ENOMEM;
	if (grouping->role == MATCH_OUTER)
		name->kind = name_form_outer(name->name, grouping->text);
	else if (grouping->match->options.modules)
		name->kind = name_form_module(name->name, grouping->text);
	else
		name->kind = name_form(name->name, grouping->text);
	name->group = string_table_intern(&grouping->forms, grouping->text, strlen(grouping->text));
	return name->group ? 0 : -ENOMEM;
}

/* Returns what a name is but for its address: the module with its version, or its form if it is in
 * none.  NULL when memory is out. */
static const char *place_of(struct grouping *grouping, const struct match_name *name)
{
	if (name->kind != NAME_FORM_ADDRESS)
		return name->name;
	name_form_place(name->name, grouping->text);
	if (!strcmp(grouping->text, name->name))
		return string_table_text(&grouping->forms, name->group);
	return match_text(grouping->match, grouping->text, strlen(grouping->text));
}

/* Returns whether most runs of the sides that have the group have the name. */
static bool is_steady(const struct grouping *grouping, const struct group *group,
		      const struct match_name *name)
{
	for (int side = 0; side < RUNS_SIDES; side++)
		if (group->place[side] && 2 * name->runs[side] < grouping->runs[side])
			return false;
	return true;
}

static double sum(const struct match_name *name)
{
	return name->total[RUNS_BEFORE] + name->total[RUNS_AFTER];
}

static void weigh(const struct grouping *grouping, uint32_t number)
{
	const struct match_name *list = names_of(grouping), *name = &list[number - 1];
	struct group *group = &grouping->groups[name->group - 1];
	bool steady = is_steady(grouping, group, name);

	if (!group->largest || sum(name) > sum(&list[group->largest - 1]))
		group->largest = number;

	for (int side = 0; side < RUNS_SIDES; side++) {
		double runs = grouping->runs[side] ? (double)grouping->runs[side] : 1;
		const double values[] = { name->self[side] / runs, name->total[side] / runs };

		for (int i = 0; i < 2; i++) {
			group->weight[i] += values[i];
			group->steady[i] += steady ? values[i] : 0;
		}
	}
}

static void take_place(struct group *group, enum runs_side side, const char *place)
{
	if (!group->place[side])
		group->place[side] = place;
	else if (strcmp(group->place[side], place) != 0)
		group->several[side] = true;
}

static int enter(struct grouping *grouping, const struct match_name *name)
{
	struct group *group = &grouping->groups[name->group - 1];
	const char *place = place_of(grouping, name);
	size_t bytes;

	if (!place)
		return -ENOMEM;
	for (int side = 0; side < RUNS_SIDES; side++)
		if (name->runs[side])
			take_place(group, (enum runs_side)side, place);
	if (name->runs[RUNS_BEFORE] && name->runs[RUNS_AFTER])
		group->both++;
	else
		group->own[name->runs[RUNS_AFTER] ? RUNS_AFTER : RUNS_BEFORE]++;
	if (name->kind > group->kind)
		group->kind = name->kind;
	if (frame_kind_of(name->name, &bytes) == FRAME_KIND_INLINED)
		group->inlined = true;
	else
		group->called = true;
	return 0;
}

/* Fill the groups: all names first, as weights need to know which sides have the group. */
static int gather(struct grouping *grouping)
{
	struct match_name *list = names_of(grouping);
	size_t count = grouping->match->count[grouping->role];
	int err = 0;

	free(grouping->groups);
	grouping->groups = calloc((size_t)grouping->forms.count + 1, sizeof(*grouping->groups));
	if (!grouping->groups)
		return -ENOMEM;
	for (uint32_t i = 0; i < grouping->forms.count; i++)
		grouping->groups[i].form = string_table_text(&grouping->forms, i + 1);
	for (size_t i = 0; i < count && !err; i++)
		if (takes_part(&list[i]))
			err = enter(grouping, &list[i]);
	for (size_t i = 0; i < count && !err; i++)
		if (takes_part(&list[i]) && list[i].kind >= NAME_FORM_NUMBER)
			weigh(grouping, (uint32_t)i + 1);
	return err;
}

/* Two modules of one side that differ by their versions are two: give each its own form. */
static int part_modules(struct grouping *grouping)
{
	struct match_name *list = names_of(grouping);

	for (size_t i = 0; i < grouping->match->count[grouping->role]; i++) {
		const struct group *group;
		const char *place;

		if (!takes_part(&list[i]))
			continue;
		group = &grouping->groups[list[i].group - 1];
		if (group->kind != NAME_FORM_ADDRESS ||
		    (!group->several[RUNS_BEFORE] && !group->several[RUNS_AFTER]))
			continue;
		place = place_of(grouping, &list[i]);
		if (!place)
			return -ENOMEM;
		list[i].group = string_table_intern(&grouping->forms, place, strlen(place));
		if (!list[i].group)
			return -ENOMEM;
		if (list[i].kind != NAME_FORM_ADDRESS)
			list[i].kind = NAME_FORM_SAME;
	}
	return 0;
}

static const char *last_part(const char *name)
{
	for (const char *next = name; (next = strstr(next, "::"));)
		name = next += 2;
	return name;
}

/* Store for each number of a last part the number of the group that has it and was called;
 * SEVERAL if it is not the only one.  `called` has room for as many as there are groups. */
static int list_called(const struct grouping *grouping, struct string_table *parts,
		       uint32_t *called)
{
	for (uint32_t i = 0; i < grouping->forms.count; i++) {
		const char *part = last_part(grouping->groups[i].form);
		uint32_t number;

		if (!grouping->groups[i].called)
			continue;
		number = string_table_intern(parts, part, strlen(part));
		if (!number)
			return -ENOMEM;
		called[number - 1] = called[number - 1] ? SEVERAL : i + 1;
	}
	return 0;
}

/* Returns the number of the group that a name's group is of by its last part; its own otherwise. */
static uint32_t called_group(const struct grouping *grouping, struct string_table *parts,
			     size_t known, const uint32_t *called, uint32_t own)
{
	const struct group *group = &grouping->groups[own - 1], *other;
	uint32_t number;

	if (!group->inlined || group->called || last_part(group->form) != group->form)
		return own;
	number = string_table_intern(parts, group->form, strlen(group->form));
	if (!number || number > known || called[number - 1] == SEVERAL)
		return number ? own : 0;
	other = &grouping->groups[called[number - 1] - 1];
	for (int side = 0; side < RUNS_SIDES; side++)
		if (!group->place[side] == !other->place[side])
			return own;
	return called[number - 1];
}

/* Debug information names some inlined functions without their namespace or class: "mix_[i]" is
 * "space::mix" if one side has only the former and the other only the latter, and nothing else is
 * called so. */
static int join_inlined(struct grouping *grouping)
{
	struct match_name *list = names_of(grouping);
	uint32_t *called = calloc((size_t)grouping->forms.count + 1, sizeof(*called));
	struct string_table parts = { .count = 0 };
	int err = called ? list_called(grouping, &parts, called) : -ENOMEM;
	size_t known = parts.count;

	for (size_t i = 0; i < grouping->match->count[grouping->role] && !err; i++) {
		if (!takes_part(&list[i]))
			continue;
		list[i].group = called_group(grouping, &parts, known, called, list[i].group);
		err = list[i].group ? 0 : -ENOMEM;
	}
	string_table_free(&parts);
	free(called);
	return err;
}

static bool is_mostly_steady(const struct group *group)
{
	for (int i = 0; i < 2; i++)
		if (group->steady[i] < STEADY_LEAST * group->weight[i])
			return false;
	return true;
}

/* Returns what the names of a group are compared as; NULL if they stay. */
static const char *judge(const struct group *group)
{
	bool on_both = group->place[RUNS_BEFORE] && group->place[RUNS_AFTER];
	bool alike = !group->own[RUNS_BEFORE] && !group->own[RUNS_AFTER];
	const char *place =
		group->several[RUNS_AFTER] || !on_both ? group->form : group->place[RUNS_AFTER];

	switch (group->kind) {
	case NAME_FORM_COPY:
		return (on_both && !alike) || (group->inlined && group->called) ? place : NULL;
	case NAME_FORM_VERSION:
		return !group->both && group->own[RUNS_BEFORE] == 1 && group->own[RUNS_AFTER] == 1
			       ? place
			       : NULL;
	case NAME_FORM_NUMBER:
		return is_mostly_steady(group) ? NULL : group->form;
	case NAME_FORM_ADDRESS:
		return is_mostly_steady(group) ? NULL : place;
	case NAME_FORM_SAME:
	default:
		return NULL;
	}
}

/* Numbers and versions may share a form ("worker/12", "worker1.2"); only the former are chance. */
static bool is_compared_as(const struct group *group, const struct match_name *name)
{
	return group->as && strcmp(group->as, name->name) != 0 &&
	       (group->kind != NAME_FORM_NUMBER || name->kind == NAME_FORM_NUMBER);
}

/* Tell readers of a name that is compared as another.  Of addresses and numbers, one is enough. */
static int tell(struct grouping *grouping, const struct group *group, uint32_t number)
{
	const struct match_name *name = &names_of(grouping)[number - 1];
	bool before = name->runs[RUNS_BEFORE] > 0;

	if (!group->place[RUNS_BEFORE] || !group->place[RUNS_AFTER] ||
	    (group->kind >= NAME_FORM_NUMBER && number != group->largest))
		return 0;
	if (before && !name->runs[RUNS_AFTER])
		return match_add_pair(grouping->match, grouping->role, number, name->name,
				      name->as);
	return before ? 0
		      : match_add_pair(grouping->match, grouping->role, number, name->as,
				       name->name);
}

static int apply(struct grouping *grouping)
{
	struct match_name *list = names_of(grouping);
	int err = 0;

	for (uint32_t i = 0; i < grouping->forms.count; i++) {
		struct group *group = &grouping->groups[i];
		const char *as = judge(group);

		group->as = as ? match_text(grouping->match, as, strlen(as)) : NULL;
		if (as && !group->as)
			return -ENOMEM;
	}
	for (size_t i = 0; i < grouping->match->count[grouping->role] && !err; i++) {
		const struct group *group;

		if (!takes_part(&list[i]))
			continue;
		group = &grouping->groups[list[i].group - 1];
		if (!is_compared_as(group, &list[i]))
			continue;
		list[i].as = group->as;
		err = tell(grouping, group, (uint32_t)i + 1);
	}
	return err;
}

int match_groups(struct match *match, enum match_role role, const size_t runs[RUNS_SIDES])
{
	struct grouping grouping = { .match = match, .role = role, .runs = runs };
	int err = make_room(&grouping, "") ? 0 : -ENOMEM;

	for (size_t i = 0; i < match->count[role] && !err; i++)
		if (takes_part(&match->list[role][i]))
			err = find_form(&grouping, &match->list[role][i]);
	if (!err)
		err = gather(&grouping);
	if (!err)
		err = part_modules(&grouping);
	if (!err)
		err = gather(&grouping);
	if (!err)
		err = join_inlined(&grouping);
	if (!err)
		err = gather(&grouping);
	if (!err)
		err = apply(&grouping);
	string_table_free(&grouping.forms);
	free(grouping.groups);
	free(grouping.text);
	return err;
}
