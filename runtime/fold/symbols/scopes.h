/*
 * The functions of one compilation unit by address, and what was inlined where in them, from
 * DWARF.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_SCOPES_H
#define RUNTIME_FOLD_SYMBOLS_SCOPES_H

#include <elfutils/libdw.h>
#include <stddef.h>

struct scopes;

/* Read a unit once.  Its DWARF must outlive the result.
 * Returns 0 with *scopes to be freed by scopes_free, or -ENOMEM. */
int scopes_new(Dwarf_Die *unit, struct scopes **scopes);
void scopes_free(struct scopes *scopes);

/* The function that holds an address of the DWARF (DW_TAG_subprogram, the innermost where they
 * nest), then what is inlined at the address, from the outside in (DW_TAG_inlined_subroutine).
 * Returns how many, at most `room`, where inner ones are left out; 0 if no function is there. */
size_t scopes_find(const struct scopes *scopes, Dwarf_Addr address, Dwarf_Die *list, size_t room);

#endif
