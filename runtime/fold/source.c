/*
 * The table from address to compilation unit is made from the units themselves: .debug_aranges
 * is optional, and clang and rustc leave it out.
 */
#include "runtime/fold/source.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

#include "runtime/fold/ranges.h"
#include "runtime/fold/symbols_elf.h"

struct source {
	Dwfl *dwfl;
	Dwarf_Addr bias; /* from the DWARF's addresses to the file's */
	Dwarf_Die *units;
	uint32_t count;
	struct ranges ranges; /* of the DWARF's addresses; value: unit */
};

static int add_unit(struct source *source, Dwarf_Die *unit)
{
	Dwarf_Die *grown = reallocarray(source->units, source->count + 1, sizeof(*grown));
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	if (!grown)
		return -ENOMEM;
	source->units = grown;
	grown[source->count] = *unit;
	while (!err && (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		err = ranges_add(&source->ranges, start, end, source->count, source->count);
	source->count++;
	return err;
}

int source_open(const char *path, const uint8_t *build_id, size_t build_id_bytes,
		struct source **result)
{
	struct source *source = calloc(1, sizeof(*source));
	Dwarf_Die *unit = NULL;
	Dwfl_Module *module;
	int err;

	if (!source)
		return -ENOMEM;
	err = symbols_elf_open(path, build_id, build_id_bytes, &source->dwfl, &module);
	while (!err && (unit = dwfl_module_nextcu(module, unit, &source->bias)))
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
	ranges_free(&source->ranges);
	free(source->units);
	dwfl_end(source->dwfl);
	free(source);
}

/* What the linker knows it by tells more than its own name: namespace and class. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attribute));

		if (name)
			return name;
	}
	return dwarf_diename(die);
}

static void find_line(Dwarf_Die *unit, Dwarf_Addr address, struct source_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);

	if (!line)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &frame->line))
		frame->line = 0;
}

static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;

	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number))
		frame->line = (int)number;
	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) &&
	    !dwarf_getsrcfiles(unit, &files, &count) && number < count)
		frame->file = dwarf_filesrc(files, number, NULL, NULL);
}

static void find_start(Dwarf_Die *function, struct source_frame *frame)
{
	if (dwarf_decl_line(function, &frame->start_line))
		frame->start_line = 0;
}

/* Scopes as they nest in the code; dwarf_getscopes alone goes on in the inlined function's
 * own definition.  Returns their number, innermost first; 0 if there are none. */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
	Dwarf_Die *innermost = NULL;
	int count = dwarf_getscopes(unit, address, &innermost);

	*scopes = NULL;
	if (count > 0)
		count = dwarf_getscopes_die(&innermost[0], scopes);
	free(innermost);
	return count > 0 ? count : 0;
}

size_t source_find(struct source *source, uint64_t address, struct source_frame *frames)
{
	Dwarf_Addr at = address - source->bias;
	const struct range *range = ranges_find(&source->ranges, at);
	size_t found = 0;
	Dwarf_Die *scopes;
	Dwarf_Die *unit;
	int count;

	frames[0] = (struct source_frame){ 0 };
	if (!range)
		return 1;
	unit = &source->units[range->value];
	find_line(unit, at, &frames[0]);
	count = find_scopes(unit, at, &scopes);
	for (int i = 0; i < count && found + 1 < SOURCE_FRAMES_MAX; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
			find_start(&scopes[i], &frames[found]);
			break;
		}
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		frames[found].name = name_of(&scopes[i]);
		if (!frames[found].name)
			frames[found].name = "[nameless]";
		find_start(&scopes[i], &frames[found]);
		frames[++found] = (struct source_frame){ 0 };
		find_call(unit, &scopes[i], &frames[found]);
	}
	free(scopes);
	return found + 1;
}
