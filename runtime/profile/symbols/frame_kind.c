/*
 * namer.c, lines.c, profile_tree.c and graph_apart.c add the suffixes and brackets.  They also
 * occur in folded files of other profilers, most of which use the same ones.
 */
#include "runtime/profile/symbols/frame_kind.h"

#include <string.h>

#include "runtime/spool/special_pc.h"

bool frame_kind_is_special(const char *name)
{
#define IS_NAME(id, value, text) || !strcmp(name, text)
	return false SPOOL_PCS(IS_NAME);
#undef IS_NAME
}

static bool is_hexadecimal(const char *text, size_t bytes, size_t least)
{
	return bytes >= least && strspn(text, "0123456789abcdefABCDEF") >= bytes;
}

/* Code without a known name is shown as [module] or by its address in the module. */
static bool is_unknown(const char *name, size_t bytes)
{
	const char *at = memrchr(name, '@', bytes);
	size_t rest = at ? (size_t)(name + bytes - at) - 1 : 0;

	if (bytes >= 2 && name[0] == '[' && name[bytes - 1] == ']')
		return true;
	if (rest > 2 && at[1] == '0' && at[2] == 'x')
		return is_hexadecimal(at + 3, rest - 2, 1);
	return (rest && is_hexadecimal(at + 1, rest, 4)) || strcmp(name, "-") == 0 ||
	       strcmp(name, "--") == 0;
}

enum frame_kind frame_kind_of(const char *name, size_t *bytes)
{
	static const char letters[] = "kjpio";
	static const enum frame_kind kinds[] = { FRAME_KIND_KERNEL, FRAME_KIND_JIT,
						 FRAME_KIND_INTERP, FRAME_KIND_INLINED,
						 FRAME_KIND_WAITING };
	size_t length = strlen(name);

	*bytes = length;
	if (length > 4 && memcmp(name + length - 4, "_[", 2) == 0 && name[length - 1] == ']') {
		const char *letter = strchr(letters, name[length - 2]);

		if (letter) {
			*bytes = length - 4;
			return kinds[letter - letters];
		}
	}
	if (strcmp(name, FRAME_KIND_OFF_CPU) == 0 ||
	    strcmp(name, special_pc_name(SPOOL_PC_BLOCKED)) == 0)
		return FRAME_KIND_WAITING;
	if (strcmp(name, special_pc_name(SPOOL_PC_PREEMPTED)) == 0)
		return FRAME_KIND_PREEMPTED;
	if (strcmp(name, FRAME_KIND_ON_CPU) == 0)
		return FRAME_KIND_USER;
	return is_unknown(name, length) ? FRAME_KIND_UNKNOWN : FRAME_KIND_USER;
}

bool frame_kind_is(const char *name, enum frame_kind kind)
{
	size_t bytes;

	return frame_kind_of(name, &bytes) == kind;
}

const char *frame_kind_text(enum frame_kind kind)
{
	static const char *const names[FRAME_KINDS] = {
		[FRAME_KIND_INTERP] = "interpreted",	    [FRAME_KIND_KERNEL] = "kernel",
		[FRAME_KIND_JIT] = "just in time",	    [FRAME_KIND_INLINED] = "inlined",
		[FRAME_KIND_WAITING] = "off the processor", [FRAME_KIND_PREEMPTED] = "preempted",
		[FRAME_KIND_UNKNOWN] = "no symbol",
	};

	return names[kind];
}
