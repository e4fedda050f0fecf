/*
 * Kind and class depend on the name alone.
 */
#include "runtime/output/graph/graph_names.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_legend.h"
#include "runtime/profile/symbols/frame_kind.h"

static void nothing(void *context, size_t bytes)
{
	(void)context;
	(void)bytes;
}

void graph_names_write(const struct graph_names *names, void (*item)(void *context, size_t bytes),
		       void *context, FILE *file)
{
	item = item ? item : nothing;
	fputs(",\n\"names\":[", file);
	for (size_t i = 0; i < names->count; i++) {
		size_t bytes = strlen(names->list[i]);

		fputs(i ? ",\n" : "", file);
		safe_text_json(file, names->list[i], bytes);
		item(context, bytes + 4);
	}
	fputs("],\n\"kinds\":[", file);
	for (size_t i = 0; i < names->count; i++) {
		size_t bytes;

		fprintf(file, "%s%d", i ? "," : "", (int)frame_kind_of(names->list[i], &bytes));
		item(context, 2);
	}
	fputs("],\n\"classes\":[", file);
	for (size_t i = 0; i < names->count; i++) {
		char class[GRAPH_COLOR_CLASS_BYTES];
		size_t bytes;
		enum frame_kind kind = frame_kind_of(names->list[i], &bytes);

		graph_color_class(kind, names->list[i], bytes, class);
		fprintf(file, "%s\"%s\"", i ? "," : "", class);
		item(context, 6);
	}
	putc_unlocked(']', file);
}

void graph_names_kinds(FILE *file)
{
	fputs(",\n\"kindNames\":[", file);
	for (enum frame_kind i = 0; i < FRAME_KINDS; i++) {
		const char *name = frame_kind_text(i);

		fprintf(file, "%s\"%s\"", i ? "," : "", name ? name : "");
	}
	putc_unlocked(']', file);
}

void graph_names_legend(const struct graph_names *names, struct graph_legend *legend)
{
	bool kinds[FRAME_KINDS] = { false };
	size_t bytes;

	for (size_t i = 1; i < names->count; i++)
		kinds[frame_kind_of(names->list[i], &bytes)] = true;
	graph_legend_kinds(legend, kinds);
}
