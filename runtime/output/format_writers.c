/*
 * Formats with room for all counters get all of them; the others get one file for each.
 */
#include "runtime/output/format_writers.h"

#include <errno.h>
#include <string.h>

#include "runtime/output/formats/firefox.h"
#include "runtime/output/formats/folded.h"
#include "runtime/output/formats/gperftools.h"
#include "runtime/output/formats/perfetto.h"
#include "runtime/output/formats/perfscript.h"
#include "runtime/output/formats/pprof.h"
#include "runtime/output/formats/speedscope.h"
#include "runtime/output/formats/timed.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/output/graph/graph.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_write.h"
#include "runtime/spool/spool_settings.h"

/* Folded files do not contain the command. */
static const char *title_of(const struct counter_views *all)
{
	return all->count && all->notes[0].title[0] ? all->notes[0].title : "flametrap";
}

static int write_speedscope(const struct format_content *content, const struct counter_views *all,
			    FILE *to)
{
	struct speedscope_counter counters[SPOOL_COUNTERS_MAX];
	struct speedscope_options options = {
		.title = title_of(all),
		.lines = profile_merge(content->profile)->lines,
		.weight = content->weight,
		.threads =
			profile_merge(content->profile)->options.threads != SETTINGS_THREADS_MERGE,
	};

	if (timed_has_all(content->profile))
		options.timed = content->profile;
	for (unsigned i = 0; i < all->count; i++) {
		counters[i].name = all->view[i].counter;
		counters[i].nanoseconds = !strcmp(all->view[i].unit, "ns");
		counters[i].tree = all->view[i].tree;
	}
	return speedscope_write(counters, all->count, &options, to);
}

/* A profile without counters has no picture, but its other formats still contain the same facts. */
static int write_all(const struct format_content *content, unsigned format, FILE *to)
{
	struct graph_options options = { .title = NULL };
	bool ratios = format == SETTINGS_FORMAT_SVG;
	struct counter_views *all;
	int err = counter_views_new(content->profile, content->weight, ratios, &all);

	if (!err && format == SETTINGS_FORMAT_SPEEDSCOPE)
		err = write_speedscope(content, all, to);
	if (!err && format == SETTINGS_FORMAT_SVG) {
		options.title = title_of(all);
		err = graph_write_views(all->view, all->count, &options, to);
	}
	counter_views_free(all);
	return err == -ENODATA ? 0 : err; /* the picture itself says so */
}

static int write_gperftools(const struct format_content *content, FILE *to)
{
	const struct spool_header *first = profile_first(content->profile);
	const struct spool_counter *about = profile_counter(content->profile, content->counter);
	uint64_t period_ns = 0;

	if (!content->wall && about->unit == SPOOL_UNIT_NS &&
	    !spool_settings_weigh_events(about, content->weight))
		period_ns = profile_period(content->profile, content->counter);
	return gperftools_write(content->tree, first ? first->executable : "",
				(period_ns + 500) / 1000, to);
}

static int write_picture(const struct format_content *content, FILE *to)
{
	struct graph_options options = { .title = NULL };
	struct notes notes;
	int err;

	if (content->wall)
		notes_wall(&notes, content->profile);
	else
		notes_make(&notes, content->profile, content->counter, content->weight);
	options.title = notes.title[0] ? notes.title : NULL;
	options.notes = notes.notes;
	options.unit = notes.unit;
	err = graph_write(content->tree, &options, to);
	return err == -ENODATA ? 0 : err; /* the picture itself says so */
}

const char *format_missing(const struct profile *profile, unsigned format)
{
	if (!(format & SETTINGS_FORMATS_TIMED) || timed_is_possible(profile))
		return NULL;
	return ": this format needs the time of each sample, and not all of these profiles have "
	       "one: it takes spools of a run with --timeline";
}

int format_write(const struct format_content *content, unsigned format, FILE *file)
{
	switch (format) {
	case SETTINGS_FORMAT_FOLDED:
		return folded_write(content->tree, file);
	case SETTINGS_FORMAT_PPROF:
		return pprof_write(content->profile, file);
	case SETTINGS_FORMAT_HTML:
		return viewer_write(content->profile, content->weight, content->page_bytes, file);
	case SETTINGS_FORMAT_GPERFTOOLS:
		return write_gperftools(content, file);
	case SETTINGS_FORMAT_FIREFOX:
		return firefox_write(content->profile, content->weight, file);
	case SETTINGS_FORMAT_PERFETTO:
		return perfetto_write(content->profile, file);
	case SETTINGS_FORMAT_PERFSCRIPT:
		return perfscript_write(content->profile, file);
	default:
		break;
	}
	if (content->counter == FORMAT_CONTENT_ALL)
		return write_all(content, format, file);
	return write_picture(content, file);
}
