/*
 * The kernel names the children of each thread (proc(5), /proc/PID/task/TID/children).  Where it
 * does not (CONFIG_PROC_CHILDREN), only the process itself is continued.
 */
#include "runtime/command/run/stopped.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"

#define PATH_BYTES 64
#define STAT_BYTES 1024
#define DEPTH_MAX  64 /* generations of processes */

#define MASK(number) (1ULL << ((number)-1))

/* True if a signal that stops the process was sent and has not arrived yet. */
static bool is_about_to_stop(pid_t pid)
{
	uint64_t pending = 0;
	char path[PATH_BYTES], *line = NULL;
	size_t room = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	stream = fopen(path, "re");
	while (stream && getline(&line, &room, stream) > 0) {
		uint64_t mask = strtoull(line + strcspn(line, "\t"), NULL, 16);

		if (strncmp(line, "SigPnd:", 7) == 0 || strncmp(line, "ShdPnd:", 7) == 0)
			pending |= mask;
		else if (strncmp(line, "SigBlk:", 7) == 0 || strncmp(line, "SigCgt:", 7) == 0)
			pending &= ~mask;
	}
	if (stream)
		fclose(stream);
	free(line);
	return pending & (MASK(SIGSTOP) | MASK(SIGTSTP) | MASK(SIGTTIN) | MASK(SIGTTOU));
}

/* 'T': stopped by a signal, and not by a debugger. */
static bool has_stopped(pid_t pid)
{
	char path[PATH_BYTES], text[STAT_BYTES];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	user_file_text(path, text, sizeof(text));
	state = user_file_state(text);
	return state && *state == 'T';
}

/* In this order: what does not wait for the signal any more has stopped because of it. */
static bool is_stopped(pid_t pid)
{
	return is_about_to_stop(pid) || has_stopped(pid);
}

static void find_below(struct stopped *stopped, pid_t pid, unsigned depth);

static void find_one(struct stopped *stopped, pid_t pid, bool first, unsigned depth)
{
	if (pid <= 0)
		return;
	if ((first || getpgid(pid) == getpgrp()) && is_stopped(pid) && stopped->count < STOPPED_MAX)
		stopped->pids[stopped->count++] = pid;
	if (depth < DEPTH_MAX)
		find_below(stopped, pid, depth + 1);
}

static void find_in_list(struct stopped *stopped, const char *list, unsigned depth)
{
	FILE *stream = fopen(list, "re");
	char *word = NULL;
	size_t room = 0;

	while (stream && getdelim(&word, &room, ' ', stream) > 0)
		find_one(stopped, (pid_t)strtol(word, NULL, 10), false, depth);
	if (stream)
		fclose(stream);
	free(word);
}

static void find_below(struct stopped *stopped, pid_t pid, unsigned depth)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid,
			 entry->d_name);
		find_in_list(stopped, path, depth);
	}
	if (tasks)
		closedir(tasks);
}

void stopped_find(struct stopped *stopped, pid_t pid)
{
	find_one(stopped, pid, true, 0);
}

void stopped_continue(const struct stopped *stopped)
{
	for (unsigned i = 0; i < stopped->count; i++)
		kill(stopped->pids[i], SIGCONT);
}
