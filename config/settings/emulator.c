/* Nothing but its name tells such a program from others. */
#include "config/settings/emulator.h"

#include <stddef.h>
#include <string.h>

#include "config/text/glob.h"

static const char *const emulators[] = { "qemu-*", "box64*", "box86*", "FEX*" };
static const char *const others[] = { "qemu-system-*" }; /* run a kernel */

static bool is_among(const char *name, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (glob_match(patterns[i], name))
			return true;
	return false;
}

bool emulator_is(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return is_among(name, emulators, sizeof(emulators) / sizeof(emulators[0])) &&
	       !is_among(name, others, sizeof(others) / sizeof(others[0]));
}
