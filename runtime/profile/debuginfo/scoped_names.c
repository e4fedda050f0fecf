/*
 * A function that is defined outside of its class refers to its declaration in it, maybe in another
 * unit: that is in the class, and the class in its namespace.
 */
#include "runtime/profile/debuginfo/scoped_names.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/inline_scopes.h"

#define DEPTH_MAX  64 /* what is deeper gets no names of the outermost ones */
#define NAME_BYTES 4096
#define ORIGINS	   3 /* an inlined copy of a copy of a function */

/* The list of language codes on dwarfstd.org; older headers of elfutils lack them. */
#define LANGUAGE_C_PLUS_PLUS_17 0x2b
#define LANGUAGE_C_PLUS_PLUS_20 0x2c

struct written {
	char text[NAME_BYTES];
	size_t length; /* NAME_BYTES: it does not fit */
};

void scoped_names_free(struct scoped_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		inline_scopes_free(names->units[i]);
	free(names->units);
	map_free(&names->unit_at);
	map_free(&names->name_at);
	string_table_free(&names->texts);
}

struct inline_scopes *scoped_names_unit(struct scoped_names *names, Dwarf_Die *unit)
{
	uint32_t *index = map_at(&names->unit_at, 0, inline_scopes_place(unit));

	if (!index)
		return NULL;
	if (*index)
		return names->units[*index - 1];
	if (!grow(&names->units, names->count, sizeof(struct inline_scopes *)) ||
	    inline_scopes_new(unit, &names->units[names->count]))
		return NULL;
	*index = ++names->count;
	return names->units[*index - 1];
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

static void write_text(struct written *written, const char *text)
{
	int length =
		snprintf(written->text + written->length, NAME_BYTES - written->length, "%s", text);

	written->length += (size_t)length;
	if (written->length > NAME_BYTES - 1)
		written->length = NAME_BYTES;
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
static void write_outer(struct scoped_names *names, const Dwarf_Die *declared,
			struct written *written)
{
	Dwarf_Die path[DEPTH_MAX], die = *declared, unit;
	unsigned depth = 0;

	while (depth < DEPTH_MAX && elfutils.dwarf_diecu(&die, &unit, NULL, NULL)) {
		struct inline_scopes *scopes = scoped_names_unit(names, &unit);

		if (!scopes || !inline_scopes_outer(scopes, &die, &path[depth]))
			break;
		die = declaration_of(&path[depth++]);
	}
	while (depth) {
		write_text(written, name_of_outer(&path[--depth]));
		write_text(written, "::");
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
static uint32_t make_name(struct scoped_names *names, const Dwarf_Die *declared, const char *plain)
{
	struct written written = { .length = 0 };

	write_outer(names, declared, &written);
	write_text(&written, plain);
	if (written.length == NAME_BYTES)
		return 0;
	return string_table_intern(&names->texts, written.text, written.length);
}

const char *scoped_names_find(struct scoped_names *names, Dwarf_Die *unit, Dwarf_Die *function)
{
	const char *plain = elfutils.dwarf_diename(function);
	Dwarf_Die declared;
	uint32_t number, *kept;

	if (!plain || !has_scopes(unit))
		return plain;
	declared = declaration_of(function);
	number = map_value(&names->name_at, 0, inline_scopes_place(&declared));
	if (!number) {
		number = make_name(names, &declared, plain);
		kept = number ? map_at(&names->name_at, 0, inline_scopes_place(&declared)) : NULL;
		if (kept)
			*kept = number;
	}
	return number ? string_table_text(&names->texts, number) : plain;
}
