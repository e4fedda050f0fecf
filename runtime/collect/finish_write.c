/*
 * A group becomes one profile: all spools of one stem or, where processes are kept apart, those of
 * them with one owner.  Symbols are read once for all groups.
 */
#include "runtime/collect/finish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/output/output.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/collect/spool_copy.h"
#include "runtime/collect/stale_output.h"
#include "runtime/profile/spool/written.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/spool/spool_name.h"
#include "runtime/spool/spool_settings.h"

#define LINE_BYTES 8192

static bool is_same_process(const struct spool_header *a, const struct spool_header *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* The last image of a process owns the spools of earlier ones; a parent owns the spool of a child
 * whose last image was not profiled. */
static const struct spool_header *find_owner(const struct finish *finish,
					     const struct spool_header *header)
{
	const struct spool_header *parent = NULL;

	for (size_t i = 0; header->state == SPOOL_EXECED && i < finish->count; i++) {
		const struct spool_header *other = finish->items[i].header;

		if (other->state == SPOOL_EXECED)
			continue;
		if (is_same_process(other, header))
			return other;
		if (other->pid == header->parent_pid && other->start_ticks <= header->start_ticks)
			parent = other;
	}
	return parent ? parent : header;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_owners(const struct spool_header *a, const struct spool_header *b)
{
	int result = compare_numbers(a->end_ns, b->end_ns);

	if (!result)
		result = compare_numbers(a->pid, b->pid);
	return result ? result : compare_numbers(a->start_ticks, b->start_ticks);
}

/* The process that started first leads its group: it determines name and formats. */
static int compare(const void *left, const void *right)
{
	const struct finish_item *a = left;
	const struct finish_item *b = right;
	int result = compare_owners(a->owner, b->owner);

	if (!result)
		result = strcmp(a->header->output, b->header->output);
	if (!result)
		result =
			compare_numbers(a->header->start_realtime_ns, b->header->start_realtime_ns);
	return result ? result : strcmp(a->path, b->path);
}

static bool is_same_group(const struct finish_item *a, const struct finish_item *b)
{
	return !strcmp(a->header->output, b->header->output) && !compare_owners(a->owner, b->owner);
}

/* Without separate owners all spools of one stem belong together. */
static void sort(const struct finish *finish)
{
	static const struct spool_header everybody;

	for (size_t i = 0; i < finish->count; i++)
		finish->items[i].owner = finish->options.apart
						 ? find_owner(finish, finish->items[i].header)
						 : &everybody;
	if (finish->count)
		qsort(finish->items, finish->count, sizeof(*finish->items), compare);
}

/* The spools of one profile, and what its callbacks need. */
struct group {
	const struct finish *finish;
	const struct finish_item *items;
	const char *const *paths; /* of the items */
	size_t count;
	bool moved; /* already reported */
};

static int read_group(const struct group *group, struct profile *profile)
{
	const struct finish *finish = group->finish;
	char line[LINE_BYTES];
	int err;

	for (size_t i = 0; i < group->count; i++) {
		if (finish->options.step)
			finish->options.step((size_t)(group->items - finish->items) + i,
					     finish->count);
		err = profile_read(profile, group->paths[i], line, sizeof(line));
		if (err)
			finish_fail(finish, line);
		if (err < 0)
			return err;
	}
	return profile_settle(profile);
}

/* An image that exec replaced before it was sampled leaves nothing to write. */
static bool is_worth_writing(const struct group *group, const struct profile *profile)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->items[i].header->state != SPOOL_EXECED)
			return true;
	return profile_summary(profile)->count[SPOOL_COUNT_SAMPLES] > 0;
}

static void tell_written(const char *path, void *context)
{
	struct group *group = context;
	const struct finish_options *options = &group->finish->options;
	char line[LINE_BYTES];

	if (options->written)
		options->written(path, options->context);
	if (group->moved || !options->moved ||
	    !stale_output_explain(group->items->header, path, line, sizeof(line)))
		return;
	group->moved = true;
	options->moved(line, options->context);
}

static bool was_written(const char *path, void *context)
{
	const struct group *group = context;

	return written_knows(group->items->fd, path);
}

static int write_group(struct group *group, struct machine *machine)
{
	const struct spool_header *header = group->items->header;
	struct profile_options options = {
		.threads = spool_settings_threads(header->threads),
		.inlined = header->inlined,
		.lines = header->lines,
		.machine = machine,
	};
	struct output_request request = {
		.stem = header->output,
		.formats = spool_settings_formats(header->formats),
		.weight = spool_settings_weight(header->weight),
		.wall = header->wall,
		.pid = header->pid ? header->pid : 1,
		.written = tell_written,
		.spools = group->paths,
		.spool_count = group->count,
		.known = was_written,
		.context = group,
	};
	struct profile *profile;
	char line[LINE_BYTES];
	char more[LINE_BYTES + SPOOL_TEXT_MAX];
	int err;

	output_keep(request.formats, true, &options);
	profile = profile_new(&options);
	err = profile ? 0 : -ENOMEM;
	if (!err)
		err = read_group(group, profile);
	if (!err && is_worth_writing(group, profile)) {
		err = output_write(profile, &request, line, sizeof(line));
		snprintf(more, sizeof(more), "%s; the samples stay in %s", line, group->paths[0]);
		if (err)
			finish_fail(group->finish, more);
	}
	profile_free(profile);
	return err;
}

static bool tell_kept(int err, const char *text, void *context)
{
	const struct group *group = context;
	const struct finish_options *options = &group->finish->options;

	if (err)
		finish_fail(group->finish, text);
	else if (options->written)
		options->written(text, options->context);
	return true;
}

static int keep_group(struct group *group)
{
	const struct spool_header *header = group->items->header;

	if (!(header->formats & SETTINGS_FORMAT_SPOOL))
		return 0;
	return spool_copy_make(group->paths, group->count, header->output, tell_kept, group);
}

/* Children of a killed process have their own spools: the list has no further use. */
static void remove_spool(const char *path)
{
	char list[SPOOL_TEXT_MAX + 64];

	unlink(path);
	if (spool_name_make_list(list, sizeof(list), path))
		unlink(list);
}

int finish_write(struct finish *finish)
{
	struct machine *machine = machine_new(finish->options.warn);
	const char **paths = calloc(finish->count + 1, sizeof(*paths));
	size_t end;
	int err = machine && paths ? 0 : -ENOMEM;

	sort(finish);
	for (size_t i = 0; !err && i < finish->count; i++)
		paths[i] = finish->items[i].path;
	for (size_t first = 0; machine && paths && first < finish->count; first = end) {
		struct group group = { finish, &finish->items[first], paths + first, 1, false };
		int now;

		end = first + 1;
		while (end < finish->count && is_same_group(group.items, &finish->items[end]))
			end++;
		group.count = end - first;
		now = write_group(&group, machine);
		if (!now)
			now = keep_group(&group);
		for (size_t i = 0; !now && i < group.count; i++)
			remove_spool(group.paths[i]);
		err = err ? err : now;
	}
	machine_free(machine);
	free(paths);
	return err;
}
