/*
 * Files of /proc are opened, read whole into a buffer on the stack, and closed.  Results that
 * cannot change are kept.
 */
#include "runtime/sample/sys/proc.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "config/events/perf_errors.h"
#include "config/text/text.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/clock_offset.h"

#define START_FIELD_AFTER_NAME 20 /* field 22 of proc(5) stat is the 20th behind ")" */
#define STAT_BYTES	       1024

static long read_file(const char *path, char *bytes, size_t size)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	long total = 0, more = 0;

	if (fd < 0)
		return fd;
	while ((size_t)total < size &&
	       (more = sys_read(fd, bytes + total, size - (size_t)total)) > 0)
		total += more;
	sys_close(fd);
	return more < 0 ? more : total;
}

static uint64_t parse_number(const char *digits)
{
	return text_to_number(digits, 10, NULL);
}

/* Builds the path of `name` in a process's directory; pid 0 is this process. */
static void path_in(char *path, size_t size, uint64_t pid, const char *name)
{
	struct text text = text_into(path, size);

	text_add(&text, "/proc/");
	if (pid)
		text_number(&text, pid);
	else
		text_add(&text, "self");
	text_add(&text, name);
}

/* Reads a process's stat and finds the ")" behind its name.  The name may contain anything, even
 * ")".  NULL: it cannot be read. */
static const char *read_stat(uint64_t pid, char stat[STAT_BYTES])
{
	char path[64];
	long size;

	path_in(path, sizeof(path), pid, "/stat");
	size = read_file(path, stat, STAT_BYTES - 1);
	stat[size > 0 ? size : 0] = '\0';
	return strrchr(stat, ')');
}

uint64_t proc_start_ticks(void)
{
	char stat[STAT_BYTES];
	const char *at = read_stat(0, stat);

	for (int field = 0; at && field < START_FIELD_AFTER_NAME; field++)
		at = strchr(at + 1, ' ');
	return at ? parse_number(at + 1) : 0;
}

static void skip_spaces(const char **text)
{
	*text += strspn(*text, " ");
}

/* "START-END PROTECTION OFFSET MAJOR:MINOR INODE   NAME", proc(5).  False if it is not that. */
static bool read_line(const char *line, struct mapping *mapping)
{
	size_t protection;

	mapping->start = text_to_number(line, 16, &line);
	if (*line++ != '-')
		return false;
	mapping->end = text_to_number(line, 16, &line);
	skip_spaces(&line);
	protection = strcspn(line, " ");
	mapping->executable = memchr(line, 'x', protection) != NULL;
	line += protection;
	skip_spaces(&line);
	mapping->offset = text_to_number(line, 16, &line);
	skip_spaces(&line);
	mapping->device = text_to_number(line, 16, &line) << 32;
	if (*line++ != ':')
		return false;
	mapping->device |= text_to_number(line, 16, &line);
	skip_spaces(&line);
	mapping->inode = text_to_number(line, 10, &line);
	skip_spaces(&line);
	mapping->name = line;
	return true;
}

/* The map is read through the caller's buffer.  A line that does not parse is skipped, and so is
 * one that the buffer cannot hold. */
void mapping_each(const char *path, char *text, mapping_visit *each, void *context)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	struct mapping mapping;
	bool wanted = true, cut = false; /* the line's beginning was dropped */
	size_t used = 0;
	long got;

	if (fd < 0)
		return;
	while (wanted && (got = sys_read(fd, text + used, MAPPING_LINE_BYTES - 1 - used)) > 0) {
		char *line = text, *newline;

		used += (size_t)got;
		text[used] = '\0';
		while (wanted && (newline = strchr(line, '\n'))) {
			*newline = '\0';
			if (!cut && read_line(line, &mapping))
				wanted = each(&mapping, context);
			cut = false;
			line = newline + 1;
		}
		used -= (size_t)(line - text);
		if (used == MAPPING_LINE_BYTES - 1) {
			cut = true;
			used = 0;
		}
		memmove(text, line, used);
	}
	sys_close(fd);
}

static const char *first_argument; /* read only on request, because the program may write there */
static size_t argument_bytes;

/* The kernel stores the arguments one behind the other; an earlier constructor may have replaced
 * some.  A loader that was started as a program (AT_BASE is 0) removes its own. */
void proc_arguments_are(int count, char *const *arguments)
{
	const char *end = count > 0 ? arguments[0] : NULL;

	if (!getauxval(AT_BASE))
		return;
	for (int i = 0; i < count; i++) {
		if (arguments[i] != end)
			return;
		end += strlen(end) + 1;
	}
	first_argument = count > 0 ? arguments[0] : NULL;
	argument_bytes = first_argument ? (size_t)(end - first_argument) : 0;
}

void proc_arguments(char *arguments, size_t size)
{
	long read;

	if (first_argument) {
		read = (long)(argument_bytes < size ? argument_bytes : size - 1);
		memcpy(arguments, first_argument, (size_t)read);
		first_argument = NULL;
	} else {
		read = read_file("/proc/self/cmdline", arguments, size - 1);
	}
	arguments[read > 0 ? read : 0] = '\0';
}

/* The names by which the kernel and a user know a program that the loader was told to start; empty
 * for all others.  W: init. */
static char loader_comm[16], started_comm[16];

/* A comm is the file's name, cut. */
static void comm_of(const char *path, char comm[16])
{
	const char *slash = strrchr(path, '/');

	text_copy(comm, 16, slash ? slash + 1 : path);
}

void proc_comm(char comm[16])
{
	memset(comm, 0, 16);
	sys_prctl(PR_GET_NAME, (unsigned long)comm);
	if (started_comm[0] && !strcmp(comm, loader_comm))
		memcpy(comm, started_comm, sizeof(started_comm));
}

struct started {
	char *path;
	size_t size;
};

/* The loader has put the program's headers in place of its own. */
static bool take_started(const struct mapping *mapping, void *context)
{
	const struct started *started = context;
	uint64_t headers = getauxval(AT_PHDR);

	if (headers < mapping->start || headers >= mapping->end)
		return true;
	if (mapping->name[0] == '/' && strlen(mapping->name) < started->size) {
		text_copy(started->path, started->size, mapping->name);
		comm_of(mapping->name, started_comm);
	}
	return false;
}

bool proc_is_by_loader(void)
{
	return started_comm[0];
}

void proc_executable(char *path, size_t size)
{
	static char line[MAPPING_LINE_BYTES];
	long length = sys_readlink("/proc/self/exe", path, size - 1);
	struct started started = { path, size };

	path[length > 0 ? length : 0] = '\0';
	if (getauxval(AT_BASE))
		return;
	comm_of(path, loader_comm);
	mapping_each(MAPPING_OWN, line, take_started, &started);
}

void proc_host(char *name, size_t size)
{
	struct utsname host;

	name[0] = '\0';
	if (!sys_uname(&host))
		text_copy(name, size, host.nodename);
}

bool proc_kernel_since(unsigned version, unsigned patch_level)
{
	struct utsname host;
	const char *dot;
	uint64_t said;

	if (sys_uname(&host))
		return false;
	said = parse_number(host.release);
	dot = strchr(host.release, '.');
	return said > version || (said == version && dot && parse_number(dot + 1) >= patch_level);
}

long proc_line(const char *path, char *line, size_t size)
{
	long length = read_file(path, line, size - 1);

	line[length > 0 ? length : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return length < 0 ? length : (long)strlen(line);
}

int64_t proc_number(const char *path, int64_t fallback)
{
	char text[32];

	if (proc_line(path, text, sizeof(text)) <= 0)
		return fallback;
	return text[0] == '-' ? -(int64_t)parse_number(text + 1) : (int64_t)parse_number(text);
}

static int64_t status_number(const char *path, const char *field, int64_t fallback)
{
	char status[4096]; /* a status has some 1,500 bytes */
	long size = read_file(path, status, sizeof(status) - 1);
	size_t length = strlen(field);
	const char *line = status;

	if (size <= 0)
		return fallback;
	status[size] = '\0';
	for (; line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		if (strncmp(line, field, length) != 0)
			continue;
		line += length;
		return (int64_t)parse_number(line + strspn(line, " \t"));
	}
	return fallback;
}

int64_t proc_status_number(const char *field, int64_t fallback)
{
	return status_number("/proc/self/status", field, fallback);
}

bool proc_is_traced(void)
{
	return status_number("/proc/thread-self/status", "TracerPid:", 0) > 0;
}

bool proc_is_filtered(void)
{
	return proc_status_number(PERF_FILTER_FIELD, 0) == PERF_FILTER_IN_FORCE;
}

void proc_clock_offsets(int64_t *monotonic_ns, int64_t *boottime_ns)
{
	char text[256];
	long size = read_file(CLOCK_OFFSET_FILE, text, sizeof(text) - 1);

	text[size > 0 ? size : 0] = '\0';
	*monotonic_ns = clock_offset_ns(text, "monotonic");
	*boottime_ns = clock_offset_ns(text, "boottime");
}

uint64_t proc_threads(uint64_t pid)
{
	char path[64];
	struct stat tasks;

	path_in(path, sizeof(path), pid, "/task"); /* a directory that holds only directories */
	return sys_stat(path, &tasks) || tasks.st_nlink < 2 ? 0 : (uint64_t)tasks.st_nlink - 2;
}

bool proc_is_zombie(uint64_t pid)
{
	char stat[STAT_BYTES];
	const char *name_end = read_stat(pid, stat);

	return name_end && name_end[1] == ' ' && name_end[2] == 'Z';
}

bool proc_children_are_apart(void)
{
	struct stat own, children;

	/* The loader calls stat, so no sandbox in which a program can start kills for it. */
	return !sys_stat("/proc/thread-self/ns/pid", &own) &&
	       (sys_stat("/proc/thread-self/ns/pid_for_children", &children) ||
		own.st_ino != children.st_ino || own.st_dev != children.st_dev);
}

struct entry { /* getdents64(2) */
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

int proc_list(const char *directory, int (*each)(const char *name, void *context), void *context)
{
	int fd = sys_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	_Alignas(8) char part[4096];
	bool stopped = false;
	long size = 0;

	if (fd < 0)
		return fd;
	while (!stopped && (size = sys_getdents(fd, part, sizeof(part))) > 0) {
		for (long at = 0; at < size && !stopped;) {
			const struct entry *entry = (const void *)(part + at);

			stopped = each(entry->name, context) != 0;
			at += entry->bytes;
		}
	}
	sys_close(fd);
	return size < 0 ? (int)size : 0;
}
