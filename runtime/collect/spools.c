/* Headers are read before the spools: they say which processes have ended. */
#include "runtime/collect/spools.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/collect/run_dir.h"
#include "runtime/command/base/status_line.h"
#include "runtime/profile/base/user_file.h"
#include "runtime/profile/spool/spool_read.h"

#define WAIT_NS	   100000000
#define REMOVALS   20
#define PROC_BYTES (1 << 20) /* of a file in /proc, at most */

/* Reads /proc/PID/NAME as text.  Returns its length; 0 if it cannot be read. */
static size_t read_of_process(const char *pid, const char *name, char *text, size_t bytes)
{
	char path[NAME_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	return user_file_text(path, text, bytes);
}

/* Name one of them, by its pid in our namespace. */
static void name_one(struct survivors *survivors, const char *pid)
{
	char name[SURVIVORS_NAME_BYTES];

	if (survivors->pid || !read_of_process(pid, "comm", name, sizeof(name)))
		return;
	name[strcspn(name, "\n")] = '\0';
	snprintf(survivors->name, sizeof(survivors->name), "%s", name);
	survivors->pid = (pid_t)strtol(pid, NULL, 10);
}

static void add_spool(struct survivors *survivors, const struct spool_file *file)
{
	char number[16];

	survivors->count++;
	snprintf(number, sizeof(number), "%u", file->pid);
	if (spool_files_is_running(file))
		name_one(survivors, number);
}

static bool has_ended(const struct spool_files *files, const uint32_t *states, unsigned pid)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].pid == pid && states[i] == SPOOL_FINISHED)
			return true;
	return false;
}

static bool holds_entry(const char *environment, size_t length, const char *entry)
{
	for (size_t at = 0; at < length; at += strlen(environment + at) + 1)
		if (strcmp(environment + at, entry) == 0)
			return true;
	return false;
}

/* A spool without a readable header is being made. */
static bool may_run(uint32_t state)
{
	return state != SPOOL_FINISHED && state != SPOOL_EXECED;
}

/* Returns whether the spool of a process that was counted is in these maps: its own or, until the
 * child of a fork makes its own, that of its parent, which may have ended since. */
static bool maps_counted(const struct spool_files *files, const uint32_t *states, const char *maps)
{
	for (size_t i = 0; i < files->count; i++)
		if (may_run(states[i]) && files->file[i].live &&
		    strstr(maps, strrchr(files->file[i].path, '/')))
			return true;
	return false;
}

/* Count a process of the run, which has the library, unless it was counted or is ending.  A zombie
 * has no environment. */
static void consider(struct survivors *survivors, const struct spool_files *files,
		     const uint32_t *states, const char *directory, const char *pid, char *text)
{
	char entry[PATH_MAX + 32];
	size_t length = read_of_process(pid, "environ", text, PROC_BYTES);

	snprintf(entry, sizeof(entry), "FLAMETRAP_SPOOL=%s", directory);
	if (!holds_entry(text, length, entry))
		return;
	if (!read_of_process(pid, "maps", text, PROC_BYTES) || !strstr(text, "/libflametrap.so"))
		return;
	if (!maps_counted(files, states, text)) {
		if (has_ended(files, states, spool_files_own_pid(pid)))
			return;
		survivors->count++;
	}
	name_one(survivors, pid);
}

static void find_starting(struct survivors *survivors, const struct spool_files *files,
			  const uint32_t *states, const char *directory)
{
	char *text = malloc(PROC_BYTES);
	DIR *proc = text ? opendir("/proc") : NULL;
	struct dirent *process;

	while (proc && (process = readdir(proc))) {
		if (isdigit((unsigned char)process->d_name[0]))
			consider(survivors, files, states, directory, process->d_name, text);
	}
	if (proc)
		closedir(proc);
	free(text);
}

/* Find the processes of the run whose spools are in `directory`: those whose spool does not
 * say that they ended (`states` has the state in the header of each of `files`, 0 without
 * one), and those that have not made their spool yet, such as the child of daemon(3) when its
 * parent has just ended.  The latter are known by FLAMETRAP_SPOOL in the environment that they were
 * started with (proc(5)); those of other users are seen by root only.  Sets `live` in `files`.
 * Without memory or /proc, fewer are found. The spools come first: a server may have written its
 * title over its environment. */
static void find_survivors(struct survivors *survivors, struct spool_files *files,
			   const uint32_t *states, const char *directory)
{
	bool any = false;

	*survivors = (struct survivors){ 0 };
	/* It may be that of a killed process.  Only then is the process looked up. */
	for (size_t i = 0; i < files->count; i++)
		any |= may_run(states[i]);
	if (any && spool_files_find_live(files) == 0) {
		for (size_t i = 0; i < files->count; i++)
			if (may_run(states[i]) && files->file[i].live)
				add_spool(survivors, &files->file[i]);
	}
	find_starting(survivors, files, states, directory);
}

/* Returns the state in a spool's header; 0 if it cannot be read. */
static uint32_t state_of(const char *path)
{
	struct spool_header *header = spool_read_header_of(path);
	uint32_t state = header ? header->state : 0;

	free(header);
	return state;
}

/* An image that exec replaced is not the end of its process. */
static enum spools_main main_of(const struct spool_files *files, const uint32_t *states,
				unsigned pid)
{
	enum spools_main found = SPOOLS_MAIN_MISSING;

	for (size_t i = 0; i < files->count && found != SPOOLS_MAIN_PROFILED; i++)
		if (files->file[i].pid == pid)
			found = states[i] == SPOOL_EXECED ? SPOOLS_MAIN_EXECED
							  : SPOOLS_MAIN_PROFILED;
	return found;
}

static int look_at(struct spools *spools, const char *directory, unsigned pid)
{
	struct spool_files *files = &spools->files;
	uint32_t *states = calloc(files->count + 1, sizeof(*states));

	if (!states)
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++)
		states[i] = state_of(files->file[i].path);
	find_survivors(&spools->survivors, files, states, directory);
	spools->main = main_of(files, states, pid);
	free(states);
	return 0;
}

int spools_list(struct spools *spools, const char *directory, unsigned pid)
{
	int err;

	*spools = (struct spools){ 0 };
	err = spool_files_add(&spools->files, directory);
	if (err)
		goto failed;
	spools->collection.path = calloc(spools->files.count + 1, sizeof(char *));
	err = spools->collection.path ? look_at(spools, directory, pid) : -ENOMEM;
	if (err)
		goto failed;
	return 0;

failed:
	spools_free(spools);
	return err;
}

/* Another user's spool is at most as large as the library may make one. */
static bool is_within(const struct spool_file *file, uint64_t bound_bytes)
{
	if (file->owner == geteuid() || file->bytes <= bound_bytes)
		return true;
	status_line("%s: another user's, and larger than FLAMETRAP_MEMORY", file->path);
	return false;
}

void spools_read(struct spools *spools, const struct collection_options *options,
		 uint64_t bound_bytes, struct profile *profile)
{
	struct collection *collection = &spools->collection;
	const struct spool_files *files = &spools->files;

	if (files->refused)
		status_line("%zu spools of other users are too many to be read", files->refused);
	for (size_t i = 0; i < files->count; i++)
		if (is_within(&files->file[i], bound_bytes))
			collection->path[collection->count++] = files->file[i].path;
	collection->options = options;
	collection->all = collection->count;
	collection->failed = files->refused + files->count - collection->count;
	collection->running = spools->survivors.count > 0;
	if (status_line_error("the timeline", collection_read(collection, profile)))
		collection->failed++;
}

void spools_free(struct spools *spools)
{
	spool_files_free(&spools->files);
	free(spools->collection.path);
	*spools = (struct spools){ 0 };
}

void spools_discard(const char *directory)
{
	/* processes that go on after the command make more meanwhile */
	for (int i = 0; i < REMOVALS && access(directory, F_OK) == 0; i++) {
		struct spool_files files = { 0 };

		if (spool_files_add(&files, directory) == 0)
			for (size_t at = 0; at < files.count; at++)
				unlink(files.file[at].path);
		spool_files_free(&files);
		run_dir_remove(directory);
	}
}

int spools_wait(const char *directory, int (*ending)(void),
		void (*first)(const struct survivors *survivors))
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	struct spools spools;
	int number;

	while (!(number = ending()) && !spools_list(&spools, directory, 0)) {
		struct survivors survivors = spools.survivors;

		spools_free(&spools);
		if (!survivors.count)
			break;
		if (first)
			first(&survivors);
		first = NULL;
		nanosleep(&pause, NULL);
	}
	return number;
}
