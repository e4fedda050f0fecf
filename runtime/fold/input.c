/*
 * Spools are read first and at once; folded files when stacks are asked for, since they know
 * no counters and go into any.
 */
#include "runtime/fold/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fold/file_kind.h"
#include "runtime/fold/folded.h"
#include "runtime/fold/selection.h"
#include "runtime/fold/stacks.h"

#define LINE_BYTES 8192

/* What cannot be read shows when it is read as a folded file.  A pipe is not even opened: its
 * writer would see us go. */
static bool is_spool(const char *path)
{
	uint64_t magic = 0;
	struct stat st;
	int fd;
	bool is;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	is = pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	     (magic == SPOOL_MAGIC || magic == __builtin_bswap64(SPOOL_MAGIC));
	close(fd);
	return is;
}

static int read_spool(struct input *input, const struct profile_options *options, const char *path)
{
	char line[LINE_BYTES];
	int err;

	if (!input->profile)
		input->profile = profile_new(options);
	if (!input->profile)
		return -ENOMEM;
	err = profile_read(input->profile, path, line, sizeof(line));
	if (err)
		input->warn(line);
	return err < 0 ? err : 0;
}

/* Folded files are read later, so what they are not is said before anything is done. */
static int add_folded_path(struct input *input, char *path)
{
	char line[LINE_BYTES];
	int err = file_kind_check(path, line, sizeof(line));

	if (err)
		input->warn(line);
	else
		input->folded[input->folded_count++] = path;
	return err;
}

int input_open(struct input *input, const struct profile_options *options, char **paths,
	       size_t count, void (*warn)(const char *line))
{
	int err = 0;

	*input = (struct input){ .selection = options->selection, .warn = warn };
	input->folded = calloc(count + 1, sizeof(char *));
	if (!input->folded)
		return -ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		if (options->step)
			options->step(i, count);
		if (is_spool(paths[i]))
			err = read_spool(input, options, paths[i]);
		else
			err = add_folded_path(input, paths[i]);
	}
	return err;
}

void input_close(struct input *input)
{
	profile_free(input->profile);
	free(input->folded);
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

static int read_folded(const struct input *input, struct stacks *stacks, const char *path)
{
	bool standard = !strcmp(path, "-");
	FILE *file = standard ? stdin : fopen(path, "re");
	char line[LINE_BYTES];
	char more[LINE_BYTES + 64];
	size_t skipped = 0;
	int err = file ? 0 : -errno;

	if (!err)
		err = folded_read(stacks, file, standard ? "standard input" : path, &skipped, line,
				  sizeof(line));
	if (file && !standard)
		fclose(file);
	if (err) {
		snprintf(line, sizeof(line), "%s: %s", path, strerror(-err));
		input->warn(line);
	} else if (skipped) {
		snprintf(more, sizeof(more), "%s (%zu lines were skipped)", line, skipped);
		input->warn(more);
	}
	return err;
}

static int read_all_folded(const struct input *input, struct stacks *stacks)
{
	int err = 0;

	for (size_t i = 0; !err && i < input->folded_count; i++)
		err = read_folded(input, stacks, input->folded[i]);
	return err;
}

int input_gather(struct input *input, const struct profile_options *options)
{
	struct stacks *stacks;
	int err;

	if (!input->profile)
		input->profile = profile_new(options);
	if (!input->folded_count && input->profile)
		return 0;
	stacks = stacks_new();
	err = input->profile && stacks ? 0 : -ENOMEM;
	if (!err)
		err = read_all_folded(input, stacks);
	if (!err) {
		stacks_sort(stacks);
		err = profile_add_stacks(input->profile, stacks);
	}
	if (err == -ENOMEM)
		input->warn(strerror(ENOMEM));
	stacks_free(stacks);
	return err;
}

static int add_folded(const struct input *input, struct stacks *stacks)
{
	struct stacks *all;
	int err;

	if (!input->selection)
		return read_all_folded(input, stacks);
	all = stacks_new();
	err = all ? read_all_folded(input, all) : -ENOMEM;
	if (!err)
		err = selection_copy(input->selection, all, stacks);
	stacks_free(all);
	return err;
}

int input_stacks(const struct input *input, unsigned counter, enum settings_weight weight,
		 struct stacks **stacks)
{
	struct stacks *made = NULL;
	int err = 0;

	if (input->profile && counter < profile_counter_count(input->profile))
		err = profile_stacks(input->profile, counter, weight, &made);
	else
		made = stacks_new();
	if (!err && !made)
		err = -ENOMEM;
	if (err)
		input->warn(strerror(-err));
	if (!err)
		err = add_folded(input, made);
	if (err) {
		stacks_free(made);
		return err;
	}
	stacks_sort(made);
	*stacks = made;
	return 0;
}
