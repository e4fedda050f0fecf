/*
 * The functions of one compilation unit by address, and the functions inlined into them, from
 * DWARF.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_INLINE_SCOPES_H
#define RUNTIME_FOLD_SYMBOLS_INLINE_SCOPES_H

#include <elfutils/libdw.h>
#include <stddef.h>

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

#endif
