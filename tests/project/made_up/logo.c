/* Logo, a language of the tests: logo_stack has a function for each frame of logo_run(). */
#include <stddef.h>

#include "logo.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/sys/poison.h"

static uint64_t run, run_end, published;

static bool look(const struct interp_object *object, const char **why)
{
	uint64_t bytes;

	(void)why;
	if (!interp_object_symbol(object, "logo_stack", &published, &bytes) ||
	    !interp_object_symbol(object, "logo_run", &run, &bytes))
		return false;
	run_end = run + bytes;
	return true;
}

static void forget(void)
{
	run = run_end = 0;
}

static uint64_t function_pc(uint64_t name)
{
	struct code_key key = { .address = name };
	struct script_new code = { .language = SPOOL_LANGUAGE_LOGO, .name = { .address = name } };
	uint32_t number = script_table_find(&key);
	char text[16];

	if (number || !memory_copy(text, name, sizeof(text)))
		return number ? spool_code_pc(number, 0) : SPOOL_PC_NO_CODE;
	while (code.name.bytes < sizeof(text) && text[code.name.bytes])
		code.name.bytes++;
	number = script_table_add(&key, &code);
	return number ? spool_code_pc(number, 0) : SPOOL_PC_NO_CODE;
}

static enum interp_outcome walk(const struct interp_stack *stack, struct interp_reader *reader,
				struct interp_places *places)
{
	struct logo_stack logo;
	unsigned left;

	(void)reader;
	if (!memory_copy(&logo, published, sizeof(logo)) || logo.depth > 8)
		return INTERP_UNMERGED;
	left = logo.depth;
	for (uint32_t i = 0; i < stack->depth; i++) {
		if (stack->pcs[i] < run || stack->pcs[i] >= run_end)
			continue;
		if (!left ||
		    !interp_place_add(places, i, function_pc((uintptr_t)logo.function[--left])))
			return INTERP_UNMERGED;
	}
	return left ? INTERP_UNMERGED : INTERP_MERGED;
}

const struct interp_runtime interp_logo = {
	.name = "Logo",
	.mark = "logo_stack",
	.look = look,
	.walk = walk,
	.forget = forget,
};
