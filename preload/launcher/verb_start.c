/*
 * flametrap start and stop: begin and end sampling in processes that run, by writing to the
 * headers of their spools when samples are to be kept.  The process itself is not touched: its
 * handler reads the header.  Spools are their owner's only, and so is this.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "preload/launcher/arguments.h"
#include "preload/launcher/found.h"
#include "preload/launcher/say.h"
#include "preload/launcher/verbs.h"
#include "runtime/fold/spool_check.h"
#include "runtime/fold/spool_files.h"
#include "runtime/fold/spool_read.h"
#include "runtime/spool.h"

/* A spool that was found, and whether it is to be changed. */
struct found {
	const char *path;
	uint32_t pid;
	uint32_t parent_pid;
	bool wanted;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* `to` before `from` when it starts and after when it stops: never a window nobody asked for. */
static void set_window(struct spool_header *header, bool start)
{
	uint64_t now = now_ns();

	if (!start) {
		atomic_store_explicit(&header->window_to_ns, now, memory_order_release);
		atomic_store_explicit(&header->window_from_ns, UINT64_MAX, memory_order_release);
		return;
	}
	atomic_store_explicit(&header->window_to_ns,
			      header->stop_after_ns ? now + header->stop_after_ns : UINT64_MAX,
			      memory_order_release);
	atomic_store_explicit(&header->window_from_ns, now, memory_order_release);
}

/* Open a spool to be written to: by the descriptor that was checked, which no other file can take
 * the place of.  Returns it, or -errno after saying why. */
static int open_to_write(const char *path)
{
	struct spool_header *header = malloc(sizeof(*header));
	char line[8192], opened[32];
	int fd, writable = -1;
	int err = header ? spool_read_open(path, &fd, line, sizeof(line)) : -ENOMEM;

	if (!err) {
		err = spool_check_header(fd, path, header, line, sizeof(line));
		snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
		writable = err ? -1 : open(opened, O_RDWR | O_CLOEXEC);
		if (!err && writable < 0) {
			err = -errno;
			snprintf(line, sizeof(line), "%s: %s", path, strerror(errno));
		}
		close(fd);
	}
	free(header);
	if (err)
		say("%s", err == -ENOMEM ? strerror(ENOMEM) : line);
	return err ? err : writable;
}

static int change(const char *path, bool start)
{
	struct spool_header *header;
	int err, fd;

	fd = open_to_write(path);
	if (fd < 0)
		return fd;
	header = mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = header == MAP_FAILED ? -errno : 0;
	close(fd);
	if (err) {
		say("%s: %s", path, strerror(-err));
		return err;
	}
	set_window(header, start);
	printf("%s: pid %u, %.15s\n", start ? "sampling" : "stopped", header->pid, header->command);
	munmap(header, sizeof(*header));
	return 0;
}

/* The running processes among the spools. */
static size_t running(const struct spool_files *files, struct found *found)
{
	struct spool_header header;
	char line[8192];
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		if (!files->file[i].live ||
		    spool_read_header(files->file[i].path, &header, line, sizeof(line)))
			continue;
		found[count++] = (struct found){
			.path = files->file[i].path,
			.pid = files->file[i].pid,
			.parent_pid = header.parent_pid,
		};
	}
	return count;
}

static bool want_children(struct found *found, size_t count)
{
	bool more = false;

	for (size_t child = 0; child < count; child++)
		for (size_t parent = 0; parent < count && !found[child].wanted; parent++)
			if (found[parent].wanted && found[parent].pid == found[child].parent_pid)
				more = found[child].wanted = true;
	return more;
}

/* The process itself, or those of a command that is not profiled (flametrap, a shell) below it. */
static int change_process(uint32_t pid, struct found *found, size_t count, bool start)
{
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		any |= found[i].wanted = found[i].pid == pid || found[i].parent_pid == pid;
	if (!any) {
		say("%u: no profiled process of yours with this pid runs here", pid);
		return -ESRCH;
	}
	while (want_children(found, count))
		continue;
	for (size_t i = 0; i < count; i++) {
		int now = found[i].wanted ? change(found[i].path, start) : 0;

		err = err ? err : now;
	}
	return err;
}

static bool is_pid(const char *text, uint32_t *pid)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	*pid = (uint32_t)number;
	return !errno && *text >= '0' && *text <= '9' && !*end && number <= INT32_MAX;
}

static int change_all(char **targets, bool start)
{
	struct spool_files files = { 0 };
	struct found *found = NULL;
	size_t count = 0;
	int err;

	spool_read_allow_others();
	err = found_spools(&files, NULL, FOUND_ALL);
	if (!err)
		err = spool_files_find_live(&files);
	if (!err) {
		found = calloc(files.count + 1, sizeof(*found));
		err = found ? 0 : -ENOMEM;
	}
	if (err)
		say("%s", strerror(-err));
	else
		count = running(&files, found);
	for (; !err && *targets; targets++) {
		uint32_t pid;

		err = is_pid(*targets, &pid) ? change_process(pid, found, count, start)
					     : change(*targets, start);
	}
	free(found);
	spool_files_free(&files);
	return err ? 1 : 0;
}

static int start_or_stop(const char *verb, int argc, char **argv, bool start)
{
	int status;
	int first = arguments_read(verb, argc, argv, arguments_take_none, NULL, &status);

	return first < 0 ? status : change_all(argv + first, start);
}

int verb_start(int argc, char **argv)
{
	return start_or_stop("start", argc, argv, true);
}

int verb_stop(int argc, char **argv)
{
	return start_or_stop("stop", argc, argv, false);
}
