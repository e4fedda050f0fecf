/*
 * The functions of one unit of DWARF, and the namespaces, classes and functions that they are in.
 *
 * dwarf_getscopes() of libdw reads the whole unit for every address, and does not search
 * namespaces, where rustc puts all functions.  So a unit is read once, into a table.  For each
 * address only the one function that holds it is read again, to find the inlined functions there.
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_INLINE_SCOPES_H
#define RUNTIME_PROFILE_DEBUGINFO_INLINE_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

struct inline_scopes;

/* Read a unit once.  Its DWARF must outlive the result.  Returns 0 with *scopes, to be freed with
 * inline_scopes_free(), or -ENOMEM. */
int inline_scopes_new(Dwarf_Die *unit, struct inline_scopes **scopes);
void inline_scopes_free(struct inline_scopes *scopes);

/* List the function that holds a DWARF address (DW_TAG_subprogram, the innermost where they nest),
 * then the functions inlined at the address, outermost first (DW_TAG_inlined_subroutine).  Returns
 * how many, at most `room`; inner ones are left out then.  Returns 0 if no function is there. */
size_t inline_scopes_find(const struct inline_scopes *scopes, Dwarf_Addr address, Dwarf_Die *list,
			  size_t room);

/* Returns a number that only this entry has, while its DWARF is open. */
static inline uint64_t inline_scopes_place(const Dwarf_Die *die)
{
	return (uint64_t)(uintptr_t)die->addr;
}

/* Find what an entry of the unit is in: a namespace, a class or a function.  Returns false if it is
 * in none, is none of these itself, or memory is out. */
bool inline_scopes_outer(struct inline_scopes *scopes, const Dwarf_Die *die, Dwarf_Die *outer);

#endif
