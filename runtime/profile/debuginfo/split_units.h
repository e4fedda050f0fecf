/*
 * Split DWARF: a unit of a program has its functions in a file .dwo that it names, or in a package
 * beside the program.  What stays in the program is the unit's skeleton, with its lines.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_SPLIT_UNITS_H
#define RUNTIME_PROFILE_DEBUGINFO_SPLIT_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct dwp;

struct split_units {
	struct dwp *package; /* NULL: none */
	int err;	     /* of a package that cannot be used, -errno; else 0 */
};

/* Look for a package FILE.dwp beside the first of these `count` files that has one; NULL: no file.
 * To be closed with split_units_close(). */
void split_units_open(struct split_units *split, const char *const *files, size_t count);
void split_units_close(struct split_units *split);

/* Returns whether the unit is a skeleton. */
bool split_units_is(Dwarf_Die *unit);

/* Returns the unit with its functions: `unit` itself if it is no skeleton, or if the rest of it is
 * not found.  Valid as long as the DWARF of `unit`. */
Dwarf_Die split_units_whole(const struct split_units *split, Dwarf_Die *unit);

/* Returns why the rest of that skeleton is not found, to follow the program's name and to precede
 * "no names"; NULL if it is. */
const char *split_units_wrong(const struct split_units *split, Dwarf_Die *unit);

/* Returns false if the package has the rest of that skeleton. */
bool split_units_apart(const struct split_units *split, Dwarf_Die *unit);

#endif
