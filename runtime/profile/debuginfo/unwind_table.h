/* The start and end of functions according to .eh_frame, which a stripped file still has. */
#ifndef RUNTIME_PROFILE_DEBUGINFO_UNWIND_TABLE_H
#define RUNTIME_PROFILE_DEBUGINFO_UNWIND_TABLE_H

#include <libelf.h>

#include "runtime/profile/base/ranges.h"

/* Add the range of every function that .eh_frame of a 64-bit ELF file describes, in the file's own
 * addresses, and build the table.  Reading stops at a damaged entry.  Returns 0 (also without
 * .eh_frame) or -ENOMEM. */
int unwind_table_read(Elf *elf, struct ranges *ranges);

#endif
