/*
 * What holds functions has a number in the order of the unit, and the number of what it is in.
 */
#include "runtime/profile/debuginfo/inline_scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/debuginfo/elfutils.h"

#define DEPTH_MAX 64 /* levels of nested functions in the unit; deeper ones are left out */

struct holder {
	Dwarf_Die die;
	uint32_t outer; /* index + 1; 0: the unit */
};

struct inline_scopes {
	struct holder *holders;
	uint32_t count;
	struct ranges ranges; /* value: index of a function; rank: its nesting depth */
	struct map by_entry;  /* its place: index + 1.  Made at the first question */
};

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

static bool may_hold_inlined(int tag)
{
	switch (tag) {
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

/* Adds an entry, if it has a name of its own.  `outer` becomes the number of what its children are
 * in. */
static int add_holder(struct inline_scopes *scopes, Dwarf_Die *die, int tag, uint32_t depth,
		      uint32_t *outer)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	if (tag == DW_TAG_lexical_block)
		return 0;
	if (!grow(&scopes->holders, scopes->count, sizeof(*scopes->holders)))
		return -ENOMEM;
	scopes->holders[scopes->count] = (struct holder){ *die, *outer };
	while (tag == DW_TAG_subprogram && !err &&
	       (at = elfutils.dwarf_ranges(die, at, &base, &start, &end)) > 0)
		err = ranges_add(&scopes->ranges, start, end, depth, scopes->count);
	*outer = ++scopes->count;
	return err;
}

static int read_unit(struct inline_scopes *scopes, Dwarf_Die *unit)
{
	Dwarf_Die path[DEPTH_MAX]; /* from the child of the unit down to the current entry */
	uint32_t outer[DEPTH_MAX] = { 0 };
	uint32_t depth = 0;
	int err = 0;

	if (elfutils.dwarf_child(unit, &path[0]))
		return 0;
	while (!err) {
		int tag = elfutils.dwarf_tag(&path[depth]);
		uint32_t inner = outer[depth];

		if (may_hold_functions(tag)) {
			err = add_holder(scopes, &path[depth], tag, depth, &inner);
			if (!err && depth + 1 < DEPTH_MAX &&
			    !elfutils.dwarf_child(&path[depth], &path[depth + 1])) {
				outer[++depth] = inner;
				continue;
			}
		}
		while (elfutils.dwarf_siblingof(&path[depth], &path[depth]))
			if (!depth--)
				return err;
	}
	return err;
}

void inline_scopes_free(struct inline_scopes *scopes)
{
	if (!scopes)
		return;
	ranges_free(&scopes->ranges);
	map_free(&scopes->by_entry);
	free(scopes->holders);
	free(scopes);
}

int inline_scopes_new(Dwarf_Die *unit, struct inline_scopes **result)
{
	struct inline_scopes *scopes = calloc(1, sizeof(*scopes));
	int err;

	if (!scopes)
		return -ENOMEM;
	err = read_unit(scopes, unit);
	if (!err)
		err = ranges_build(&scopes->ranges);
	if (err) {
		inline_scopes_free(scopes);
		return err;
	}
	*result = scopes;
	return 0;
}

/* Descend to the nested scope that holds the address. */
static bool enter(Dwarf_Die *scope, Dwarf_Addr address)
{
	Dwarf_Die child;

	if (elfutils.dwarf_child(scope, &child))
		return false;
	do {
		if (may_hold_inlined(elfutils.dwarf_tag(&child)) &&
		    elfutils.dwarf_haspc(&child, address) > 0) {
			*scope = child;
			return true;
		}
	} while (!elfutils.dwarf_siblingof(&child, &child));
	return false;
}

size_t inline_scopes_find(const struct inline_scopes *scopes, Dwarf_Addr address, Dwarf_Die *list,
			  size_t room)
{
	const struct range *range = ranges_find(&scopes->ranges, address);
	size_t found = 0;
	Dwarf_Die scope;

	if (!range || !room)
		return 0;
	scope = scopes->holders[range->value].die;
	list[found++] = scope;
	while (found < room && enter(&scope, address))
		if (elfutils.dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
			list[found++] = scope;
	return found;
}

static void make_map(struct inline_scopes *scopes)
{
	for (uint32_t i = 0; i < scopes->count; i++) {
		uint32_t *index =
			map_at(&scopes->by_entry, 0, inline_scopes_place(&scopes->holders[i].die));

		if (index)
			*index = i + 1;
	}
}

bool inline_scopes_outer(struct inline_scopes *scopes, const Dwarf_Die *die, Dwarf_Die *outer)
{
	uint32_t index;

	if (!scopes->by_entry.used)
		make_map(scopes);
	index = map_value(&scopes->by_entry, 0, inline_scopes_place(die));
	index = index ? scopes->holders[index - 1].outer : 0;
	if (index)
		*outer = scopes->holders[index - 1].die;
	return index;
}
