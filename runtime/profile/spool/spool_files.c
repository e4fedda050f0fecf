/*
 * A pid alone does not identify a process, since it may have been given to another one; so start
 * times are compared too.  A spool may come from another pid namespace, so a spool counts as live
 * if any process has it mapped.  The kernel shows that by refusing a lease.  Where leases do not
 * work, the maps of all processes are read.
 */
#include "runtime/profile/spool/spool_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/base/user_file.h"
#include "runtime/spool/format.h"
#include "runtime/spool/spool_name.h"

#define OTHERS_MAX 100000 /* limit for spools of other users, which must not use up our memory */

static int compare(const void *left, const void *right)
{
	const struct spool_file *a = left;
	const struct spool_file *b = right;

	return order_of(a->pid, b->pid) ?: strcmp(a->path, b->path);
}

static bool takes_others(const struct spool_files *files, int directory_fd)
{
	struct stat st;

	return files->everybody || (!fstat(directory_fd, &st) && st.st_uid == geteuid() &&
				    (st.st_mode & 07777) == SPOOL_FILES_SHARED_MODE);
}

static int consider(struct spool_files *files, int directory_fd, const char *directory,
		    const char *name)
{
	struct spool_file file = { .live = false };
	struct spool_name parsed;
	struct stat st;

	if (!spool_name_parse(name, &parsed) ||
	    fstatat(directory_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_uid != geteuid()) {
		if (!takes_others(files, directory_fd))
			return 0;
		if (files->count >= OTHERS_MAX) {
			files->refused++;
			return 0;
		}
	}
	file.pid = parsed.pid;
	file.start_ticks = parsed.start_ticks;
	file.device = st.st_dev;
	file.inode = st.st_ino;
	file.bytes = (uint64_t)st.st_size;
	file.owner = st.st_uid;
	if (asprintf(&file.path, "%s/%s", directory, name) < 0)
		return -ENOMEM;
	if (!grow(&files->file, files->count, sizeof(file))) {
		free(file.path);
		return -ENOMEM;
	}
	files->file[files->count++] = file;
	return 0;
}

static int compare_files(const void *left, const void *right)
{
	const struct spool_file *a = left;
	const struct spool_file *b = right;

	return order_of(a->inode, b->inode)
		       ?: order_of(a->device, b->device)
		       ?: strcmp(a->path, b->path);
}

/* Drop duplicates: two paths may name the same directory. */
static void remove_doubles(struct spool_files *files)
{
	size_t kept = 0;

	qsort(files->file, files->count, sizeof(*files->file), compare_files);
	for (size_t i = 0; i < files->count; i++) {
		const struct spool_file *last = kept ? &files->file[kept - 1] : NULL;

		if (last && last->inode == files->file[i].inode &&
		    last->device == files->file[i].device)
			free(files->file[i].path);
		else
			files->file[kept++] = files->file[i];
	}
	files->count = kept;
}

int spool_files_add(struct spool_files *files, const char *directory)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;
	int err = 0;

	if (!stream)
		return -errno;
	while (!err && (entry = readdir(stream)))
		err = consider(files, dirfd(stream), directory, entry->d_name);
	closedir(stream);
	if (!files->count)
		return err;
	remove_doubles(files);
	qsort(files->file, files->count, sizeof(*files->file), compare);
	return err;
}

void spool_files_free(struct spool_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->file[i].path);
	free(files->file);
	*files = (struct spool_files){ 0 };
}

/* Reads fields 3 and 22 of /proc/PID/stat. */
static uint64_t read_stat(const char *pid, char *state)
{
	char path[sizeof("/proc//stat") + NAME_MAX];
	char text[1024];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	user_file_text(path, text, sizeof(text));
	rest = user_file_state(text);
	if (!rest)
		return 0;
	*state = *rest;
	for (int field = 3; field < 22 && rest; field++)
		rest = strchr(rest + 1, ' ');
	return rest ? strtoull(rest, NULL, 10) : 0;
}

uint64_t spool_files_start_ticks(const char *pid)
{
	char state = 'X';

	return read_stat(pid, &state);
}

unsigned spool_files_own_pid(const char *pid)
{
	char path[sizeof("/proc//status") + NAME_MAX];
	char line[1024];
	unsigned found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6)) {
			line[strcspn(line, "\n")] = '\0';
			found = (unsigned)strtoul(strrchr(line, '\t') + 1, NULL, 10);
		}
	if (file)
		fclose(file);
	return found ? found : (unsigned)strtoul(pid, NULL, 10);
}

/* A process in a pid namespace of its own knows itself by another pid, so all of /proc is searched
 * for its start time. */
unsigned spool_files_live_pid(const struct spool_header *header)
{
	struct dirent *entry;
	unsigned found = 0;
	DIR *proc = header->end_ns ? NULL : opendir("/proc");

	if (!proc)
		return 0;
	while (!found && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    spool_files_start_ticks(entry->d_name) == header->start_ticks &&
		    spool_files_own_pid(entry->d_name) == header->pid)
			found = (unsigned)strtoul(entry->d_name, NULL, 10);
	closedir(proc);
	return found;
}

bool spool_files_is_running(const struct spool_file *file)
{
	char state = 'X';
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", file->pid);
	return read_stat(pid, &state) == file->start_ticks && state != 'Z' && state != 'X';
}

enum spool_files_state spool_files_state(uint32_t state, bool live)
{
	if (live)
		return SPOOL_FILES_RUNNING;
	return state == SPOOL_RUNNING ? SPOOL_FILES_KILLED : SPOOL_FILES_FINISHED;
}

const char *spool_files_state_name(enum spool_files_state state)
{
	static const char *const names[] = {
		[SPOOL_FILES_RUNNING] = "running",
		[SPOOL_FILES_FINISHED] = "finished",
		[SPOOL_FILES_KILLED] = "killed",
	};

	return names[state];
}

/* Mark the spool that a line of /proc/PID/maps names: "start-end perms offset major:minor inode
 * path".  The numbers are the kernel's. */
static void mark_mapped(struct spool_files *files, const char *line)
{
	unsigned major_number, minor_number;
	unsigned long long inode;

	if (!strstr(line, SPOOL_NAME_ENDING) ||
	    sscanf(line, "%*s %*s %*s %x:%x %llu", /* NOLINT(cert-err34-c) */
		   &major_number, &minor_number, &inode) != 3)
		return;
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].inode == inode &&
		    files->file[i].device == makedev(major_number, minor_number))
			files->file[i].live = true;
}

static void scan_maps(struct spool_files *files, const char *pid)
{
	char path[sizeof("/proc//maps") + NAME_MAX];
	char *line = NULL;
	size_t bytes = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (getline(&line, &bytes, maps) > 0)
		mark_mapped(files, line);
	free(line);
	fclose(maps);
}

/* Returns true for file systems that refuse a lease only on mapped files.  An overlay does not see
 * mappings, and a network file system gives out no lease. */
static bool leases_show(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) &&
	       (fs.f_type == TMPFS_MAGIC || fs.f_type == EXT4_SUPER_MAGIC ||
		fs.f_type == XFS_SUPER_MAGIC || fs.f_type == BTRFS_SUPER_MAGIC);
}

/* The kernel refuses a read lease while any process, in any pid namespace, has the file open for
 * writing, as a shared mapping does (fcntl(2), F_SETLEASE).  The lease is given back at once.  A
 * process that opens the file for writing in between waits until then, and we get a signal that has
 * no effect.  Returns 1 if it is mapped, 0 if not, -errno where leases do not show it. */
static int is_mapped(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	int mapped = -ENOTSUP;

	if (fd < 0)
		return -errno;
	if (leases_show(fd) && !fcntl(fd, F_SETSIG, SIGURG)) {
		if (!fcntl(fd, F_SETLEASE, F_RDLCK))
			mapped = 0;
		else
			mapped = errno == EAGAIN ? 1 : -errno;
	}
	close(fd);
	return mapped;
}

static int find_in_maps(struct spool_files *files)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return -errno;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			scan_maps(files, entry->d_name);
	closedir(proc);
	return 0;
}

/* Sets file->live.  Returns true where only the maps of all processes show it. */
static bool look_at(struct spool_file *file, const char *path)
{
	int mapped = spool_files_is_running(file) ? 1 : is_mapped(path);

	file->live = mapped > 0;
	return mapped < 0 && mapped != -ENOENT;
}

int spool_files_find_live(struct spool_files *files)
{
	bool unknown = false;

	for (size_t i = 0; i < files->count; i++)
		unknown |= look_at(&files->file[i], files->file[i].path);
	return unknown ? find_in_maps(files) : 0;
}

enum spool_files_state spool_files_state_of(const char *path, const struct spool_header *header)
{
	struct spool_file file = { .pid = header->pid, .start_ticks = header->start_ticks };
	struct spool_files files = { .file = &file, .count = 1 };
	struct spool_name name;
	struct stat st;

	file.live = spool_files_is_running(&file);
	/* no process maps a copy, which is named differently */
	if (!file.live && header->state == SPOOL_RUNNING && !stat(path, &st) &&
	    spool_name_parse(path, &name)) {
		file.device = st.st_dev;
		file.inode = st.st_ino;
		if (look_at(&file, path))
			find_in_maps(&files);
	}
	return spool_files_state(header->state, file.live);
}
