/* Kind and class depend on the name alone. */
#include "runtime/output/graph/graph_names.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_legend.h"
#include "runtime/profile/symbols/frame_kind.h"

static void nothing(void *context, size_t bytes)
{
	(void)context;
	(void)bytes;
}

static void write_kinds(struct json *json)
{
	json_list(json, "kindNames");
	for (enum frame_kind i = 0; i < FRAME_KINDS; i++) {
		const char *name = frame_kind_text(i);

		json_text(json, NULL, name ? name : "");
	}
	json_end(json, "]");
}

void graph_names_write(const char *const *names, size_t count,
		       void (*item)(void *context, size_t bytes), void *context, struct json *json)
{
	char class[GRAPH_COLOR_CLASS_BYTES];
	size_t bytes;

	item = item ? item : nothing;
	write_kinds(json);
	json_list(json, "names");
	for (size_t i = 0; i < count; i++) {
		json_next_line(json);
		json_text(json, NULL, names[i]);
		item(context, strlen(names[i]) + 4);
	}
	json_end(json, "]");
	json_list(json, "kinds");
	for (size_t i = 0; i < count; i++) {
		json_uint(json, NULL, frame_kind_of(names[i], &bytes));
		item(context, 2);
	}
	json_end(json, "]");
	json_list(json, "classes");
	for (size_t i = 0; i < count; i++) {
		enum frame_kind kind = frame_kind_of(names[i], &bytes);

		graph_color_class(kind, names[i], bytes, class);
		json_text(json, NULL, class);
		item(context, 6);
	}
	json_end(json, "]");
}

void graph_names_legend(const char *const *names, size_t count, struct json *json)
{
	struct graph_legend legend = { .count = 0 };
	bool kinds[FRAME_KINDS] = { false };
	size_t bytes;

	for (size_t i = 1; i < count; i++)
		kinds[frame_kind_of(names[i], &bytes)] = true;
	graph_legend_kinds(&legend, kinds);
	graph_legend_json(&legend, json);
}
