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

#include "runtime/fold/folded.h"
#include "runtime/fold/graph.h"
#include "runtime/fold/notes.h"
#include "runtime/fold/profile.h"
#include "runtime/fold/stacks.h"

#define STEM_MAX     4096
#define ATTEMPTS_MAX 1000

/* One file to be made. */
struct file {
	struct profile *profile;
	const struct output_request *request;
	unsigned counter;
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

/* ".cycles:u.folded", without the counter if it is the only one. */
static void make_ending(const struct file *file, char *ending, size_t bytes)
{
	const char *kind = file->format == SETTINGS_FORMAT_SVG ? "svg" : "folded";
	const struct spool_counter *counter = profile_counter(file->profile, file->counter);

	if (profile_counter_count(file->profile) == 1) {
		snprintf(ending, bytes, ".%s", kind);
		return;
	}
	snprintf(ending, bytes, ".%s.%s", counter->name, kind);
	for (char *c = ending; *c; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
}

static int write_content(const struct file *file, FILE *to)
{
	struct graph_options options = { .title = NULL };
	struct notes notes;
	int err;

	if (file->format == SETTINGS_FORMAT_FOLDED)
		return folded_write(file->stacks, to);
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
	char ending[SPOOL_NAME_MAX + 16];
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

/* All formats of one counter.  The first failure is kept, the rest is written all the same. */
static int write_counter(struct profile *profile, const struct output_request *request,
			 unsigned counter, char *line, size_t bytes)
{
	struct file file = { .profile = profile, .request = request, .counter = counter };
	int err = profile_stacks(profile, counter, request->weight, &file.stacks);
	char other[STEM_MAX];

	if (err) {
		snprintf(line, bytes, "%s: %s", request->stem, strerror(-err));
		return err;
	}
	for (file.format = 1; file.format <= SETTINGS_FORMAT_SVG; file.format <<= 1) {
		int now = 0;

		if (request->formats & file.format)
			now = write_file(&file, err ? other : line, err ? sizeof(other) : bytes);
		err = err ? err : now;
	}
	stacks_free(file.stacks);
	return err;
}

/* A counter that could not be opened has nothing to show; what was refused is said elsewhere.
 * Were it the only one, an empty file would still say that the program ran. */
static bool is_missing(const struct profile *profile, unsigned counter)
{
	return profile_counter_count(profile) > 1 &&
	       (profile_counter(profile, counter)->flags & SPOOL_COUNTER_UNAVAILABLE);
}

int output_write(struct profile *profile, const struct output_request *request, char *line,
		 size_t bytes)
{
	unsigned later = request->formats & (SETTINGS_FORMAT_PPROF | SETTINGS_FORMAT_SPEEDSCOPE);
	int err = make_directories(request->stem);
	char other[STEM_MAX];

	if (err) {
		snprintf(line, bytes, "%s: its directory cannot be made: %s", request->stem,
			 strerror(-err));
		return err;
	}
	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		int now = 0;

		if (!is_missing(profile, i))
			now = write_counter(profile, request, i, err ? other : line,
					    err ? sizeof(other) : bytes);
		err = err ? err : now;
	}
	if (later && !err) {
		snprintf(line, bytes,
			 "%s: format %s is not written by this version; use folded, svg",
			 request->stem, later & SETTINGS_FORMAT_PPROF ? "pprof" : "speedscope");
		err = -ENOTSUP;
	}
	return err;
}
