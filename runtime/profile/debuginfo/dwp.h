/*
 * Packages of split DWARF, FILE.dwp: what dwp(1) and llvm-dwp make of the files .dwo of a program,
 * by DWARF 5, section 7.3.5, and in GNU's earlier format for DWARF 4
 * (https://gcc.gnu.org/wiki/DebugFissionDWP).
 */
#ifndef RUNTIME_PROFILE_DEBUGINFO_DWP_H
#define RUNTIME_PROFILE_DEBUGINFO_DWP_H

#include <stdint.h>

struct dwp;

/* Open the package of that name and map it; it takes no descriptor.  Returns 0 with *dwp, to be
 * closed with dwp_close(); -ENOENT if there is none; -EBADMSG if it is damaged; or another -errno
 * if it cannot be read. */
int dwp_open(const char *path, struct dwp **dwp);

/* `dwp` may be NULL, as in the functions below, which then find nothing. */
void dwp_close(struct dwp *dwp);

/* Look for the unit with that number (DW_AT_dwo_id).  Returns 0; -ENOENT if the package does not
 * have it; or -EBADMSG if it says that the unit lies where it cannot. */
int dwp_look(const struct dwp *dwp, uint64_t id);

/* Make the file .dwo of such a unit again, in memory and without its types, macros and places of
 * variables.  Returns its descriptor, which the caller closes; or -errno as above, or -ENOMEM. */
int dwp_unpack(const struct dwp *dwp, uint64_t id);

#endif
