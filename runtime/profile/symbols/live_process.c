/*
 * A process in a pid namespace of its own knows itself by another pid, so all of /proc is searched
 * for its start time.
 */
#include "runtime/profile/symbols/live_process.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/spool/spool_files.h"
#include "runtime/spool/format.h"

/* Returns the last number of the NSpid line in /proc/PID/status: the pid in its own namespace. */
static unsigned own_pid(const char *pid)
{
	char path[sizeof("/proc//status") + NAME_MAX];
	char line[1024];
	unsigned found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!found && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6)) {
			line[strcspn(line, "\n")] = '\0';
			found = (unsigned)strtoul(strrchr(line, '\t') + 1, NULL, 10);
		}
	fclose(file);
	return found;
}

unsigned live_process_find(const struct spool_header *header)
{
	struct dirent *entry;
	unsigned found = 0;
	DIR *proc = header->end_ns ? NULL : opendir("/proc");

	if (!proc)
		return 0;
	while (!found && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    spool_files_start_ticks(entry->d_name) == header->start_ticks &&
		    own_pid(entry->d_name) == header->pid)
			found = (unsigned)strtoul(entry->d_name, NULL, 10);
	closedir(proc);
	return found;
}
