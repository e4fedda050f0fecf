/*
 * A file becomes visible under its name only when it is complete.  Where other processes may
 * write under the same stem, it is put there by a rename that refuses to replace; then the
 * stem gets the process's pid, and after that a number.
 */
#include "runtime/fold/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fold/choices.h"
#include "runtime/fold/folded.h"
#include "runtime/fold/graph.h"
#include "runtime/fold/notes.h"
#include "runtime/fold/pprof.h"
#include "runtime/fold/profile.h"
#include "runtime/fold/speedscope.h"
#include "runtime/fold/stacks.h"
#include "runtime/fold/wall.h"

#define STEM_MAX     4096
#define ATTEMPTS_MAX 1000
#define PER_COUNTER  (SETTINGS_FORMAT_FOLDED | SETTINGS_FORMAT_SVG)
#define ALL_COUNTERS UINT_MAX

/* One file to be made: of one counter, or of all where the format has room for them. */
struct file {
	struct profile *profile;
	const struct output_request *request;
	unsigned counter;
	bool wall; /* in the place of a counter */
	unsigned format;
	struct stacks *stacks;
};

static int make_directories(const char *stem)
{
	char path[STEM_MAX];

	snprintf(path, sizeof(path), "%s", stem);
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0777) && errno != EEXIST && errno != EISDIR)
			return -errno;
		*slash = '/';
	}
	return 0;
}

static const char *kind_of(unsigned format)
{
	switch (format) {
	case SETTINGS_FORMAT_SVG:
		return "svg";
	case SETTINGS_FORMAT_PPROF:
		return "pb.gz";
	case SETTINGS_FORMAT_SPEEDSCOPE:
		return "speedscope.json";
	default:
		return "folded";
	}
}

/* ".cycles-u.folded", without the counter if it is the only one or all are in the file. */
static void make_ending(const struct file *file, char *ending, size_t bytes)
{
	const char *kind = kind_of(file->format);

	if (file->wall) {
		snprintf(ending, bytes, ".wall.%s", kind);
		return;
	}
	if (profile_counter_count(file->profile) == 1 || file->counter == ALL_COUNTERS) {
		snprintf(ending, bytes, ".%s", kind);
		return;
	}
	snprintf(ending, bytes, ".%s.%s", profile_counter(file->profile, file->counter)->name,
		 kind);
	for (char *c = ending; *c; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
}

static int write_speedscope(const struct file *file, const struct choices *all, FILE *to)
{
	struct speedscope_counter counters[SPOOL_COUNTERS_MAX];
	struct speedscope_options options = {
		.title = all->notes[0].title,
		.threads = profile_threads(file->profile) != SETTINGS_THREADS_MERGE,
	};

	for (unsigned i = 0; i < all->count; i++) {
		counters[i].name = all->choice[i].counter;
		counters[i].nanoseconds = !strcmp(all->choice[i].unit, "ns");
		counters[i].stacks = all->choice[i].stacks;
	}
	return speedscope_write(counters, all->count, &options, to);
}

/* A profile without counters has no picture, but its other formats say as much. */
static int write_all(const struct file *file, FILE *to)
{
	struct graph_options options = { .title = NULL };
	struct choices *all;
	bool ratios = file->format == SETTINGS_FORMAT_SVG;
	int err = choices_new(file->profile, file->request->weight, ratios, &all);

	if (!err && file->format == SETTINGS_FORMAT_SPEEDSCOPE)
		err = write_speedscope(file, all, to);
	if (!err && file->format == SETTINGS_FORMAT_SVG) {
		options.title = all->notes[0].title;
		err = graph_write_choice(all->choice, all->count, &options, to);
	}
	choices_free(all);
	return err == -ENODATA ? 0 : err; /* the picture says so itself */
}

static int write_content(const struct file *file, FILE *to)
{
	struct graph_options options = { .title = NULL };
	struct notes notes;
	int err;

	if (file->format == SETTINGS_FORMAT_FOLDED)
		return folded_write(file->stacks, to);
	if (file->format == SETTINGS_FORMAT_PPROF)
		return pprof_write(file->profile, to);
	if (file->counter == ALL_COUNTERS)
		return write_all(file, to);
	if (file->wall)
		notes_wall(&notes, file->profile);
	else
		notes_make(&notes, file->profile, file->counter, file->request->weight);
	options.title = notes.title;
	options.notes = notes.notes;
	options.unit = notes.unit;
	err = graph_write(file->stacks, &options, to);
	return err == -ENODATA ? 0 : err; /* the picture says so itself */
}

/* Write to a new file beside the stem; its name goes to `temporary`.  Returns 0 or -errno with
 * nothing left. */
static int write_temporary(const struct file *file, char *temporary, size_t bytes)
{
	mode_t mask = umask(0);
	FILE *to = NULL;
	int err;
	int fd;

	umask(mask);
	if (snprintf(temporary, bytes, "%s.XXXXXX", file->request->stem) >= (int)bytes)
		return -ENAMETOOLONG;
	fd = mkstemp(temporary);
	if (fd < 0)
		return -errno;
	to = fchmod(fd, 0666 & ~mask) ? NULL : fdopen(fd, "w");
	if (!to) {
		err = -errno;
		close(fd);
		unlink(temporary);
		return err;
	}
	errno = 0;
	err = write_content(file, to);
	if (err == -EIO && errno)
		err = -errno;
	if (fclose(to) && !err)
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

/* Rename unless the name is taken: then -EEXIST. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* A file system without that flag has links, as a rule. */
	if (link(from, to))
		return -errno;
	unlink(from);
	return 0;
}

/* The stem itself, then with the pid, then with the pid and a number. */
static int make_path(const struct output_request *request, unsigned attempt, const char *ending,
		     char *path, size_t bytes)
{
	int length;

	if (attempt == 0)
		length = snprintf(path, bytes, "%s%s", request->stem, ending);
	else if (attempt == 1)
		length = snprintf(path, bytes, "%s.%u%s", request->stem, request->pid, ending);
	else
		length = snprintf(path, bytes, "%s.%u.%u%s", request->stem, request->pid, attempt,
				  ending);
	return length < (int)bytes ? 0 : -ENAMETOOLONG;
}

/* Give the finished file its name. */
static int publish(const struct file *file, const char *temporary, const char *ending, char *path,
		   size_t bytes)
{
	int err = -EEXIST;

	for (unsigned attempt = 0; err == -EEXIST && attempt < ATTEMPTS_MAX; attempt++) {
		err = make_path(file->request, attempt, ending, path, bytes);
		if (err)
			return err;
		if (file->request->pid)
			err = rename_new(temporary, path);
		else
			err = rename(temporary, path) ? -errno : 0;
	}
	return err;
}

static int write_file(const struct file *file, char *line, size_t bytes)
{
	char temporary[STEM_MAX + 16];
	char path[STEM_MAX + 128];
	char ending[SPOOL_NAME_MAX + 32];
	int err;

	make_ending(file, ending, sizeof(ending));
	make_path(file->request, 0, ending, path, sizeof(path));
	err = write_temporary(file, temporary, sizeof(temporary));
	if (!err) {
		err = publish(file, temporary, ending, path, sizeof(path));
		if (err)
			unlink(temporary);
	}
	if (err)
		snprintf(line, bytes, "%s: %s", path, strerror(-err));
	else if (file->request->written)
		file->request->written(path, file->request->context);
	return err;
}

/* What is written, and the first failure; the rest is written all the same. */
struct job {
	struct file file;
	char *line;
	size_t bytes;
	int err;
};

static void write_formats(struct job *job, unsigned formats)
{
	char other[STEM_MAX];

	for (unsigned format = 1; format <= formats; format <<= 1) {
		int now = 0;

		job->file.format = format;
		if (formats & format)
			now = write_file(&job->file, job->err ? other : job->line,
					 job->err ? sizeof(other) : job->bytes);
		job->err = job->err ? job->err : now;
	}
}

/* Write what profile_stacks or wall_stacks made, or say why it did not. */
static void write_stacks(struct job *job, int err)
{
	const struct output_request *request = job->file.request;

	if (err) {
		if (!job->err)
			snprintf(job->line, job->bytes, "%s: %s", request->stem, strerror(-err));
		job->err = job->err ? job->err : err;
		return;
	}
	write_formats(job, request->formats & PER_COUNTER);
	stacks_free(job->file.stacks);
	job->file.stacks = NULL;
}

static void write_counter(struct job *job, unsigned counter)
{
	job->file.counter = counter;
	write_stacks(job, profile_stacks(job->file.profile, counter, job->file.request->weight,
					 &job->file.stacks));
}

/* Where one of the two was refused there is no such picture; the refusal is said elsewhere. */
static void write_wall(struct job *job)
{
	int err = wall_stacks(job->file.profile, &job->file.stacks);

	job->file.wall = true;
	if (err != -ENODATA)
		write_stacks(job, err);
	job->file.wall = false;
}

/* More than one counter to choose among. */
static bool has_choice(const struct profile *profile)
{
	unsigned there = 0;

	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		there += !choices_is_missing(profile, i);
	return there > 1;
}

int output_write(struct profile *profile, const struct output_request *request, char *line,
		 size_t bytes)
{
	struct job job = {
		.file = { .profile = profile, .request = request },
		.line = line,
		.bytes = bytes,
	};
	int err = make_directories(request->stem);

	if (err) {
		snprintf(line, bytes, "%s: its directory cannot be made: %s", request->stem,
			 strerror(-err));
		return err;
	}
	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		if ((request->formats & PER_COUNTER) && !choices_is_missing(profile, i))
			write_counter(&job, i);
	if (request->wall)
		write_wall(&job);
	job.file.counter = ALL_COUNTERS;
	write_formats(&job, request->formats &
				    ~(has_choice(profile) ? SETTINGS_FORMAT_FOLDED : PER_COUNTER));
	return job.err;
}
