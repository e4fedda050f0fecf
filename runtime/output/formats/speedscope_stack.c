/*
 * Of a deep stack the outermost half and the innermost half are written, and one frame between.
 */
#include "runtime/output/formats/speedscope_stack.h"

#include "runtime/profile/base/json.h"

static void write_some(const uint32_t *path, size_t count, struct json *json)
{
	for (size_t i = 0; i < count; i++)
		json_uint(json, NULL, path[i]);
}

void speedscope_stack_write(const uint32_t *path, size_t depth, uint32_t left_out,
			    struct json *json)
{
	const size_t outer = SPEEDSCOPE_STACK_MAX / 2, inner = SPEEDSCOPE_STACK_MAX - outer - 1;

	json_array(json, NULL);
	if (depth > SPEEDSCOPE_STACK_MAX) {
		write_some(path, outer, json);
		json_uint(json, NULL, left_out);
		write_some(path + depth - inner, inner, json);
	} else {
		write_some(path, depth, json);
	}
	json_end(json, "]");
}
