/*
 * Each spool on the list is open and locked until its files are written, so that two commands that
 * recover at the same time do not write it twice.
 */
#include "runtime/collect/finish.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_read.h"

#define LINE_BYTES 8192

/* Returns half of the limit of open files: writing needs some too. */
static size_t most_items(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur < 4 ? 2 : (size_t)limit.rlim_cur / 2;
}

struct finish *finish_new(const struct finish_options *options)
{
	struct finish *finish = calloc(1, sizeof(*finish));

	if (!finish)
		return NULL;
	finish->options = *options;
	finish->most = most_items();
	return finish;
}

static void item_clear(struct finish_item *item)
{
	free(item->path);
	free(item->header);
	close(item->fd);
}

void finish_clear(struct finish *finish)
{
	for (size_t i = 0; i < finish->count; i++)
		item_clear(&finish->items[i]);
	finish->count = 0;
}

void finish_free(struct finish *finish)
{
	if (!finish)
		return;
	finish_clear(finish);
	free(finish->items);
	for (size_t i = 0; i < finish->later_count; i++)
		free(finish->later[i]);
	free(finish->later);
	free(finish);
}

void finish_fail(const struct finish *finish, const char *line)
{
	if (finish->options.failed)
		finish->options.failed(line, finish->options.context);
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
		finish_fail(finish, line);
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
	finish_fail(finish, line[0] ? line : strerror(-err));
out:
	free(header);
	close(fd);
	return err;
}
