/*
 * The functions of a file's DWARF: which are inlined at an address, and the names of those that
 * have no linkage name: "app::(anonymous namespace)::step" where the DWARF has "step" in a
 * namespace in a namespace.  Compilers write no linkage name for what no other unit can call:
 * functions of nameless namespaces, of local classes, and lambdas.
 *
 * dwarf_getscopes() of libdw reads the whole unit for every address, and does not search
 * namespaces, where rustc puts all functions.  So a unit is read once, into a table.  For each
 * address only the one function that holds it is read again, to find the inlined functions there.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_SCOPES_H
#define RUNTIME_PROFILE_DEBUGINFO_SCOPES_H

#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"

/* Of one file.  All zeros is empty; release it with scopes_free(), before its DWARF. */
struct scopes {
	struct scopes_unit **units;
	uint32_t count;
	struct map unit_at; /* by the address of a unit's entry: index + 1 */
	struct map name_at; /* by the address of a declaration: number of its name */
	struct string_table texts;
};

void scopes_free(struct scopes *scopes);

/* Returns the table of a unit, which is read at the first call; NULL when memory is out. */
struct scopes_unit *scopes_unit(struct scopes *scopes, Dwarf_Die *unit);

/* List the function that holds a DWARF address (DW_TAG_subprogram, the innermost where they nest),
 * then the functions inlined at the address, outermost first (DW_TAG_inlined_subroutine).  Returns
 * how many, at most `room`; inner ones are left out then.  Returns 0 if no function is there. */
size_t scopes_find(const struct scopes_unit *unit, Dwarf_Addr address, Dwarf_Die *list,
		   size_t room);

/* Returns the name of a function, or of an inlined one, of a unit: with what it is in, if the
 * unit's language has such names (C++, Rust), else as the DWARF has it.  NULL: it has none.  The
 * text is valid until scopes_free(). */
const char *scopes_name(struct scopes *scopes, Dwarf_Die *unit, Dwarf_Die *function);

#endif
