/*
 * dwarf_getscopes() of libdw reads the whole unit for every address, and does not search
 * namespaces, where rustc puts all functions.  So a unit is read once, into a table.  For each
 * address only the one function that holds it is read again, to find the inlined functions there.
 */
#include "runtime/fold/symbols/inline_scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/base/ranges.h"
#include "runtime/fold/symbols/elfutils.h"

#define DEPTH_MAX 64 /* levels of nested functions in the unit; deeper ones are left out */

struct inline_scopes {
	Dwarf_Die *functions;
	uint32_t count;
	struct ranges ranges; /* value: function; rank: its nesting depth */
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

static int add_function(struct inline_scopes *scopes, Dwarf_Die *die, uint32_t depth)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	if (!grow(&scopes->functions, scopes->count, sizeof(*die)))
		return -ENOMEM;
	scopes->functions[scopes->count] = *die;
	while (!err && (at = elfutils.dwarf_ranges(die, at, &base, &start, &end)) > 0)
		err = ranges_add(&scopes->ranges, start, end, depth, scopes->count);
	scopes->count++;
	return err;
}

static int read_unit(struct inline_scopes *scopes, Dwarf_Die *unit)
{
	Dwarf_Die path[DEPTH_MAX]; /* from the child of the unit down to the current entry */
	uint32_t depth = 0;
	int err = 0;

	if (elfutils.dwarf_child(unit, &path[0]))
		return 0;
	while (!err) {
		int tag = elfutils.dwarf_tag(&path[depth]);

		if (tag == DW_TAG_subprogram)
			err = add_function(scopes, &path[depth], depth);
		if (may_hold_functions(tag) && depth + 1 < DEPTH_MAX &&
		    !elfutils.dwarf_child(&path[depth], &path[depth + 1])) {
			depth++;
			continue;
		}
		while (elfutils.dwarf_siblingof(&path[depth], &path[depth]))
			if (!depth--)
				return err;
	}
	return err;
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

void inline_scopes_free(struct inline_scopes *scopes)
{
	if (!scopes)
		return;
	ranges_free(&scopes->ranges);
	free(scopes->functions);
	free(scopes);
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
	scope = scopes->functions[range->value];
	list[found++] = scope;
	while (found < room && enter(&scope, address))
		if (elfutils.dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
			list[found++] = scope;
	return found;
}
