/*
 * Each spool on the list is open and locked until its files are written, so that two commands that
 * recover at the same time do not write it twice.
 *
 * Files that a process left are looked up only by known names.  Other files in the directory,
 * whoever put them there, cost nothing.  A list names the spools of children that have ended and
 * left the writing of their profiles to the parent.  It lies beside the parent's spool and has the
 * same name but for its ending.  preload/process/child_spools.c writes it.  Order: lock, remove,
 * read.  A child adds its line first and then checks whether the list still has its name.  So a
 * line whose writer still found the name is read here.
 */
#include "runtime/collect/finish.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/collect/left_over.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/spool_name.h"

#define LINE_BYTES     8192
#define LISTS_DEPTH    64 /* lists of processes that left only the lists of their children */
#define LIST_BYTES_MAX (64L << 20) /* a child keeps its list far below this when it ends */

/* Returns half of the limit of open files: writing needs some too. */
static size_t most_items(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur < 4 ? 2 : (size_t)limit.rlim_cur / 2;
}

struct finish *finish_new(const struct collection_options *options)
{
	struct finish *finish = calloc(1, sizeof(*finish));

	if (!finish)
		return NULL;
	finish->options = *options;
	finish->options.all_or_none = true;
	finish->options.every_copy = true;
	finish->options.with_lists = true;
	finish->most = most_items();
	return finish;
}

static void item_clear(struct finish_item *item)
{
	free(item->path);
	free(item->header);
	close(item->fd);
}

/* Remove everything from the list. */
static void clear(struct finish *finish)
{
	for (size_t i = 0; i < finish->count; i++)
		item_clear(&finish->items[i]);
	finish->count = 0;
}

void finish_free(struct finish *finish)
{
	if (!finish)
		return;
	clear(finish);
	free(finish->items);
	for (size_t i = 0; i < finish->later_count; i++)
		free(finish->later[i]);
	free(finish->later);
	free(finish);
}

/* Returns true if the open file is no longer, or never was, ours to finish. */
static bool is_taken(int fd)
{
	struct stat st;

	return flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st) || st.st_nlink == 0;
}

static bool is_listed(const struct finish *finish, const char *path)
{
	for (size_t i = 0; i < finish->count; i++)
		if (!strcmp(finish->items[i].path, path))
			return true;
	return false;
}

static int append(struct finish *finish, const char *path, int fd, struct spool_header *header)
{
	char *copy = strdup(path);

	if (!copy || !grow(&finish->items, finish->count, sizeof(*finish->items))) {
		free(copy);
		return -ENOMEM;
	}
	finish->items[finish->count++] =
		(struct finish_item){ .path = copy, .fd = fd, .header = header };
	return 0;
}

/* The text in another user's spool does not decide where the caller writes: the files go here,
 * under the command's name, reduced to letters, digits, - and _. */
static int name_output(int fd, struct spool_header *header)
{
	char directory[SPOOL_TEXT_MAX], command[sizeof(header->command)];
	struct stat st;
	int length;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid == geteuid() || st.st_uid == 0)
		return 0;
	snprintf(command, sizeof(command), "%.*s", (int)sizeof(command) - 1, header->command);
	for (char *c = command; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '_';
	if (!getcwd(directory, sizeof(directory)))
		return -errno;
	length = snprintf(header->output, sizeof(header->output), "%s/flametrap.%s.%u", directory,
			  command, header->pid);
	return length < (int)sizeof(header->output) ? 0 : -ENAMETOOLONG;
}

int finish_add(struct finish *finish, const char *path)
{
	struct spool_header *header;
	char line[LINE_BYTES] = "";
	int err;
	int fd;

	if (is_listed(finish, path))
		return 0;
	err = spool_read_open(path, &fd, line, sizeof(line));
	if (err) {
		collection_fail(&finish->options, line);
		return err;
	}
	header = malloc(sizeof(*header));
	err = header ? 0 : -ENOMEM;
	if (is_taken(fd))
		goto out;
	if (!err)
		err = spool_check_header(fd, path, header, line, sizeof(line));
	if (!err && !header->output[0]) {
		snprintf(line, sizeof(line), "%s: it names no output file", path);
		err = -EBADMSG;
	}
	if (!err)
		err = name_output(fd, header);
	if (!err)
		err = append(finish, path, fd, header);
	if (!err)
		return 0;
	collection_fail(&finish->options, line[0] ? line : strerror(-err));
out:
	free(header);
	close(fd);
	return err;
}

/* The owner tells lists from files that others put there; the lock keeps out a second reader. */
static bool is_ours(int fd, struct stat *st)
{
	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, st) && S_ISREG(st->st_mode) &&
	       st->st_nlink && (st->st_uid == geteuid() || st->st_uid == 0);
}

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
	bool wanted;

	if (finish->count >= finish->most)
		return postpone(finish, path);
	if (access(path, F_OK))
		return 0;
	header = spool_read_header_of(path);
	wanted = left_over_is_taken(finder, header ? header->state : LEFT_OVER_UNREAD, holds, path);
	free(header);
	return wanted ? finish_add(finish, path) : 0;
}

static int take_list(struct finish *finish, const char *list, unsigned depth);

/* `depth`: the lists that led to this entry. */
static int take_entry(struct finish *finish, const char *path, unsigned depth)
{
	if (!spool_name_is_list(path))
		return add_if(finish, path, LEFT_OVER_PARENT);
	return depth <= LISTS_DEPTH ? take_list(finish, path, depth) : 0;
}

/* Take the paths in the first `left` bytes, each of which ends with a NUL. */
static int take_entries(struct finish *finish, FILE *file, off_t left, unsigned depth)
{
	size_t capacity = 0;
	char *path = NULL;
	ssize_t got;
	int err = 0;

	for (; left > 0 && (got = getdelim(&path, &capacity, '\0', file)) > 0; left -= got) {
		int now = path[0] ? take_entry(finish, path, depth) : 0;

		err = err ? err : now;
	}
	if (!err && left > 0 && !feof(file) && !ferror(file))
		err = -ENOMEM;
	free(path);
	return err;
}

/* Remove a list, so that nobody else takes it, and take every path on it.  A child that adds to it
 * from now on notices the removal.  A missing list counts as empty.  Returns 0 or the first
 * -errno. */
static int take_list(struct finish *finish, const char *list, unsigned depth)
{
	int fd = open(list, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *file;
	int err = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	if (is_ours(fd, &st) && !unlink(list)) {
		err = fstat(fd, &st) ? -errno : st.st_size > LIST_BYTES_MAX ? -EFBIG : 0;
		if (!err)
			err = take_entries(finish, file, st.st_size, depth + 1);
	}
	fclose(file);
	return err;
}

/* Images of a process that exec replaced are numbered from 0: see preload/process/child_spools.c.
 */
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
	char list[SPOOL_TEXT_MAX + 64];

	return spool_name_make_list(list, sizeof(list), path) ? take_list(finish, list, 0) : 0;
}

/* Add the files that the spools from this position on left; each added spool may have left more. */
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
	size_t before = finish->count;
	int err, now;

	if (spool_name_is_list(path))
		err = take_list(finish, path, 0);
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
	clear(finish);
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
