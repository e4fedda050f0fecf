/*
 * Names of functions that have no linkage name: "app::(anonymous namespace)::step" where the DWARF
 * has "step" in a namespace in a namespace.  Compilers write no linkage name for what no other unit
 * can call: functions of nameless namespaces, of local classes, and lambdas.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_SCOPED_NAMES_H
#define RUNTIME_PROFILE_DEBUGINFO_SCOPED_NAMES_H

#include <stdint.h>

#include <elfutils/libdw.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"

struct inline_scopes;

/* Of one file.  All zeros is empty; release it with scoped_names_free(), before its DWARF. */
struct scoped_names {
	struct inline_scopes **units;
	uint32_t count;
	struct map unit_at; /* by the place of a unit's entry: index + 1 */
	struct map name_at; /* by the place of a declaration: number of its name */
	struct string_table texts;
};

void scoped_names_free(struct scoped_names *names);

/* Returns the table of a unit, which is read at the first call; NULL when memory is out. */
struct inline_scopes *scoped_names_unit(struct scoped_names *names, Dwarf_Die *unit);

/* Returns the name of a function, or of an inlined one, of a unit: with what it is in, if the
 * unit's language has such names (C++, Rust), else as the DWARF has it.  NULL: it has none.  The
 * text is valid until scoped_names_free(). */
const char *scoped_names_find(struct scoped_names *names, Dwarf_Die *unit, Dwarf_Die *function);

#endif
