/*
 * Order: read, write, and only then remove.  A ctrl-C in between leaves the spools, and prints
 * where they are.
 */
#include "runtime/command/run/collect.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/settings/pattern.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/base/paths.h"
#include "runtime/collect/run_dir.h"
#include "runtime/collect/spools.h"
#include "runtime/output/output.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/spool/spool_read.h"

#define SEQUENCE_MAX 100000
#define FILES_BYTES  4096
#define NS_PER_S     1000000000ULL

/* Returns true if a file STEM.something exists already. */
static bool taken(const char *stem)
{
	char directory[PATH_MAX];
	const char *name = basename(stem);
	size_t length = strlen(name);
	struct dirent *entry;
	bool found = false;
	DIR *stream;

	paths_directory(stem, directory, sizeof(directory));
	stream = opendir(directory);
	if (!stream)
		return false;
	while (!found && (entry = readdir(stream)))
		found = strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.';
	closedir(stream);
	return found;
}

int collect_stem(const struct collect *collect, char *stem, size_t stem_bytes, char *line,
		 size_t bytes)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct pattern_values values = {
		.pid = (unsigned)collect->child->pid,
		.executable = collect->executable,
		.host = host,
		.seconds = collect->start_ns / NS_PER_S,
		.environment = environ,
	};
	char next[PATH_MAX];
	int err;

	gethostname(host, sizeof(host) - 1);
	values.sequence = 1;
	err = pattern_resolve(collect->launch->settings.output, &values, stem, stem_bytes);
	while (!err && values.sequence < SEQUENCE_MAX) {
		values.sequence++;
		err = pattern_resolve(collect->launch->settings.output, &values, next,
				      sizeof(next));
		/* a pattern without %n stays the same, and its old files are replaced */
		if (err || strcmp(next, stem) == 0 || !taken(stem))
			break;
		err = snprintf(stem, stem_bytes, "%s", next) < (int)stem_bytes ? 0 : -ENAMETOOLONG;
	}
	if (err)
		snprintf(line, bytes, "FLAMETRAP_OUTPUT: the name it stands for is too long");
	return err;
}

static void say_kept(const struct collect *collect, const char *why)
{
	char run[PATH_MAX];

	run_dir_name(collect->launch->spool, run, sizeof(run));
	status_line("%sthe samples are kept: flametrap recover %s", why, run);
}

/* A daemon, or a server that a script started. */
static void say_survivors(const struct collect *collect, const struct survivors *survivors)
{
	const char *spool = collect->launch->settings.spool;
	char run[PATH_MAX], more[64] = "", now[PATH_MAX + 128] = "";

	run_dir_name(collect->launch->spool, run, sizeof(run));
	if (survivors->count > 1)
		snprintf(more, sizeof(more), " and %u more", survivors->count - 1);
	if (survivors->pid)
		snprintf(now, sizeof(now), " (%d)%s; %s%s%sflametrap report %d shows it now",
			 (int)survivors->pid, more, spool[0] ? "FLAMETRAP_SPOOL=" : "", spool,
			 spool[0] ? " " : "", (int)survivors->pid);
	else
		snprintf(now, sizeof(now), "%s", more);
	status_line("still running: %s%s, flametrap recover %s writes all once it has ended "
		    "(--wait waits for it)",
		    survivors->pid ? survivors->name : "a process", now, run);
}

static void say_if_interrupted(const char *directory)
{
	char run[PATH_MAX], line[PATH_MAX + 96];

	run_dir_name(directory, run, sizeof(run));
	snprintf(line, sizeof(line), "interrupted; the samples are kept: flametrap recover %s",
		 run);
	interrupt_expect(line);
}

static bool is_page(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot + 1, format_find(format_set(FORMAT_PAGE))->ending);
}

/* The names for the summary. */
struct written {
	char files[FILES_BYTES];
	char copy[PATH_MAX];
};

/* A page comes first: it is what most users open. */
static void note_file(const char *path, void *context)
{
	char *files = ((struct written *)context)->files;
	size_t used = strlen(files);
	size_t length = strlen(path) + 1;

	if (used + length >= FILES_BYTES)
		return;
	if (!is_page(path)) {
		snprintf(files + used, FILES_BYTES - used, " %s", path);
		return;
	}
	memmove(files + length, files, used + 1);
	files[0] = ' ';
	memcpy(files + 1, path, length - 1);
}

/* The name that the message has for all copies: one by one they would fill the line. */
static void note_copy(const char *path, void *context)
{
	struct written *written = context;

	snprintf(written->copy, sizeof(written->copy), "%s", path);
}

static int keep_spools(const struct collection *spools, const char *stem, struct written *written)
{
	int err = collection_copy(spools, stem);

	if (!err && spools->count > 1 &&
	    snprintf(written->copy, sizeof(written->copy), "%s.*.spool", stem) >=
		    (int)sizeof(written->copy))
		err = -ENAMETOOLONG;
	if (!err && spools->count)
		note_file(written->copy, written);
	return err;
}

/* A file that another command wrote since this one began is not replaced. */
static int write_files(const struct collect *collect, struct collection *spools,
		       struct profile *profile, struct written *written)
{
	bool moved = false;
	struct output_request request = {
		.replaced_before_ns = collect->start_ns,
		.pid = (unsigned)collect->child->pid,
		.moved = &moved,
		.formats = collect->launch->settings.formats,
		.weight = collect->launch->settings.weight,
		.page_bytes = collect->launch->formats_asked ? 0 : OUTPUT_PAGE_BYTES,
		.wall = collect->launch->settings.wall,
	};
	char stem[PATH_MAX], line[1024];
	int err = collect_stem(collect, stem, sizeof(stem), line, sizeof(line));

	if (!err) {
		request.stem = stem;
		progress_write();
		err = collection_write(spools, profile, &request, line, sizeof(line));
	}
	if (moved)
		status_line("another command wrote %s.* while this one ran: they stay, and files "
			    "of this run are named %s.%u.*",
			    stem, stem, (unsigned)collect->child->pid);
	if (err)
		status_line_text(line);
	else if (collect->launch->settings.formats & SETTINGS_FORMAT_SPOOL)
		err = keep_spools(spools, stem, written);
	return err;
}

static void say_note(const struct profile *profile)
{
	const struct spool_header *first = profile_first(profile);

	if (first && first->note[0])
		status_line("%.*s", (int)sizeof(first->note), first->note);
}

static void finish(const struct collect *collect, struct spools *spools, struct profile *profile)
{
	struct written written = { .files = "" };
	const struct collection_options options = {
		.written = note_file,
		.copied = note_copy,
		.context = &written,
	};
	struct summary_line summary = {
		.profile = profile,
		.spools = spools,
		.command = collect->launch->file,
		.status = collect->child->status,
		.cpu_ns = child_cpu_ns(collect->child),
		.files = written.files,
	};
	int err = 0;

	spools_read(spools, &options, collect->launch->settings.memory_bytes, profile);
	if (profile_summary(profile)->spools)
		err = write_files(collect, &spools->collection, profile, &written);
	progress_end();
	if (!err && !spools->survivors.count) {
		collection_remove(&spools->collection);
		run_dir_remove(collect->launch->spool); /* refused unless it is empty */
	}
	if (collect->launch->settings.log != SETTINGS_LOG_QUIET)
		summary_line_say(&summary);
	if (collect->launch->settings.log != SETTINGS_LOG_QUIET &&
	    !collect->launch->settings.follow_glob[0])
		summary_line_unprofiled(collect->executable, collect->launch->file, spools);
	if (profile_merge(profile)->gaps)
		advice_say(profile_merge(profile)->gaps, &collect->launch->settings);
	if (collect->launch->settings.log == SETTINGS_LOG_INFO)
		say_note(profile);
	if (spools->survivors.count && collect->launch->settings.log != SETTINGS_LOG_QUIET)
		say_survivors(collect, &spools->survivors);
	if (err || spools->collection.failed)
		say_kept(collect, "");
}

bool collect_all(const struct collect *collect)
{
	struct profile_options options = {
		.threads = collect->launch->settings.threads,
		.inlined = collect->launch->settings.inlined,
		.lines = collect->launch->settings.lines,
	};
	struct profile *profile;
	struct spools spools;
	bool profiled;
	int err;

	output_keep(collect->launch->settings.formats, collect->launch->formats_asked, &options);
	interrupt_ignore_streams();
	launch_reserve_streams();
	spool_read_allow_others();
	say_if_interrupted(collect->launch->spool);
	if (collect->launch->settings.log != SETTINGS_LOG_QUIET)
		options.warn = status_line_text;
	options.gaps = collect->launch->settings.log != SETTINGS_LOG_QUIET;
	progress_start();
	err = spools_list(&spools, collect->launch->spool, (unsigned)collect->child->pid);
	if (err) {
		progress_end();
		status_line_error(collect->launch->spool, err);
		return false;
	}
	profiled = spools.main == SPOOLS_MAIN_PROFILED;
	profile = profile_new(&options);
	if (profile)
		finish(collect, &spools, profile);
	else
		say_kept(collect, "not enough memory to read the samples; ");
	profile_free(profile);
	spools_free(&spools);
	return profiled;
}
