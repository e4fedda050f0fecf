/* .gnu_debugdata: symbols that distributions leave in stripped files, packed by xz. */
#ifndef RUNTIME_PROFILE_DEBUGINFO_MINI_DEBUG_H
#define RUNTIME_PROFILE_DEBUGINFO_MINI_DEBUG_H

#include <libelf.h>

/* Unpack the section of a file that has no better symbols, to see that libdw can.  If it is damaged
 * or unpacks to more than any compiler makes, it is hidden from libdw, which would unpack it into
 * memory whatever its size.  Returns NULL, or what is wrong with it, to follow the file's name. */
const char *mini_debug_check(Elf *elf);

#endif
