/*
 * The table from addresses to compilation units is made from the units themselves: .debug_aranges
 * is optional, and clang and rustc omit it.
 */
#include "runtime/profile/debuginfo/source.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/inline_scopes.h"
#include "runtime/profile/debuginfo/scoped_names.h"
#include "runtime/profile/debuginfo/split_units.h"
#include "runtime/profile/debuginfo/symbols_elf.h"

struct unit {
	Dwarf_Die die;
	Dwarf_Die whole; /* with its functions: see split_units_whole() */
	/* Read at the unit's first address; `names` of the source owns it. */
	struct inline_scopes *scopes;
};

struct source {
	Dwfl *dwfl;
	Dwarf_Addr bias; /* difference between addresses in the DWARF and in the file */
	struct unit *units;
	uint32_t count;
	struct ranges ranges; /* DWARF addresses; value: unit */
	struct scoped_names names;
	struct split_units split;
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

/* dwz moves what several debug files share to one that each of them names. */
static bool lacks_common_file(Dwarf_Die *unit)
{
	Dwarf *dwarf = elfutils.dwarf_cu_getdwarf(unit->cu);
	const void *build_id;
	const char *name;

	return elfutils.dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) > 0 &&
	       !elfutils.dwarf_getalt(dwarf);
}

/* Looked at in one unit, of those that no package has if there are any: the files .dwo of a program
 * are there or were left behind together. */
static const char *split_wrong(const struct source *source)
{
	Dwarf_Die *chosen = NULL;

	for (uint32_t i = 0; i < source->count; i++) {
		Dwarf_Die *unit = &source->units[i].die;
		bool apart = split_units_is(unit) && split_units_apart(&source->split, unit);

		if (apart || (!chosen && split_units_is(unit)))
			chosen = unit;
		if (apart)
			break;
	}
	return chosen ? split_units_wrong(&source->split, chosen) : NULL;
}

const char *source_wrong(const struct source *source)
{
	if (lacks_common_file(&source->units[0].die))
		return "shares debug information with a file of dwz that is missing:";
	return split_wrong(source);
}

/* The file, and that with its debug information if it is another one. */
static void open_split(struct source *source, Dwfl_Module *module, const char *path)
{
	const char *files[] = { path, NULL };

	elfutils.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, &files[1]);
	split_units_open(&source->split, files, sizeof(files) / sizeof(files[0]));
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
	if (!err)
		open_split(source, module, file->path);
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
	scoped_names_free(&source->names);
	split_units_close(&source->split);
	ranges_free(&source->ranges);
	free(source->units);
	elfutils.dwfl_end(source->dwfl);
	free(source);
}

/* The linkage name has the namespace and the class, and the parameters. */
static const char *name_of(struct source *source, struct unit *unit, Dwarf_Die *die)
{
	static const unsigned linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		const char *name = elfutils.dwarf_formstring(
			elfutils.dwarf_attr_integrate(die, linkage[i], &attribute));

		if (name)
			return name;
	}
	return scoped_names_find(&source->names, &unit->whole, die);
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

static size_t find_scopes(struct source *source, struct unit *unit, Dwarf_Addr address,
			  Dwarf_Die *scopes)
{
	if (!unit->scopes) {
		unit->whole = split_units_whole(&source->split, &unit->die);
		unit->scopes = scoped_names_unit(&source->names, &unit->whole);
	}
	return unit->scopes ? inline_scopes_find(unit->scopes, address, scopes, SOURCE_FRAMES_MAX)
			    : 0;
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
	count = find_scopes(source, unit, at, scopes);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Die *scope = &scopes[count - 1 - i];

		find_start(scope, &frames[i]);
		if (i + 1 == count)
			break;
		frames[i].name = name_of(source, unit, scope);
		if (!frames[i].name)
			frames[i].name = "[nameless]";
		frames[i + 1] = (struct source_frame){ 0 };
		find_call(&unit->die, scope, &frames[i + 1]);
	}
	return count ? count : 1;
}
