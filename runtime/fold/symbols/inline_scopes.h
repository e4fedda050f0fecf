/*
 * The functions of one compilation unit by address, and what was inlined where in them, from
 * DWARF.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_INLINE_SCOPES_H
#define RUNTIME_FOLD_SYMBOLS_INLINE_SCOPES_H

#include <elfutils/libdw.h>
#include <stddef.h>

struct inline_scopes;

/* Read a unit once.  Its DWARF must outlive the result.
 * Returns 0 with *scopes to be freed by inline_scopes_free, or -ENOMEM. */
int inline_scopes_new(Dwarf_Die *unit, struct inline_scopes **scopes);
void inline_scopes_free(struct inline_scopes *scopes);

/* The function that holds an address of the DWARF (DW_TAG_subprogram, the innermost where they
 * nest), then what is inlined at the address, from the outside in (DW_TAG_inlined_subroutine).
 * Returns how many, at most `room`, where inner ones are left out; 0 if no function is there. */
size_t inline_scopes_find(const struct inline_scopes *scopes, Dwarf_Addr address, Dwarf_Die *list,
			  size_t room);

#endif
