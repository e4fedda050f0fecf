/*
 * A group becomes one profile: all spools of one stem or, where processes are kept apart, those of
 * them with one owner.  Symbols are read once for all groups.
 */
#include "runtime/collect/finish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/output.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/symbols/machine.h"
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

static int compare_owners(const struct spool_header *a, const struct spool_header *b)
{
	return order_of(a->end_ns, b->end_ns)
		       ?: order_of(a->pid, b->pid)
		       ?: order_of(a->start_ticks, b->start_ticks);
}

/* The process that started first leads its group: it determines name and formats. */
static int compare(const void *left, const void *right)
{
	const struct finish_item *a = left;
	const struct finish_item *b = right;

	return compare_owners(a->owner, b->owner)
		       ?: strcmp(a->header->output, b->header->output)
		       ?: order_of(a->header->start_realtime_ns, b->header->start_realtime_ns)
		       ?: strcmp(a->path, b->path);
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

/* An image that exec replaced before it was sampled leaves nothing to write. */
static bool is_worth_writing(const struct finish_item *items, size_t count,
			     const struct profile *profile)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].header->state != SPOOL_EXECED)
			return true;
	return profile_summary(profile)->count[SPOOL_COUNT_SAMPLES] > 0;
}

static int write_group(const struct finish_item *items, struct collection *group,
		       struct machine *machine)
{
	const struct spool_header *header = group->leader;
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
	};
	struct profile *profile;
	char line[LINE_BYTES];
	char more[LINE_BYTES + SPOOL_TEXT_MAX];
	int err;

	output_keep(request.formats, true, &options);
	profile = profile_new(&options);
	err = profile ? collection_read(group, profile) : -ENOMEM;
	if (!err && is_worth_writing(items, group->count, profile)) {
		err = collection_write(group, profile, &request, line, sizeof(line));
		if (err) {
			snprintf(more, sizeof(more), "%s; the samples stay in %s", line,
				 group->path[0]);
			collection_fail(group->options, more);
		}
	}
	profile_free(profile);
	if (!err && header->formats & SETTINGS_FORMAT_SPOOL)
		err = collection_copy(group, header->output);
	return err;
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
		const struct finish_item *items = &finish->items[first];
		struct collection group = {
			.options = &finish->options,
			.path = paths + first,
			.before = first,
			.all = finish->count,
			.leader = items->header,
			.leader_fd = items->fd,
		};
		int now;

		end = first + 1;
		while (end < finish->count && is_same_group(items, &finish->items[end]))
			end++;
		group.count = end - first;
		now = write_group(items, &group, machine);
		if (!now)
			collection_remove(&group);
		err = err ? err : now;
	}
	machine_free(machine);
	free(paths);
	return err;
}
