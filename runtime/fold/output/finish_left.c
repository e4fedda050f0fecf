/*
 * Files are looked up only by known names.  Other files in the directory, whoever put them there,
 * cost nothing.
 */
#include "runtime/fold/output/finish.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/spool/ended.h"
#include "runtime/fold/spool/left_over.h"
#include "runtime/fold/spool/spool_files.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

#define LISTS_DEPTH 64 /* lists of processes that left only the lists of their children */

struct taking {
	struct finish *finish;
	unsigned depth;
};

/* Returns whether the process in a spool's name runs: it may be another image, or exec failed. */
static bool holds(enum left_over_reason reason, const void *context)
{
	struct spool_file file = { 0 };
	struct spool_name name;

	if (reason != LEFT_OVER_RUNS || !spool_name_parse(context, &name))
		return false;
	file.pid = name.pid;
	file.start_ticks = name.start_ticks;
	return spool_files_is_running(&file);
}

/* Kept until there is room for it among the open files. */
static int postpone(struct finish *finish, const char *path)
{
	char *copy = strdup(path);

	if (!copy || !grow(&finish->later, finish->later_count, sizeof(copy))) {
		free(copy);
		return -ENOMEM;
	}
	finish->later[finish->later_count++] = copy;
	return 0;
}

/* A spool that was written meanwhile is gone.  finish_add() reports a spool that cannot be read. */
static int add_if(struct finish *finish, const char *path, enum left_over_finder finder)
{
	struct spool_header *header;
	char line[256];
	uint32_t state;
	bool wanted;

	if (finish->count >= finish->most)
		return postpone(finish, path);
	if (access(path, F_OK))
		return 0;
	header = malloc(sizeof(*header));
	if (!header)
		return -ENOMEM;
	state = spool_read_header(path, header, line, sizeof(line)) ? LEFT_OVER_UNREAD
								    : header->state;
	wanted = left_over_is_taken(finder, state, holds, path);
	free(header);
	return wanted ? finish_add(finish, path) : 0;
}

static int take_entry(const char *path, void *context)
{
	struct taking *taking = context;
	int err = 0;

	if (!spool_name_is_list(path))
		return add_if(taking->finish, path, LEFT_OVER_PARENT);
	if (taking->depth < LISTS_DEPTH) {
		taking->depth++;
		err = ended_take(path, take_entry, taking);
		taking->depth--;
	}
	return err;
}

/* Images of a process that exec replaced are numbered from 0: see preload/process/handover.c. */
static int add_images(struct finish *finish, const char *path)
{
	int err = 0;

	for (unsigned number = 0; number < SPOOL_NAME_IMAGES_MAX; number++) {
		char image[SPOOL_TEXT_MAX + 64];
		int now;

		if (!spool_name_make_image(image, sizeof(image), path, number) ||
		    access(image, F_OK))
			break;
		now = strcmp(image, path) != 0 ? add_if(finish, image, LEFT_OVER_IMAGE) : 0;
		err = err ? err : now;
	}
	return err;
}

static int add_children(struct finish *finish, const char *path)
{
	struct taking taking = { .finish = finish };
	char list[SPOOL_TEXT_MAX + 64];

	if (!spool_name_make_list(list, sizeof(list), path))
		return 0;
	return ended_take(list, take_entry, &taking);
}

/* Add the files left by the spools on the list, from this position on; each added spool may have
 * left more. */
static int add_theirs(struct finish *finish, size_t from)
{
	int err = 0;

	for (size_t i = from; i < finish->count; i++) {
		int now = add_images(finish, finish->items[i].path);

		err = err ? err : now;
		now = add_children(finish, finish->items[i].path);
		err = err ? err : now;
	}
	return err;
}

int finish_add_left(struct finish *finish, const char *path)
{
	struct taking taking = { .finish = finish };
	size_t before = finish->count;
	int err, now;

	if (spool_name_is_list(path))
		err = ended_take(path, take_entry, &taking);
	else
		err = finish_add(finish, path);
	now = add_theirs(finish, before);
	return err ? err : now;
}

bool finish_next(struct finish *finish, int *err)
{
	char **paths = finish->later;
	size_t count = finish->later_count;
	int now;

	if (!count)
		return false;
	finish_clear(finish);
	finish->later = NULL;
	finish->later_count = 0;
	for (size_t i = 0; i < count; i++) {
		now = add_if(finish, paths[i], LEFT_OVER_PARENT);
		*err = *err ? *err : now;
		free(paths[i]);
	}
	free(paths);
	now = add_theirs(finish, 0);
	*err = *err ? *err : now;
	return true;
}
