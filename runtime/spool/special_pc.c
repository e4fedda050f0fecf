/* Both halves name frames by this table. */
#include "runtime/spool/special_pc.h"

#include <stddef.h>

#define NAME(id, value, name) [value] = (name),
static const char *const names[] = { SPOOL_PCS(NAME) };

const char *special_pc_name(uint64_t pc)
{
	const char *name = pc < sizeof(names) / sizeof(names[0]) ? names[pc] : NULL;

	return name ? name : "[unknown]";
}
