/* flametrap recover [DIR]: list spools, and fold those whose process has died. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config/text/text.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/base/paths.h"
#include "runtime/collect/run_dir.h"
#include "runtime/collect/spool_search.h"
#include "runtime/command/options/arguments.h"
#include "runtime/collect/finish.h"
#include "runtime/collect/left_over.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/spool/spool_read.h"

static void tell_written(const char *path, void *context)
{
	(void)context;
	progress_clear();
	printf("wrote %s\n", path);
}

/* A killed command's directory is removed with its last spool. */
static void remove_run_dirs(const struct spool_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		char path[PATH_MAX];

		paths_directory(files->file[i].path, path, sizeof(path));
		if (!run_dir_in_use(path))
			run_dir_remove(path); /* refused unless it is empty */
	}
}

static int find_spools(struct spool_files *files, const char *directory)
{
	if (directory && run_dir_in_use(directory)) {
		fprintf(stderr,
			"flametrap: %s: the flametrap command that uses it is still running\n",
			directory);
		return -EBUSY;
	}
	return spool_search(files, directory, SPOOL_SEARCH_LEFT);
}

static void list(const struct spool_file *file)
{
	struct spool_header header;
	char line[8192], shown[256];
	struct text name = text_into(shown, sizeof(shown));
	const char *command;

	if (spool_read_header(file->path, &header, line, sizeof(line))) {
		printf("%s\n", line);
		return;
	}
	command = header.command[0] ? header.command : header.executable;
	text_escaped(&name, command, strlen(command), sizeof(shown) - 4);
	printf("%s: pid %u, %s, %s\n", file->path, file->pid, shown,
	       spool_files_state_name(spool_files_state(header.state, file->live)));
}

/* Each spool on the list is an open file: raise the limit as far as allowed. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool holds(enum left_over_reason reason, const void *context)
{
	const struct spool_file *file = context;

	return reason == LEFT_OVER_RUNS && file->live;
}

/* A file that is named like a spool but holds none is reported and left alone. */
static int recover(const struct spool_files *files)
{
	const struct collection_options what = {
		.written = tell_written,
		.copied = tell_written,
		.warn = status_line_text,
	};
	struct finish *finish = finish_new(&what);
	int err = finish ? 0 : -ENOMEM;
	int now;

	for (size_t i = 0; finish && i < files->count; i++) {
		if (!left_over_is_taken(LEFT_OVER_RECOVER, LEFT_OVER_UNREAD, holds,
					&files->file[i]))
			continue;
		now = finish_add(finish, files->file[i].path);
		err = err ? err : now;
	}
	progress_start();
	now = finish ? finish_write(finish) : 0;
	progress_end();
	finish_free(finish);
	return err ? err : now;
}

static int run(const char *directory, bool only_list)
{
	struct spool_files files = { 0 };
	int err;

	spool_read_allow_others();
	err = find_spools(&files, directory);
	if (!err)
		err = spool_files_find_live(&files);
	for (size_t i = 0; !err && i < files.count; i++)
		list(&files.file[i]);
	if (!err && !files.count)
		puts("no spools");
	/* The list must be printed before the messages about errors. */
	fflush(stdout);
	if (!err && !only_list) {
		interrupt_expect(NULL);
		allow_files();
		err = recover(&files);
		remove_run_dirs(&files);
	}
	spool_files_free(&files);
	return err;
}

static const struct manual_option recover_options[] = {
	{ "list", 0, NULL, NULL, options_flag, 0, "only list the spools" },
	{ 0 },
};

const struct manual manual_recover = {
	.name = "recover",
	.synopsis = { "recover [--list] [DIRECTORY]" },
	.summary = "write the profiles of processes that were killed",
	.text = "Lists your own spools in DIRECTORY, or else in $FLAMETRAP_SPOOL, /dev/shm and the "
		"current directory; writes the profiles of processes that have died, and removes "
		"their spools. Spools of processes that run are left alone.",
	.options = { recover_options },
	.most = 1,
	.operands = MANUAL_DIRECTORY,
	.status = "0; 1 if a spool cannot be read or a profile cannot be written; 2 for wrong usage.",
	.examples = {
		{ "flametrap recover --list", "What is there" },
		{ "flametrap recover", "Write every profile that is left" },
		{ "flametrap recover .", "Only of spools in the current directory" },
		{ "FLAMETRAP_SPOOL=spools flametrap recover", "Of spools in a directory of their own" },
		{ "flametrap recover --list /dev/shm", "What lies in /dev/shm" },
	},
};

int verb_recover(int argc, char **argv)
{
	bool only_list = false;
	int status = 2;
	int first = arguments_read(&manual_recover, argc, argv, ARGUMENTS(&only_list), &status);

	if (first < 0)
		return status;
	return run(first < argc ? argv[first] : NULL, only_list) ? 1 : 0;
}
