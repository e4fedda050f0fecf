/* The flame graph of one counter, or of all, from which the user chooses in the picture. */
#include <errno.h>

#include "runtime/output/formats/format_content.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/output/graph/graph.h"
#include "runtime/profile/merge/notes.h"

static int write_views(const struct format_content *content, FILE *file)
{
	struct graph_options options = { .title = NULL };
	struct counter_views *all;
	int err = counter_views_new(content->profile, content->weight, true, &all);

	if (!err) {
		options.title = counter_views_title(all);
		err = graph_write_views(all->view, all->count, &options, file);
	}
	counter_views_free(all);
	return err;
}

static int write_counter(const struct format_content *content, FILE *file)
{
	struct graph_options options = { .title = NULL };
	struct notes notes;

	if (content->wall)
		notes_wall(&notes, content->profile);
	else
		notes_make(&notes, content->profile, content->counter, content->weight);
	options.title = notes.title[0] ? notes.title : NULL;
	options.notes = notes.notes;
	options.unit = notes.unit;
	return graph_write(content->tree, &options, file);
}

int format_svg(const struct format_content *content, FILE *file)
{
	int err = content->counter == FORMAT_CONTENT_ALL ? write_views(content, file)
							 : write_counter(content, file);

	return err == -ENODATA ? 0 : err; /* the picture itself says so */
}
