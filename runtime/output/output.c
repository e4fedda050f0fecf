/*
 * A file becomes visible under its name only when it is complete.  If other processes may write
 * under the same stem, the final rename refuses to replace a file, or one that is newer than this
 * run.  Then the process's pid is added to the stem, and after that a number.
 */
#include "runtime/output/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/atomic_file.h"
#include "runtime/profile/base/stream.h"
#include "runtime/output/formats/timed.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"

#define STEM_MAX      4096
#define ATTEMPTS_MAX  1000
#define SOURCES_BYTES ((uint64_t)64 << 20)
#define NS_PER_S      1000000000ULL

/* The rows of config/settings/formats.h, with their writers. */
#define ROW(id, name, number, ending, facts) { #name, ending, number, facts, format_##name },
static const struct format table[] = { SETTINGS_FORMATS(ROW) };

#define COUNT (sizeof(table) / sizeof(table[0]))

const struct format *format_find(unsigned set)
{
	const struct format *found = &table[0];

	for (size_t i = 0; i < COUNT; i++)
		if (set & table[i].number)
			found = &table[i];
	return found;
}

unsigned format_set(unsigned facts)
{
	unsigned set = 0;

	for (size_t i = 0; i < COUNT; i++)
		if (table[i].facts & facts)
			set |= table[i].number;
	return set;
}

void format_names(unsigned set, char *text, size_t bytes)
{
	size_t used = 0, left = (size_t)__builtin_popcount(set);

	for (size_t i = 0; i < COUNT && used < bytes; i++) {
		if (!(set & table[i].number))
			continue;
		left--;
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", table[i].name,
					 left > 1 ? ", "
					 : left	  ? " and "
						  : "");
	}
}

const char *format_missing(const struct profile *profile, unsigned format)
{
	if (!(format & format_set(FORMAT_TIMED)) || timed_is_possible(profile))
		return NULL;
	return ": this format needs the time of each sample, and not all of these profiles have "
	       "one: it takes spools of a run with --timeline";
}

/* The requested output, and the first failure; the other files are still written. */
struct job {
	const struct output_request *request;
	struct format_content content;
	char *line;
	size_t bytes;
	int err;
	unsigned streamed; /* number of files written to a stream */
};

/* A stream is used only by the call that named it: no other process waits for a reader. */
static bool is_stream(const struct output_request *request)
{
	return stream_is_null(request->stem) ||
	       (request->replaced_before_ns && stream_is(request->stem));
}

int output_make_directories(const char *stem)
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

void output_keep(unsigned formats, bool asked, struct profile_options *options)
{
	options->timeline = formats & format_set(FORMAT_TIMES);
	options->locations = formats & format_set(FORMAT_LOCATIONS);
	options->label_sets = formats & format_set(FORMAT_LABELS);
	options->waits = formats & format_set(FORMAT_PAGE);
	if (options->waits)
		options->sources = asked ? UINT64_MAX : SOURCES_BYTES;
}

/* Makes ".cycles-u.folded"; without the counter if it is the only one or the file holds all. */
static void make_ending(const struct job *job, unsigned format, char *ending, size_t bytes)
{
	const struct format_content *content = &job->content;
	const char *kind = format_find(format)->ending;

	if (content->wall) {
		snprintf(ending, bytes, ".wall.%s", kind);
		return;
	}
	if (profile_counter_count(content->profile) == 1 ||
	    content->counter == FORMAT_CONTENT_ALL) {
		snprintf(ending, bytes, ".%s", kind);
		return;
	}
	snprintf(ending, bytes, ".%s.%s", profile_counter(content->profile, content->counter)->name,
		 kind);
	for (char *c = ending; *c; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
}

/* Makes the path: from the stem itself, then with the pid, then with the pid and a number. */
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

/* Returns true, with its path, if the file was written before. */
static bool is_known(const struct output_request *request, const char *ending, char *path,
		     size_t bytes)
{
	if (request->replaced_before_ns || !request->known)
		return false;
	for (unsigned attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
		if (make_path(request, attempt, ending, path, bytes) || access(path, F_OK))
			return false;
		if (request->known(path, request->context))
			return true;
	}
	return false;
}

/* Returns true if there is a file of that name that may be replaced.  Its time is that of the
 * kernel's last tick (inode_set_ctime_current in fs/inode.c), so one written before always seems
 * so. */
static bool is_replaced(const struct output_request *request, const char *path)
{
	struct stat st;

	return !lstat(path, &st) &&
	       (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec <
		       request->replaced_before_ns;
}

static int name_file(const struct output_request *request, struct atomic_file *atomic,
		     const char *ending, char *path, size_t bytes)
{
	int err = -EEXIST;

	for (unsigned attempt = 0; err == -EEXIST && attempt < ATTEMPTS_MAX; attempt++) {
		err = make_path(request, attempt, ending, path, bytes);
		if (!err)
			err = atomic_file_name(atomic, path,
					       !attempt && is_replaced(request, path));
		if (!err && attempt && request->moved)
			*request->moved = true;
	}
	return err;
}

/* Report a complete file, or the first failure; `why` replaces the text of its error. */
static void tell(struct job *job, const char *path, int err, const char *why)
{
	if (!err && job->request->written)
		job->request->written(path, job->request->context);
	if (err && !job->err)
		snprintf(job->line, job->bytes, "%s%s%s", path, why ? "" : ": ",
			 why ? why : strerror(-err));
	job->err = job->err ? job->err : err;
}

/* Write to an output that cannot be replaced; it accepts one file. */
static void write_stream(struct job *job, unsigned format)
{
	const char *missing = format_missing(job->content.profile, format);
	const char *path = job->request->stem;
	bool again = job->streamed++;
	FILE *file;
	int err;

	if (again && !stream_is_null(path)) {
		tell(job, path, -EEXIST,
		     " takes one file: another format or counter is not written");
		return;
	}
	if (missing) {
		tell(job, path, -ENODATA, missing);
		return;
	}
	err = stream_open(path, &file);
	if (!err) {
		errno = 0;
		err = format_find(format)->write(&job->content, file);
		if (err == -EIO && errno)
			err = -errno;
		if (fclose(file) && !err)
			err = -errno;
	}
	if (err || !again)
		tell(job, path, err, NULL);
}

static void write_file(struct job *job, unsigned format)
{
	const struct output_request *request = job->request;
	const char *missing = format_missing(job->content.profile, format);
	struct atomic_file atomic;
	char path[STEM_MAX + 128];
	char ending[SPOOL_NAME_MAX + 32];
	int err;

	make_ending(job, format, ending, sizeof(ending));
	if (missing) {
		make_path(request, 0, ending, path, sizeof(path));
		tell(job, path, -ENODATA, missing);
		return;
	}
	if (is_known(request, ending, path, sizeof(path))) {
		tell(job, path, 0, NULL);
		return;
	}
	make_path(request, 0, ending, path, sizeof(path));
	err = atomic_file_open(&atomic, path);
	if (!err) {
		err = format_find(format)->write(&job->content, atomic.file);
		err = atomic_file_flush(&atomic, err);
		if (!err && request->naming)
			request->naming(fileno(atomic.file), request->context);
		if (!err)
			err = name_file(request, &atomic, ending, path, sizeof(path));
		atomic_file_close(&atomic);
	}
	tell(job, path, err, NULL);
}

static void write_formats(struct job *job, unsigned formats)
{
	bool stream = is_stream(job->request);

	for (unsigned format = 1; format <= formats; format <<= 1) {
		if (formats & format && stream)
			write_stream(job, format);
		else if (formats & format)
			write_file(job, format);
	}
}

/* Write the result of profile_tree() or profile_wall_tree(), or report its error. */
static void write_tree(struct job *job, int err)
{
	if (err) {
		tell(job, job->request->stem, err, NULL);
		return;
	}
	write_formats(job, job->request->formats & format_set(FORMAT_EACH));
	frame_tree_free(job->content.tree);
	job->content.tree = NULL;
}

static void write_counter(struct job *job, unsigned counter)
{
	job->content.counter = counter;
	write_tree(job, profile_tree(job->content.profile, counter, job->request->weight,
				     &job->content.tree));
}

/* If one of the two was refused there is no such picture; the refusal is reported elsewhere. */
static void write_wall(struct job *job)
{
	int err = profile_wall_tree(job->content.profile, &job->content.tree);

	job->content.wall = true;
	if (err != -ENODATA)
		write_tree(job, err);
	job->content.wall = false;
}

/* Returns the formats of which there is a file for all counters. */
static unsigned with_all(const struct profile *profile)
{
	unsigned formats = format_set(FORMAT_ALL);
	unsigned missing = 0;

	if (!counter_views_are_several(profile))
		formats &= ~format_set(FORMAT_EACH);
	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		missing += counter_views_is_missing(profile, i);
	if (missing == profile_counter_count(profile))
		formats &= ~format_set(FORMAT_PAGE);
	return formats;
}

int output_write(struct profile *profile, const struct output_request *request, char *line,
		 size_t bytes)
{
	struct job job = {
		.request = request,
		.content = { .profile = profile,
			     .weight = request->weight,
			     .page_bytes = request->page_bytes },
		.line = line,
		.bytes = bytes,
	};
	int err = output_make_directories(request->stem);

	if (err) {
		snprintf(line, bytes, "%s: its directory cannot be made: %s", request->stem,
			 strerror(-err));
		return err;
	}
	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		if ((request->formats & format_set(FORMAT_EACH)) &&
		    !counter_views_is_missing(profile, i))
			write_counter(&job, i);
	if (request->wall)
		write_wall(&job);
	job.content.counter = FORMAT_CONTENT_ALL;
	write_formats(&job, request->formats & with_all(profile));
	return job.err;
}
