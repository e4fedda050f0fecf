/*
 * A group becomes one profile: all spools of one stem or, where processes are kept apart, those of
 * them with one owner.  Symbols are read once for all groups.
 */
#include "runtime/fold/output/finish_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/fold/output/finish_list.h"
#include "runtime/fold/output/output.h"
#include "runtime/fold/profile/profile.h"
#include "runtime/fold/spool/ended.h"
#include "runtime/fold/spool/spool_copy.h"
#include "runtime/fold/spool/stale_output.h"
#include "runtime/fold/spool/written.h"
#include "runtime/fold/symbols/machine.h"
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

static int read_group(const struct finish *finish, struct profile *profile, size_t first,
		      size_t end)
{
	char line[LINE_BYTES];
	int err;

	for (size_t i = first; i < end; i++) {
		if (finish->options.step)
			finish->options.step(i, finish->count);
		err = profile_read(profile, finish->items[i].path, line, sizeof(line));
		if (err)
			finish_fail(finish, line);
		if (err < 0)
			return err;
	}
	return 0;
}

/* An image that exec replaced before it was sampled leaves nothing to write. */
static bool is_worth_writing(const struct finish *finish, const struct profile *profile,
			     size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (finish->items[i].header->state != SPOOL_EXECED)
			return true;
	return profile_summary(profile)->count[SPOOL_COUNT_SAMPLES] > 0;
}

/* The current output, for tell_written(). */
struct writing {
	const struct finish *finish;
	const struct spool_header *header;
	size_t first, end; /* of the group */
	bool moved;	   /* already reported */
};

static void tell_written(const char *path, void *context)
{
	struct writing *writing = context;
	const struct finish_options *options = &writing->finish->options;
	char line[LINE_BYTES];

	if (options->written)
		options->written(path, options->context);
	if (writing->moved || !options->moved ||
	    !stale_output_explain(writing->header, path, line, sizeof(line)))
		return;
	writing->moved = true;
	options->moved(line, options->context);
}

static void note_written(int fd, void *context)
{
	const struct writing *writing = context;

	for (size_t i = writing->first; i < writing->end; i++)
		written_note(writing->finish->items[i].path, fd);
}

static bool was_written(const char *path, void *context)
{
	const struct writing *writing = context;

	return written_knows(writing->finish->items[writing->first].fd, path);
}

static int write_group(const struct finish *finish, struct machine *machine, size_t first,
		       size_t end)
{
	const struct spool_header *header = finish->items[first].header;
	struct profile_options options = {
		.threads = spool_settings_threads(header->threads),
		.inlined = header->inlined,
		.lines = header->lines,
		.locations = header->formats & SPOOL_ASKED_PPROF,
		.machine = machine,
	};
	struct writing writing = { .finish = finish, .header = header, .first = first, .end = end };
	struct output_request request = {
		.stem = header->output,
		.formats = spool_settings_formats(header->formats),
		.weight = spool_settings_weight(header->weight),
		.wall = header->wall,
		.pid = header->pid ? header->pid : 1,
		.written = tell_written,
		.naming = note_written,
		.known = was_written,
		.context = &writing,
	};
	struct profile *profile = profile_new(&options);
	char line[LINE_BYTES];
	char more[LINE_BYTES + SPOOL_TEXT_MAX];
	int err = profile ? 0 : -ENOMEM;

	if (!err)
		err = read_group(finish, profile, first, end);
	if (!err && is_worth_writing(finish, profile, first, end)) {
		err = output_write(profile, &request, line, sizeof(line));
		snprintf(more, sizeof(more), "%s; the samples stay in %s", line,
			 finish->items[first].path);
		if (err)
			finish_fail(finish, more);
	}
	profile_free(profile);
	return err;
}

static int keep_group(const struct finish *finish, size_t first, size_t end)
{
	const struct spool_header *header = finish->items[first].header;
	char made[SPOOL_TEXT_MAX + 64];
	char line[LINE_BYTES];
	int err = 0;

	for (size_t i = first; i < end && header->formats & SPOOL_ASKED_SPOOL; i++) {
		int now = spool_copy_make(finish->items[i].path, header->output, made, sizeof(made),
					  line, sizeof(line));

		if (now)
			finish_fail(finish, line);
		else if (finish->options.written)
			finish->options.written(made, finish->options.context);
		err = err ? err : now;
	}
	return err;
}

/* Children of a killed process have their own spools: the list has no further use. */
static void remove_item(const struct finish_item *item)
{
	char list[SPOOL_TEXT_MAX + 64];

	unlink(item->path);
	if (spool_name_make_list(list, sizeof(list), item->path))
		unlink(list);
}

int finish_write(struct finish *finish)
{
	struct machine *machine = machine_new(finish->options.warn);
	size_t end;
	int err = machine ? 0 : -ENOMEM;

	sort(finish);
	for (size_t first = 0; machine && first < finish->count; first = end) {
		int now;

		end = first + 1;
		while (end < finish->count &&
		       is_same_group(&finish->items[first], &finish->items[end]))
			end++;
		now = write_group(finish, machine, first, end);
		if (!now)
			now = keep_group(finish, first, end);
		for (size_t i = first; !now && i < end; i++)
			remove_item(&finish->items[i]);
		err = err ? err : now;
	}
	machine_free(machine);
	return err;
}
