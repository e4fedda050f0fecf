/*
 * The table from addresses to compilation units is made from the units themselves: .debug_aranges
 * is optional, and clang and rustc omit it.
 *
 * Split DWARF: a unit of a program has its functions in a file .dwo that it names, or in a package
 * beside the program.  What stays in the program is the unit's skeleton, with its lines.  libdw
 * looks for a file .dwo by the name that the skeleton has.  If the package has the unit, what it
 * opens then is the unit's file as it was packed.
 */
#include "runtime/profile/debuginfo/source.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/open_instead.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/dwp.h"
#include "runtime/profile/debuginfo/scopes.h"
#include "runtime/profile/debuginfo/symbols_elf.h"

struct unit {
	Dwarf_Die die;
	Dwarf_Die whole; /* with its functions: see whole_unit() */
	/* Read at the unit's first address; `scopes` of the source owns it. */
	struct scopes_unit *scopes;
};

struct source {
	Dwfl *dwfl;
	Dwarf_Addr bias; /* difference between addresses in the DWARF and in the file */
	struct unit *units;
	uint32_t count;
	struct ranges ranges; /* DWARF addresses; value: unit */
	struct scopes scopes;
	struct dwp *package; /* NULL: none */
	int package_err;     /* of a package that cannot be used, -errno; else 0 */
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

/* Returns whether the unit is a skeleton, then with its number. */
static bool has_id(Dwarf_Die *unit, uint64_t *id)
{
	uint8_t type;

	return !elfutils.dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, id, NULL, NULL) &&
	       type == DW_UT_skeleton;
}

/* Returns the unit with its functions: `unit` itself if it is no skeleton, or if the rest of it is
 * not found.  Valid as long as the DWARF of `unit`. */
static Dwarf_Die whole_unit(const struct source *source, Dwarf_Die *unit)
{
	Dwarf_Die whole = { 0 };
	uint64_t id;
	int fd, err;

	if (!has_id(unit, &id))
		return *unit;
	fd = dwp_unpack(source->package, id);
	open_instead_begin(fd);
	err = elfutils.dwarf_cu_info(unit->cu, NULL, NULL, NULL, &whole, NULL, NULL, NULL);
	open_instead_end();
	if (fd >= 0)
		close(fd);
	return !err && whole.addr ? whole : *unit;
}

/* Returns why the rest of a skeleton is not found; NULL if it is. */
static const char *skeleton_wrong(const struct source *source, Dwarf_Die *unit)
{
	uint64_t id;

	if (whole_unit(source, unit).addr != unit->addr || !has_id(unit, &id))
		return NULL;
	if (source->package_err && source->package_err != -EBADMSG)
		return "has its debug information in a package (.dwp), which cannot be read:";
	if (source->package_err || (source->package && dwp_look(source->package, id) != -ENOENT))
		return "has its debug information in a package (.dwp), which is damaged:";
	return source->package
		       ? "has its debug information in a package (.dwp), which is of another build:"
		       : "has its debug information in files .dwo, which are missing or cannot be "
			 "read:";
}

/* Looked at in one unit, of those that no package has if there are any: the files .dwo of a program
 * are there or were left behind together. */
static const char *split_wrong(const struct source *source)
{
	Dwarf_Die *chosen = NULL;
	uint64_t id;

	for (uint32_t i = 0; i < source->count; i++) {
		Dwarf_Die *unit = &source->units[i].die;
		bool apart = has_id(unit, &id) && dwp_look(source->package, id);

		if (apart || (!chosen && has_id(unit, &id)))
			chosen = unit;
		if (apart)
			break;
	}
	return chosen ? skeleton_wrong(source, chosen) : NULL;
}

const char *source_wrong(const struct source *source)
{
	if (lacks_common_file(&source->units[0].die))
		return "shares debug information with a file of dwz that is missing:";
	return split_wrong(source);
}

/* Look for a package beside the file, then beside that with its debug information. */
static void open_package(struct source *source, Dwfl_Module *module, const char *path)
{
	const char *files[] = { path, NULL };
	char name[PATH_MAX];

	elfutils.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, &files[1]);
	source->package_err = -ENOENT;
	for (size_t i = 0; i < 2 && source->package_err == -ENOENT; i++)
		if (files[i] &&
		    snprintf(name, sizeof(name), "%s.dwp", files[i]) < (int)sizeof(name))
			source->package_err = dwp_open(name, &source->package);
	if (source->package_err == -ENOENT)
		source->package_err = 0;
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
		open_package(source, module, file->path);
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
	scopes_free(&source->scopes);
	dwp_close(source->package);
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
	return scopes_name(&source->scopes, &unit->whole, die);
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
		unit->whole = whole_unit(source, &unit->die);
		unit->scopes = scopes_unit(&source->scopes, &unit->whole);
	}
	return unit->scopes ? scopes_find(unit->scopes, address, scopes, SOURCE_FRAMES_MAX) : 0;
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
