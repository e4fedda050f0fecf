/*
 * Spools are read first and at once.  Folded files are read when stacks are requested, since they
 * have no counters and can be added to any.
 */
#include "runtime/profile/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/profile/input/folded_read.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/spool/spool_read.h"

#define LINE_BYTES 8192

static bool is_spool(int fd)
{
	uint64_t magic = 0;

	return pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       (magic == SPOOL_MAGIC || magic == __builtin_bswap64(SPOOL_MAGIC));
}

/* Makes the profile, unless there is one.  Returns false when memory is out. */
static bool need_profile(struct input *input, const struct profile_options *options)
{
	if (!input->profile)
		input->profile = profile_new(options);
	return input->profile;
}

static int read_spool(struct input *input, const struct profile_options *options, const char *path,
		      int fd)
{
	char line[LINE_BYTES];
	int err;

	if (!need_profile(input, options))
		return -ENOMEM;
	err = spool_read_check(fd, path, line, sizeof(line));
	if (!err)
		err = profile_read_fd(input->profile, fd, path, line, sizeof(line));
	if (err)
		input->warn(line);
	return err < 0 ? err : 0;
}

/* Note when the process of a spool ran.  Other files, and those that cannot be read, are reported
 * later. */
static int expect(struct input *input, const struct profile_options *options, const char *path)
{
	char line[LINE_BYTES];
	struct stat st;
	int fd = -1, err = 0;

	if (strcmp(path, "-") != 0 &&
	    !user_file_look(path, input->alone, &st, line, sizeof(line)) && S_ISREG(st.st_mode))
		fd = user_file_open(path, &st, line, sizeof(line));
	if (fd < 0)
		return 0;
	if (is_spool(fd) && !spool_read_check(fd, path, line, sizeof(line))) {
		err = need_profile(input, options)
			      ? profile_expect_fd(input->profile, fd, path, line, sizeof(line))
			      : -ENOMEM;
		if (err && err != -ENOMEM)
			input->warn(line);
	}
	close(fd);
	return err;
}

/* Find the window in the time of all spools. */
static int place(struct input *input, const struct profile_options *options, size_t count)
{
	char line[LINE_BYTES];
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = expect(input, options, input->paths[i]);
	if (err || !input->profile)
		return err;
	err = profile_place(input->profile, line, sizeof(line));
	if (err)
		input->warn(line);
	return err;
}

static void add_folded_path(struct input *input, char *path)
{
	input->folded[input->folded_count++] = path;
}

/* A file with two names is counted once. */
static int is_known(struct input *input, const char *path, const struct stat *st)
{
	uint32_t *seen = map_at(&input->seen, st->st_dev, st->st_ino);
	char line[LINE_BYTES];

	if (!seen)
		return -ENOMEM;
	if (*seen) {
		snprintf(line, sizeof(line), "%s: the same file as %s, and read once", path,
			 input->paths[*seen - 1]);
		input->warn(line);
		return 1;
	}
	*seen = input->at + 1;
	return 0;
}

/* A regular file is examined now.  Folded files are read later, so a file of another kind is
 * reported before any work starts. */
static int take_file(struct input *input, const struct profile_options *options, char *path,
		     const struct stat *st)
{
	char line[LINE_BYTES];
	int err = is_known(input, path, st);
	int fd;

	if (err)
		return err < 0 ? err : 0;
	fd = user_file_open(path, st, line, sizeof(line));
	if (fd >= 0 && is_spool(fd)) {
		err = read_spool(input, options, path, fd);
		close(fd);
		return err;
	}
	err = fd < 0 ? fd : file_kind_check(path, fd, line, sizeof(line));
	if (fd >= 0)
		close(fd);
	if (err)
		input->warn(line);
	else
		add_folded_path(input, path);
	return err;
}

/* Anything but a regular file is not opened before it is read: its writer would see us close it. */
static int take(struct input *input, const struct profile_options *options, char *path)
{
	char line[LINE_BYTES];
	struct stat st;
	int err;

	if (!strcmp(path, "-")) {
		add_folded_path(input, path);
		return 0;
	}
	err = user_file_look(path, input->alone, &st, line, sizeof(line));
	if (err)
		input->warn(line);
	else if (S_ISREG(st.st_mode))
		err = take_file(input, options, path, &st);
	else
		add_folded_path(input, path);
	return err;
}

int input_open(struct input *input, const struct profile_options *options, char **paths,
	       size_t count, void (*warn)(const char *line))
{
	int first = 0;

	*input = (struct input){ .selection = options->selection,
				 .interp = options->interp,
				 .warn = warn,
				 .paths = paths,
				 .alone = count == 1 };
	input->folded = calloc(count + 1, sizeof(char *));
	if (!input->folded)
		return -ENOMEM;
	if (window_is_set(&options->window)) {
		int err = place(input, options, count);

		if (err)
			return err;
	}
	for (; input->at < count; input->at++) {
		int err;

		if (options->step)
			options->step(input->at, count);
		err = take(input, options, paths[input->at]);
		if (err == -ENOMEM)
			return err;
		input->skipped += err ? 1 : 0;
		if (!err && !input->first)
			input->first = paths[input->at];
		first = first ? first : err;
	}
	if (input->skipped == count)
		return first;
	return input->profile ? profile_settle(input->profile) : 0;
}

void input_close(struct input *input)
{
	profile_free(input->profile);
	free(input->folded);
	map_free(&input->seen);
	*input = (struct input){ 0 };
}

int input_counter(const struct input *input, const char *name)
{
	unsigned count = input->profile ? profile_counter_count(input->profile) : 0;

	for (unsigned i = 0; name && i < count; i++)
		if (!strcmp(profile_counter(input->profile, i)->name, name))
			return (int)i;
	return name ? -ENOENT : 0;
}

/* Opens the stream of a folded file, from its current offset to its current end. */
static FILE *open_folded(const struct input *input, const char *path, int *err)
{
	char line[LINE_BYTES];
	struct stat st;
	bool hole;
	FILE *file;
	uint64_t left;
	int fd;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		*err = fd < 0 ? -errno : 0;
		snprintf(line, sizeof(line), "standard input: %s", strerror(-*err));
	} else {
		*err = user_file_look(path, input->alone, &st, line, sizeof(line));
		fd = *err ? *err : user_file_open(path, &st, line, sizeof(line));
		*err = fd < 0 ? fd : 0;
	}
	if (*err) {
		input->warn(line);
		return NULL;
	}
	left = user_file_bytes(fd, &hole);
	file = user_file_stream(fd, left);
	*err = file ? 0 : -ENOMEM;
	if (hole) {
		snprintf(line, sizeof(line),
			 "%s: there is a hole %llu bytes on, where reading ends", path,
			 (unsigned long long)left);
		input->warn(line);
	}
	return file;
}

/* Read a file's stacks.  A file with only malformed lines is no folded file. */
static int read_folded(const struct input *input, struct frame_tree *tree, const char *path)
{
	uint64_t before = frame_tree_root(tree)->total;
	char line[LINE_BYTES];
	char more[LINE_BYTES + 64];
	size_t skipped = 0;
	int err;
	FILE *file = open_folded(input, path, &err);

	if (!file)
		return err;
	err = folded_read(tree, file, !strcmp(path, "-") ? "standard input" : path, &skipped, line,
			  sizeof(line));
	fclose(file);
	if (err) {
		snprintf(line, sizeof(line), "%s: %s", path, strerror(-err));
		input->warn(line);
	} else if (skipped) {
		bool none = frame_tree_root(tree)->total == before;

		if (none)
			snprintf(more, sizeof(more), "%s (and no other line is a stack)", line);
		else
			snprintf(more, sizeof(more), "%s (%zu line%s skipped)", line, skipped,
				 skipped == 1 ? " was" : "s were");
		input->warn(more);
		err = none ? -EINVAL : 0;
	}
	return err;
}

/* A file that cannot be read is skipped, unless there is no other. */
static int read_all_folded(struct input *input, struct frame_tree *tree)
{
	size_t failed = 0;
	int first = 0;

	for (size_t i = 0; i < input->folded_count; i++) {
		int err = read_folded(input, tree, input->folded[i]);

		if (err == -ENOMEM)
			return err;
		failed += err ? 1 : 0;
		first = first ? first : err;
	}
	input->skipped += failed;
	return failed == input->folded_count && !input->profile ? first : 0;
}

int input_merge(struct input *input, const struct profile_options *options)
{
	struct frame_tree *tree;
	int err;

	if (need_profile(input, options) && !input->folded_count)
		return 0;
	tree = frame_tree_new();
	err = input->profile && tree ? 0 : -ENOMEM;
	if (!err)
		err = read_all_folded(input, tree);
	if (!err) {
		frame_tree_sort(tree);
		err = profile_add_tree(input->profile, tree);
	}
	if (err == -ENOMEM)
		input->warn(strerror(ENOMEM));
	frame_tree_free(tree);
	return err;
}

static int add_folded(struct input *input, struct frame_tree *tree)
{
	struct frame_tree *all;
	int err;

	if (!input->selection && !input->interp)
		return read_all_folded(input, tree);
	all = frame_tree_new();
	err = all ? read_all_folded(input, all) : -ENOMEM;
	if (!err)
		err = selection_copy(input->selection, input->interp, all, tree);
	frame_tree_free(all);
	return err;
}

int input_tree(struct input *input, unsigned counter, enum settings_weight weight,
	       struct frame_tree **tree)
{
	struct frame_tree *made = NULL;
	int err = 0;

	if (input->profile && counter < profile_counter_count(input->profile))
		err = profile_tree(input->profile, counter, weight, &made);
	else
		made = frame_tree_new();
	if (!err && !made)
		err = -ENOMEM;
	if (err)
		input->warn(strerror(-err));
	if (!err)
		err = add_folded(input, made);
	return frame_tree_end(made, err, tree);
}
