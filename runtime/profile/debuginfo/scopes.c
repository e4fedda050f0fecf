/*
 * What holds functions has a number in the order of the unit, and the number of what it is in.  A
 * function that is defined outside of its class refers to its declaration in it, maybe in another
 * unit: that is in the class, and the class in its namespace.
 */
#include "runtime/profile/debuginfo/scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "config/text/text.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/debuginfo/elfutils.h"

#define DEPTH_MAX  64 /* levels of nested entries; deeper ones, or outer ones, are left out */
#define NAME_BYTES 4096
#define ORIGINS	   3 /* an inlined copy of a copy of a function */

/* The list of language codes on dwarfstd.org; older headers of elfutils lack them. */
#define LANGUAGE_C_PLUS_PLUS_17 0x2b
#define LANGUAGE_C_PLUS_PLUS_20 0x2c

struct holder {
	Dwarf_Die die;
	uint32_t outer; /* index + 1; 0: the unit */
};

struct scopes_unit {
	struct holder *holders;
	uint32_t count;
	struct ranges ranges; /* value: index of a function; rank: its nesting depth */
	struct map by_entry;  /* its place: index + 1.  Made at the first question */
};

/* Returns a number that only this entry has, while its DWARF is open. */
static uint64_t identity(const Dwarf_Die *die)
{
	return (uint64_t)(uintptr_t)die->addr;
}

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
static int add_holder(struct scopes_unit *unit, Dwarf_Die *die, int tag, uint32_t depth,
		      uint32_t *outer)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	if (tag == DW_TAG_lexical_block)
		return 0;
	if (!grow(&unit->holders, unit->count, sizeof(*unit->holders)))
		return -ENOMEM;
	unit->holders[unit->count] = (struct holder){ *die, *outer };
	while (tag == DW_TAG_subprogram && !err &&
	       (at = elfutils.dwarf_ranges(die, at, &base, &start, &end)) > 0)
		err = ranges_add(&unit->ranges, start, end, depth, unit->count);
	*outer = ++unit->count;
	return err;
}

static int read_unit(struct scopes_unit *unit, Dwarf_Die *die)
{
	Dwarf_Die path[DEPTH_MAX]; /* from the child of the unit down to the current entry */
	uint32_t outer[DEPTH_MAX] = { 0 };
	uint32_t depth = 0;
	int err = 0;

	if (elfutils.dwarf_child(die, &path[0]))
		return 0;
	while (!err) {
		int tag = elfutils.dwarf_tag(&path[depth]);
		uint32_t inner = outer[depth];

		if (may_hold_functions(tag)) {
			err = add_holder(unit, &path[depth], tag, depth, &inner);
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

static void free_unit(struct scopes_unit *unit)
{
	ranges_free(&unit->ranges);
	map_free(&unit->by_entry);
	free(unit->holders);
	free(unit);
}

/* Returns NULL when memory is out. */
static struct scopes_unit *new_unit(Dwarf_Die *die)
{
	struct scopes_unit *unit = calloc(1, sizeof(*unit));

	if (!unit || (!read_unit(unit, die) && !ranges_build(&unit->ranges)))
		return unit;
	free_unit(unit);
	return NULL;
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

size_t scopes_find(const struct scopes_unit *unit, Dwarf_Addr address, Dwarf_Die *list, size_t room)
{
	const struct range *range = ranges_find(&unit->ranges, address);
	size_t found = 0;
	Dwarf_Die scope;

	if (!range || !room)
		return 0;
	scope = unit->holders[range->value].die;
	list[found++] = scope;
	while (found < room && enter(&scope, address))
		if (elfutils.dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
			list[found++] = scope;
	return found;
}

static void make_map(struct scopes_unit *unit)
{
	for (uint32_t i = 0; i < unit->count; i++) {
		uint32_t *index = map_at(&unit->by_entry, 0, identity(&unit->holders[i].die));

		if (index)
			*index = i + 1;
	}
}

/* Find what an entry of the unit is in: a namespace, a class or a function.  Returns false if it is
 * in none, is none of these itself, or memory is out. */
static bool find_outer(struct scopes_unit *unit, const Dwarf_Die *die, Dwarf_Die *outer)
{
	uint32_t index;

	if (!unit->by_entry.used)
		make_map(unit);
	index = map_value(&unit->by_entry, 0, identity(die));
	index = index ? unit->holders[index - 1].outer : 0;
	if (index)
		*outer = unit->holders[index - 1].die;
	return index;
}

void scopes_free(struct scopes *scopes)
{
	for (uint32_t i = 0; i < scopes->count; i++)
		free_unit(scopes->units[i]);
	free(scopes->units);
	map_free(&scopes->unit_at);
	map_free(&scopes->name_at);
	string_table_free(&scopes->texts);
}

struct scopes_unit *scopes_unit(struct scopes *scopes, Dwarf_Die *unit)
{
	uint32_t *index = map_at(&scopes->unit_at, 0, identity(unit));
	struct scopes_unit *made;

	if (!index)
		return NULL;
	if (*index)
		return scopes->units[*index - 1];
	made = grow(&scopes->units, scopes->count, sizeof(void *)) ? new_unit(unit) : NULL;
	if (made) {
		scopes->units[scopes->count] = made;
		*index = ++scopes->count;
	}
	return made;
}

static bool follow(Dwarf_Die *die, unsigned link)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next;

	if (!elfutils.dwarf_formref_die(elfutils.dwarf_attr(die, link, &attribute), &next))
		return false;
	*die = next;
	return true;
}

static Dwarf_Die declaration_of(const Dwarf_Die *die)
{
	Dwarf_Die declared = *die;

	for (unsigned i = 0; i < ORIGINS && follow(&declared, DW_AT_abstract_origin); i++)
		;
	follow(&declared, DW_AT_specification);
	return declared;
}

static const char *name_of_outer(Dwarf_Die *outer)
{
	const char *name = elfutils.dwarf_diename(outer);

	if (name)
		return name;
	return elfutils.dwarf_tag(outer) == DW_TAG_namespace ? "(anonymous namespace)"
							     : "{unnamed}";
}

/* Writes what a declaration is in, the outermost first. */
static void write_outer(struct scopes *scopes, const Dwarf_Die *declared, struct text *name)
{
	Dwarf_Die path[DEPTH_MAX], die = *declared, unit;
	unsigned depth = 0;

	while (depth < DEPTH_MAX && elfutils.dwarf_diecu(&die, &unit, NULL, NULL)) {
		struct scopes_unit *table = scopes_unit(scopes, &unit);

		if (!table || !find_outer(table, &die, &path[depth]))
			break;
		die = declaration_of(&path[depth++]);
	}
	while (depth) {
		text_add(name, name_of_outer(&path[--depth]));
		text_add(name, "::");
	}
}

static bool has_scopes(Dwarf_Die *unit)
{
	switch (elfutils.dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANGUAGE_C_PLUS_PLUS_17:
	case LANGUAGE_C_PLUS_PLUS_20:
	case DW_LANG_Rust:
		return true;
	default:
		return false;
	}
}

/* Returns 0 when memory is out, or if the name is too long. */
static uint32_t make_name(struct scopes *scopes, const Dwarf_Die *declared, const char *plain)
{
	char bytes[NAME_BYTES];
	struct text name = text_into(bytes, sizeof(bytes));

	write_outer(scopes, declared, &name);
	text_add(&name, plain);
	return name.cut ? 0 : string_table_intern(&scopes->texts, bytes, name.used);
}

const char *scopes_name(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Die *function)
{
	const char *plain = elfutils.dwarf_diename(function);
	Dwarf_Die declared;
	uint32_t *number;

	if (!plain || !has_scopes(unit))
		return plain;
	declared = declaration_of(function);
	number = map_at(&scopes->name_at, 0, identity(&declared));
	if (number && !*number)
		*number = make_name(scopes, &declared, plain);
	return number && *number ? string_table_text(&scopes->texts, *number) : plain;
}
