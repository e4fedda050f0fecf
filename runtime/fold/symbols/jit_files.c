/*
 * Anybody may write to these directories, so a file is opened without following links, its owner is
 * checked, and it is read up to the end that it has then.  A file older than the process was left
 * by an earlier process with the same pid.
 *
 * A process in its own namespaces names its files by the pid that it sees, in a /tmp that may be
 * its own.  As long as it runs, both are found through /proc.
 */
#include "runtime/fold/symbols/jit_files.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fold/base/given.h"
#include "runtime/fold/spool/spool_files.h"
#include "runtime/fold/spool/spool_read.h"

#define PATH_BYTES (SPOOL_TEXT_MAX + 64)

static FILE *open_file(const struct spool_header *header, const char *path)
{
	struct stat st;
	bool hole;
	int fd = given_open_regular(path, O_NOFOLLOW);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && (st.st_uid == header->uid || st.st_uid == 0) &&
	    (uint64_t)st.st_mtim.tv_sec + 1 >= header->start_realtime_ns / 1000000000)
		return given_stream(fd, given_bytes(fd, &hole));
	close(fd);
	return NULL;
}

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

/* Returns the process's pid in our namespace; 0 if it has ended or is not visible. */
static unsigned find_live(const struct spool_header *header)
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

/* Opens the path as the process sees it, if it runs; otherwise as we see it. */
static FILE *open_of(const struct spool_header *header, const char *path)
{
	unsigned live = find_live(header);
	char there[PATH_BYTES + 64];
	FILE *file = NULL;

	if (live) {
		snprintf(there, sizeof(there), "/proc/%u/root%s", live, path);
		file = open_file(header, there);
	}
	return file ? file : open_file(header, path);
}

FILE *jit_files_map(const struct spool_read *spool)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", spool->header.pid);
	return open_of(&spool->header, path);
}

FILE *jit_files_dump(const struct spool_read *spool)
{
	const char *const directories[] = { spool->header.directory, "/tmp" };
	FILE *file = NULL;

	for (size_t i = 0; !file && i < sizeof(directories) / sizeof(directories[0]); i++) {
		char path[PATH_BYTES];

		snprintf(path, sizeof(path), "%s/jit-%u.dump", directories[i], spool->header.pid);
		if (directories[i][0] == '/')
			file = open_of(&spool->header, path);
	}
	return file;
}
