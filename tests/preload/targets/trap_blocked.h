/* Which threads of the process block the signal, as the kernel has it (proc(5), status). */
#ifndef TARGETS_TRAP_BLOCKED_H
#define TARGETS_TRAP_BLOCKED_H

#include <dirent.h>

#include "tests/preload/targets/trap_probe.h"

/* For the first thread, which waits for the others: and that it sleeps, so is in no handler. */
static bool blocks_really(const char *tid)
{
	static const char field[] = "\nSigBlk:\t";
	char path[300], text[4096];
	const char *at;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[bytes > 0 ? bytes : 0] = '\0';
	if (atoi(tid) == getpid() && !strstr(text, "\nState:\tS"))
		return false;
	at = strstr(text, field);
	return at && strtoull(at + sizeof(field) - 1, NULL, 16) >> (number - 1) & 1;
}

static bool all_block_really(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	bool all_do = tasks;

	while (all_do && (task = readdir(tasks)))
		all_do = task->d_name[0] == '.' || blocks_really(task->d_name);
	if (tasks)
		closedir(tasks);
	return all_do;
}

#endif
