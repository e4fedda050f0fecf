/*
 * Each spool on the list is open and locked until its files are written, so that two that
 * recover at the same time do not write it twice.
 */
#include "runtime/fold/finish.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fold/earlier.h"
#include "runtime/fold/keep.h"
#include "runtime/fold/output.h"
#include "runtime/fold/profile.h"
#include "runtime/fold/spool_check.h"
#include "runtime/fold/spool_files.h"
#include "runtime/fold/spool_read.h"

#define LINE_BYTES 8192

struct item {
	char *path;
	int fd;
	struct spool_header *header;
};

struct finish {
	struct finish_options options;
	struct item *items;
	size_t count;
};

struct finish *finish_new(const struct finish_options *options)
{
	struct finish *finish = calloc(1, sizeof(*finish));

	if (finish)
		finish->options = *options;
	return finish;
}

static void item_clear(struct item *item)
{
	free(item->path);
	free(item->header);
	close(item->fd);
}

void finish_free(struct finish *finish)
{
	if (!finish)
		return;
	for (size_t i = 0; i < finish->count; i++)
		item_clear(&finish->items[i]);
	free(finish->items);
	free(finish);
}

static void fail(const struct finish *finish, const char *line)
{
	if (finish->options.failed)
		finish->options.failed(line, finish->options.context);
}

/* True if the open file is no longer, or never was, ours to finish. */
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
	struct item *grown = reallocarray(finish->items, finish->count + 1, sizeof(*grown));
	char *copy = strdup(path);

	if (grown)
		finish->items = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	grown[finish->count++] = (struct item){ .path = copy, .fd = fd, .header = header };
	return 0;
}

/* What another user wrote into a spool does not say where the caller writes: here, by the command's
 * name, in which nothing but letters, digits, - and _ stays. */
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
		fail(finish, line);
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
	fail(finish, line[0] ? line : strerror(-err));
out:
	free(header);
	close(fd);
	return err;
}

/* An image that gave way to one that leaves a spool too is left to that one. */
static bool is_last_image(const struct spool_files *files, const struct spool_file *file)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct spool_file *other = &files->file[i];
		struct spool_header header;
		char line[LINE_BYTES];

		if (other->pid == file->pid && other->start_ticks == file->start_ticks &&
		    !spool_read_header(other->path, &header, line, sizeof(line)) &&
		    header.state != SPOOL_EXECED)
			return false;
	}
	return true;
}

/* What a process on the list left when it gave way to another image; or a child of one, which
 * has ended, and as what no library of ours was in, so that nobody else will write it. */
static bool is_left_over(const struct finish *finish, const struct spool_files *files,
			 const struct spool_file *file)
{
	struct spool_header header;
	char line[LINE_BYTES];

	if (is_listed(finish, file->path) ||
	    spool_read_header(file->path, &header, line, sizeof(line)) ||
	    header.state != SPOOL_EXECED)
		return false;
	for (size_t i = 0; i < finish->count; i++) {
		const struct spool_header *listed = finish->items[i].header;

		if (listed->pid == file->pid && listed->start_ticks == file->start_ticks)
			return true;
		if (listed->pid == header.parent_pid && listed->start_ticks <= file->start_ticks &&
		    !spool_files_is_running(file) && is_last_image(files, file))
			return true;
	}
	return false;
}

static int add_left_over(struct finish *finish, const struct spool_files *files)
{
	size_t before;
	int err = 0;

	do { /* each may have left children of its own */
		before = finish->count;
		for (size_t i = 0; !err && i < files->count; i++)
			if (is_left_over(finish, files, &files->file[i]))
				err = finish_add(finish, files->file[i].path);
	} while (!err && finish->count != before);
	return err;
}

int finish_add_execed(struct finish *finish, const char *path)
{
	struct spool_files files = { 0 };
	const char *slash = strrchr(path, '/');
	char *directory = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	int err = directory ? 0 : -ENOMEM;

	if (!err)
		err = spool_files_add(&files, directory[0] ? directory : "/");
	if (!err)
		err = add_left_over(finish, &files);
	spool_files_free(&files);
	free(directory);
	return err;
}

/* The process started first leads its group: its name, its formats. */
static int compare(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int stem = strcmp(a->header->output, b->header->output);

	if (stem)
		return stem;
	if (a->header->start_realtime_ns != b->header->start_realtime_ns)
		return a->header->start_realtime_ns < b->header->start_realtime_ns ? -1 : 1;
	return strcmp(a->path, b->path);
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
			fail(finish, line);
		if (err < 0)
			return err;
	}
	return 0;
}

/* An image that gave way to another before it was sampled leaves nothing to write. */
static bool is_worth_writing(const struct finish *finish, const struct profile *profile,
			     size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (finish->items[i].header->state != SPOOL_EXECED)
			return true;
	return profile_summary(profile)->count[SPOOL_COUNT_SAMPLES] > 0;
}

/* What is being written, for tell_written. */
struct writing {
	const struct finish *finish;
	const struct spool_header *header;
	bool moved; /* told */
};

static void tell_written(const char *path, void *context)
{
	struct writing *writing = context;
	const struct finish_options *options = &writing->finish->options;
	char line[LINE_BYTES];

	if (options->written)
		options->written(path, options->context);
	if (writing->moved || !options->moved ||
	    !earlier_explain(writing->header, path, line, sizeof(line)))
		return;
	writing->moved = true;
	options->moved(line, options->context);
}

static int write_group(const struct finish *finish, size_t first, size_t end)
{
	const struct spool_header *header = finish->items[first].header;
	struct profile_options options = {
		.threads = (enum settings_threads)header->threads,
		.inlined = header->inlined,
		.lines = header->lines,
		.traces = header->formats & SETTINGS_FORMAT_PPROF,
		.warn = finish->options.warn,
	};
	struct writing writing = { .finish = finish, .header = header };
	struct output_request request = {
		.stem = header->output,
		.formats = header->formats,
		.weight = (enum settings_weight)header->weight,
		.wall = header->wall,
		.pid = header->pid ? header->pid : 1,
		.written = tell_written,
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
			fail(finish, more);
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

	for (size_t i = first; i < end && header->formats & SETTINGS_FORMAT_SPOOL; i++) {
		int now = keep_spool(finish->items[i].path, header->output, made, sizeof(made),
				     line, sizeof(line));

		if (now)
			fail(finish, line);
		else if (finish->options.written)
			finish->options.written(made, finish->options.context);
		err = err ? err : now;
	}
	return err;
}

int finish_write(struct finish *finish)
{
	size_t end;
	int err = 0;

	if (finish->count)
		qsort(finish->items, finish->count, sizeof(*finish->items), compare);
	for (size_t first = 0; first < finish->count; first = end) {
		int now;

		end = first + 1;
		while (end < finish->count && !strcmp(finish->items[first].header->output,
						      finish->items[end].header->output))
			end++;
		now = write_group(finish, first, end);
		if (!now)
			now = keep_group(finish, first, end);
		for (size_t i = first; !now && i < end; i++)
			unlink(finish->items[i].path);
		err = err ? err : now;
	}
	return err;
}
