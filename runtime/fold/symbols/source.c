/*
 * The table from addresses to compilation units is made from the units themselves: .debug_aranges
 * is optional, and clang and rustc omit it.
 *
 * dwarf_getscopes() of libdw reads the whole unit for every address, and does not search
 * namespaces, where rustc puts all functions.  So a unit is read once, into a table.  For each
 * address only the one function that holds it is read again, to find the inlined functions there.
 */
#include "runtime/fold/symbols/source.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/base/ranges.h"
#include "runtime/fold/symbols/elfutils.h"
#include "runtime/fold/symbols/symbols_elf.h"

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

static void scopes_free(struct inline_scopes *scopes)
{
	if (!scopes)
		return;
	ranges_free(&scopes->ranges);
	free(scopes->functions);
	free(scopes);
}

/* Read a unit once.  Its DWARF must outlive the result.  Returns 0 with *scopes, to be freed with
 * scopes_free(), or -ENOMEM. */
static int scopes_new(Dwarf_Die *unit, struct inline_scopes **result)
{
	struct inline_scopes *scopes = calloc(1, sizeof(*scopes));
	int err;

	if (!scopes)
		return -ENOMEM;
	err = read_unit(scopes, unit);
	if (!err)
		err = ranges_build(&scopes->ranges);
	if (err) {
		scopes_free(scopes);
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

/* List the function that holds a DWARF address (DW_TAG_subprogram, the innermost where they nest),
 * then the functions inlined at the address, outermost first (DW_TAG_inlined_subroutine).  Returns
 * how many, at most `room`; inner ones are left out then.  Returns 0 if no function is there. */
static size_t scopes_find(const struct inline_scopes *scopes, Dwarf_Addr address, Dwarf_Die *list,
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

struct unit {
	Dwarf_Die die;
	struct inline_scopes *scopes; /* read at the unit's first address */
};

struct source {
	Dwfl *dwfl;
	Dwarf_Addr bias; /* difference between addresses in the DWARF and in the file */
	struct unit *units;
	uint32_t count;
	struct ranges ranges; /* DWARF addresses; value: unit */
};

static int add_unit(struct source *source, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	if (!grow(&source->units, source->count, sizeof(*source->units)))
		return -ENOMEM;
	source->units[source->count] = (struct unit){ .die = *unit };
	while (!err && (at = elfutils.dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		err = ranges_add(&source->ranges, start, end, source->count, source->count);
	source->count++;
	return err;
}

int source_open(const struct symbols_elf_file *file, struct source **result)
{
	struct source *source = calloc(1, sizeof(*source));
	Dwarf_Die *unit = NULL;
	Dwfl_Module *module;
	int err;

	if (!source)
		return -ENOMEM;
	err = symbols_elf_open(file, &source->dwfl, &module);
	while (!err && (unit = elfutils.dwfl_module_nextcu(module, unit, &source->bias)))
		err = add_unit(source, unit);
	if (!err)
		err = source->count ? ranges_build(&source->ranges) : -ENODATA;
	if (err) {
		source_close(source);
		return err;
	}
	*result = source;
	return 0;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	for (uint32_t i = 0; i < source->count; i++)
		scopes_free(source->units[i].scopes);
	ranges_free(&source->ranges);
	free(source->units);
	elfutils.dwfl_end(source->dwfl);
	free(source);
}

/* The linkage name says more than the plain name: it has the namespace and the class. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		const char *name = elfutils.dwarf_formstring(
			elfutils.dwarf_attr_integrate(die, linkage[i], &attribute));

		if (name)
			return name;
	}
	return elfutils.dwarf_diename(die);
}

static void find_line(Dwarf_Die *unit, Dwarf_Addr address, struct source_frame *frame)
{
	Dwarf_Line *line = elfutils.dwarf_getsrc_die(unit, address);
	Dwarf_Attribute attribute;

	if (!line)
		return;
	frame->file = elfutils.dwarf_linesrc(line, NULL, NULL);
	frame->directory =
		elfutils.dwarf_formstring(elfutils.dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (elfutils.dwarf_lineno(line, &frame->line))
		frame->line = 0;
}

static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;

	if (!elfutils.dwarf_formudata(elfutils.dwarf_attr(inlined, DW_AT_call_line, &attribute),
				      &number))
		frame->line = (int)number;
	if (!elfutils.dwarf_formudata(elfutils.dwarf_attr(inlined, DW_AT_call_file, &attribute),
				      &number) &&
	    !elfutils.dwarf_getsrcfiles(unit, &files, &count) && number < count)
		frame->file = elfutils.dwarf_filesrc(files, number, NULL, NULL);
}

static void find_start(Dwarf_Die *function, struct source_frame *frame)
{
	if (elfutils.dwarf_decl_line(function, &frame->start_line))
		frame->start_line = 0;
}

static size_t find_scopes(struct unit *unit, Dwarf_Addr address, Dwarf_Die *scopes)
{
	if (!unit->scopes && scopes_new(&unit->die, &unit->scopes))
		return 0;
	return scopes_find(unit->scopes, address, scopes, SOURCE_FRAMES_MAX);
}

size_t source_find(struct source *source, uint64_t address, struct source_frame *frames)
{
	Dwarf_Addr at = address - source->bias;
	const struct range *range = ranges_find(&source->ranges, at);
	Dwarf_Die scopes[SOURCE_FRAMES_MAX];
	size_t count;
	struct unit *unit;

	frames[0] = (struct source_frame){ 0 };
	if (!range)
		return 1;
	unit = &source->units[range->value];
	find_line(&unit->die, at, &frames[0]);
	count = find_scopes(unit, at, scopes);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Die *scope = &scopes[count - 1 - i];

		find_start(scope, &frames[i]);
		if (i + 1 == count)
			break;
		frames[i].name = name_of(scope);
		if (!frames[i].name)
			frames[i].name = "[nameless]";
		frames[i + 1] = (struct source_frame){ 0 };
		find_call(&unit->die, scope, &frames[i + 1]);
	}
	return count ? count : 1;
}
