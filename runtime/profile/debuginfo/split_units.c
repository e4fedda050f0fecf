/*
 * libdw looks for a file .dwo by the name that the skeleton has.  If the package has the unit, what
 * it opens then is the unit's file as it was packed.
 */
#include "runtime/profile/debuginfo/split_units.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/profile/base/open_instead.h"
#include "runtime/profile/debuginfo/dwp.h"
#include "runtime/profile/debuginfo/elfutils.h"

void split_units_open(struct split_units *split, const char *const *files, size_t count)
{
	char path[PATH_MAX];

	*split = (struct split_units){ .err = -ENOENT };
	for (size_t i = 0; i < count && split->err == -ENOENT; i++)
		if (files[i] &&
		    snprintf(path, sizeof(path), "%s.dwp", files[i]) < (int)sizeof(path))
			split->err = dwp_open(path, &split->package);
	if (split->err == -ENOENT)
		split->err = 0;
}

void split_units_close(struct split_units *split)
{
	dwp_close(split->package);
}

/* Returns whether the unit is a skeleton, then with its number. */
static bool has_id(Dwarf_Die *unit, uint64_t *id)
{
	uint8_t type;

	return !elfutils.dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, id, NULL, NULL) &&
	       type == DW_UT_skeleton;
}

bool split_units_is(Dwarf_Die *unit)
{
	uint64_t id;

	return has_id(unit, &id);
}

bool split_units_apart(const struct split_units *split, Dwarf_Die *unit)
{
	uint64_t id;

	return !has_id(unit, &id) || dwp_look(split->package, id);
}

Dwarf_Die split_units_whole(const struct split_units *split, Dwarf_Die *unit)
{
	Dwarf_Die whole = { 0 };
	uint64_t id;
	int fd, err;

	if (!has_id(unit, &id))
		return *unit;
	fd = dwp_unpack(split->package, id);
	open_instead_begin(fd);
	err = elfutils.dwarf_cu_info(unit->cu, NULL, NULL, NULL, &whole, NULL, NULL, NULL);
	open_instead_end();
	if (fd >= 0)
		close(fd);
	return !err && whole.addr ? whole : *unit;
}

const char *split_units_wrong(const struct split_units *split, Dwarf_Die *unit)
{
	Dwarf_Die whole = split_units_whole(split, unit);
	uint64_t id;

	if (whole.addr != unit->addr || !has_id(unit, &id))
		return NULL;
	if (split->err && split->err != -EBADMSG)
		return "has its debug information in a package (.dwp), which cannot be read:";
	if (split->err || (split->package && dwp_look(split->package, id) != -ENOENT))
		return "has its debug information in a package (.dwp), which is damaged:";
	return split->package
		       ? "has its debug information in a package (.dwp), which is of another build:"
		       : "has its debug information in files .dwo, which are missing or cannot be "
			 "read:";
}
