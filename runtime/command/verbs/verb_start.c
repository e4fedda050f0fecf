/*
 * flametrap start and stop: begin and end sampling in running processes, by writing into the
 * headers of their spools when samples are to be kept.  The process itself is not touched: its
 * handler reads the header.  Only its owner may use a spool, so the same holds for these verbs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/collect/processes.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/profile/base/sigbus_guard.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/spool/format.h"
#include "runtime/spool/spool_window.h"

/* Open a spool for writing, through the descriptor that was checked, so that no other file can take
 * its place.  Returns the descriptor, or -errno after a message. */
static int open_to_write(const char *path)
{
	struct spool_header *header = malloc(sizeof(*header));
	char line[8192], opened[32];
	int fd, writable = -1;
	int err = header ? spool_read_open(path, &fd, line, sizeof(line)) : -ENOMEM;

	if (!err) {
		err = spool_read_header_fd(fd, path, header, line, sizeof(line));
		snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
		if (!err && header->version != SPOOL_VERSION) {
			err = -EINVAL;
			snprintf(line, sizeof(line),
				 "%s: an older flametrap writes this spool; it can be read, but "
				 "sampling can be neither started nor stopped",
				 path);
		}
		writable = err ? -1 : open(opened, O_RDWR | O_CLOEXEC);
		if (!err && writable < 0) {
			err = -errno;
			snprintf(line, sizeof(line), "%s: %s", path, strerror(errno));
		}
		close(fd);
	}
	free(header);
	if (err)
		status_line("%s", err == -ENOMEM ? strerror(ENOMEM) : line);
	return err ? err : writable;
}

static int change(const char *path, bool start)
{
	struct spool_header *header;
	int err, fd;

	fd = open_to_write(path);
	if (fd < 0)
		return fd;
	sigbus_guard();
	header = mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = header == MAP_FAILED ? -errno : 0;
	close(fd);
	if (err)
		return status_line_error(path, err);
	if (start)
		spool_window_open(header, now_monotonic_ns());
	else
		spool_window_close(header, now_monotonic_ns());
	if (sigbus_happened()) {
		status_line("%s: it was cut while it was written to", path);
		munmap(header, sizeof(*header));
		return -EIO;
	}
	printf("%s: pid %u, %.15s\n", start ? "sampling" : "stopped", header->pid, header->command);
	munmap(header, sizeof(*header));
	return 0;
}

static int change_process(struct processes *processes, uint32_t pid, bool start)
{
	bool any = false;
	int err = 0;

	if (!processes_want(processes, pid, true))
		return -ESRCH;
	for (size_t i = 0; i < processes->count; i++) {
		const struct process *process = &processes->process[i];
		int now;

		if (!process->wanted || process->state != SPOOL_FILES_RUNNING)
			continue;
		any = true;
		now = change(processes->path[process->first + process->count - 1], start);
		err = err ? err : now;
	}
	if (any)
		return err;
	return fail(-ESRCH, "%u: the process has ended", pid);
}

static int start_or_stop(const struct manual *manual, int argc, char **argv)
{
	bool start = manual == &manual_start;
	struct processes processes;
	int status = 2, first = arguments_read(manual, argc, argv, NULL, &status);
	int err;

	if (first < 0)
		return status;
	err = processes_find(&processes);
	for (char **target = argv + first; !err && *target; target++) {
		uint32_t pid;

		err = processes_is_pid(*target, &pid) ? change_process(&processes, pid, start)
						      : change(*target, start);
	}
	processes_free(&processes);
	return err ? 1 : 0;
}

const struct manual manual_start = {
	.name = "start",
	.synopsis = { "start PID|SPOOL..." },
	.summary = "begin sampling in processes that run",
	.text = "Opens the window of samples in the process of each PID and in all that it "
		"started, or in the process that writes a SPOOL. The process must have been "
		"started under flametrap, or with the library preloaded.\n\n"
		"With --start paused (or FLAMETRAP_START=paused) nothing is kept before this; --stop "
		"30s then ends the window by itself. The samples of several windows add up in one "
		"profile.",
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = "0; 1 if a process cannot be reached; 2 for wrong usage.",
	.examples = {
		{ "flametrap start 1234", "The process 1234 and its children" },
		{ "flametrap start 1234 1235", "Two processes" },
		{ "flametrap list && flametrap start 1234", "Look for the process first" },
		{ "flametrap start 1234 && sleep 1 && flametrap stop 1234", "One second" },
		{ "flametrap start --help", "Print the help text" },
	},
};

const struct manual manual_stop = {
	.name = "stop",
	.synopsis = { "stop PID|SPOOL..." },
	.summary = "end sampling in processes that run",
	.text = "Closes the window of samples in the process of each PID and in all that it "
		"started, or in the process that writes a SPOOL. The process runs on; counters "
		"keep overflowing, and the samples are dropped. flametrap start opens the window "
		"again.",
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = "0; 1 if a process cannot be reached; 2 for wrong usage.",
	.examples = {
		{ "flametrap stop 1234", "The process 1234 and its children" },
		{ "flametrap stop 1234 1235", "Two processes" },
		{ "flametrap list && flametrap stop 1234", "Look for the process first" },
		{ "flametrap stop 1234 && flametrap report 1234", "Stop and look at what was sampled" },
		{ "flametrap stop --help", "Print the help text" },
	},
};

int verb_start(int argc, char **argv)
{
	return start_or_stop(&manual_start, argc, argv);
}

int verb_stop(int argc, char **argv)
{
	return start_or_stop(&manual_stop, argc, argv);
}
