/*
 * Each spool names only its parent process, so a process tree can be followed only through
 * processes that have a spool.
 */
#include "runtime/collect/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/collect/spool_search.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/spool_window.h"

/* A spool, and the facts about its process from the header. */
struct image {
	struct process process;
	char *path;
	uint32_t state;
	bool live;
};

static bool read_image(const struct spool_file *file, struct image *image)
{
	struct spool_header *header = spool_read_header_of(file->path);
	bool read = header;

	if (read) {
		*image = (struct image){
			.process = { .pid = file->pid,
				     .parent_pid = header->parent_pid,
				     .start_ticks = file->start_ticks,
				     .start_realtime_ns = header->start_realtime_ns,
				     .owner = file->owner,
				     .paused = !spool_window_holds(header, now_monotonic_ns()) },
			.path = file->path,
			.state = header->state,
			.live = file->live,
		};
		memcpy(image->process.command, header->command, sizeof(image->process.command) - 1);
	}
	free(header);
	return read;
}

static int compare(const void *left, const void *right)
{
	const struct process *a = &((const struct image *)left)->process;
	const struct process *b = &((const struct image *)right)->process;

	return order_of(a->pid, b->pid)
		       ?: order_of(a->start_ticks, b->start_ticks)
		       ?: order_of(a->start_realtime_ns, b->start_realtime_ns);
}

/* Group ordered images into processes with the first's start and the last's command and state. */
static void group(struct processes *processes, const struct image *images, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct image *image = &images[i];
		size_t count_before = processes->count;
		struct process *last = &processes->process[count_before ? count_before - 1 : 0];
		uint64_t start_ns = image->process.start_realtime_ns;
		size_t first = i;

		if (count_before && last->pid == image->process.pid &&
		    last->start_ticks == image->process.start_ticks) {
			start_ns = last->start_realtime_ns;
			first = last->first;
		} else {
			last = &processes->process[processes->count++];
		}
		*last = image->process;
		last->start_realtime_ns = start_ns;
		last->first = first;
		last->count = i - first + 1;
		last->state = spool_files_state(image->state, image->live);
		processes->path[i] = image->path;
	}
}

static int read_all(struct processes *processes)
{
	size_t most = processes->files.count + 1, count = 0;
	struct image *images = calloc(most, sizeof(*images));

	processes->path = calloc(most, sizeof(*processes->path));
	processes->process = calloc(most, sizeof(*processes->process));
	if (!images || !processes->path || !processes->process) {
		free(images);
		return -ENOMEM;
	}
	for (size_t i = 0; i < processes->files.count; i++)
		count += read_image(&processes->files.file[i], &images[count]) ? 1 : 0;
	qsort(images, count, sizeof(*images), compare);
	group(processes, images, count);
	free(images);
	return 0;
}

int processes_find(struct processes *processes)
{
	int err;

	*processes = (struct processes){ 0 };
	spool_read_allow_others();
	err = spool_search(&processes->files, NULL, SPOOL_SEARCH_ALL);
	if (!err)
		err = spool_files_find_live(&processes->files);
	if (!err)
		err = read_all(processes);
	return status_line_error(NULL, err);
}

void processes_free(struct processes *processes)
{
	free(processes->path);
	free(processes->process);
	spool_files_free(&processes->files);
	*processes = (struct processes){ 0 };
}

bool processes_is_pid(const char *text, uint32_t *pid)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	*pid = (uint32_t)number;
	return !errno && *text >= '0' && *text <= '9' && !*end && number <= INT32_MAX;
}

/* Returns, of several processes with one pid, the one that runs, or else ran last. */
static struct process *choose(struct processes *processes, uint32_t pid)
{
	struct process *chosen = NULL;

	for (size_t i = 0; i < processes->count; i++) {
		struct process *process = &processes->process[i];

		if (process->pid == pid && (!chosen || chosen->state != SPOOL_FILES_RUNNING ||
					    process->state == SPOOL_FILES_RUNNING))
			chosen = process;
	}
	return chosen;
}

static bool is_child(const struct process *child, const struct process *parent)
{
	return parent->wanted && parent->pid == child->parent_pid &&
	       parent->start_realtime_ns <= child->start_realtime_ns;
}

static bool want_children(struct processes *processes)
{
	bool more = false;

	for (size_t child = 0; child < processes->count; child++)
		for (size_t parent = 0;
		     parent < processes->count && !processes->process[child].wanted; parent++)
			if (is_child(&processes->process[child], &processes->process[parent]))
				more = processes->process[child].wanted = true;
	return more;
}

size_t processes_want(struct processes *processes, uint32_t pid, bool tree)
{
	struct process *process = choose(processes, pid);
	size_t count = 0;

	for (size_t i = 0; i < processes->count; i++)
		processes->process[i].wanted = !process && processes->process[i].parent_pid == pid;
	if (process)
		process->wanted = true;
	while ((tree || !process) && want_children(processes))
		continue;
	for (size_t i = 0; i < processes->count; i++)
		count += processes->process[i].wanted;
	if (!count)
		status_line(
			"%u: no profiled process of yours with this pid runs here; flametrap list "
			"shows "
			"those that do",
			pid);
	return count;
}
