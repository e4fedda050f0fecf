/*
 * A child that ends adds a line to the list beside its parent's spool.  There is no lock, because
 * its holder may be stopped.  The child adds its line, and then checks that the list still has a
 * name, because a process that takes a list removes it before it reads it; and that the parent
 * still runs, because a parent that ends says so in its spool before it looks for a list.  If both
 * hold, the line will be read.  Otherwise the child has its own spool written, and the list too.
 * The command locks a spool, so that it is written once.
 *
 * Every name is known and no directory is read, so other files there cost nothing.
 */
#include "preload/process/process_end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "config/text/text.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/together.h"
#include "runtime/spool/spool_name.h"

#define LIST_BYTES_MAX	 16384 /* about 250 spools */
#define LIST_SECONDS_MAX 10    /* for which the first of them waits, at least */
#define ATTEMPTS_MAX	 8
#define MAPPINGS_MAX	 10000 /* of the parent that are looked at */

static char parent[SPOOL_TEXT_MAX];  /* the parent's spool */
static pid_t parent_pid TOGETHER;    /* 0: not known yet */
static bool without_images TOGETHER; /* forked, and no exec since then */
static char parent_list[SPOOL_TEXT_MAX];
static char own_list[SPOOL_TEXT_MAX];

void child_spools_fork(void)
{
	text_copy(parent, sizeof(parent), session.spool.path);
	parent_pid = session.pid;
	without_images = true;
}

/* Take the path of the parent's spool from the mapping of it, as the parent created it.  Returns
 * whether to go on. */
static bool take_spool(const struct mapping *mapping, void *context)
{
	unsigned *left = context;
	struct spool_name name;

	if (!spool_name_has_ending(mapping->name, strlen(mapping->name)))
		return --*left > 0;
	if (text_copy(parent, sizeof(parent), mapping->name) && spool_name_parse(parent, &name) &&
	    name.pid == (uint32_t)parent_pid)
		return false;
	parent[0] = '\0';
	return --*left > 0;
}

/* Find the parent of a process that a process with this library did not fork: posix_spawn, or
 * fork and exec. */
static void find_parent(void)
{
	char file[64], text[MAPPING_LINE_BYTES];
	struct text path = text_into(file, sizeof(file));
	unsigned left = MAPPINGS_MAX;

	parent_pid = sys_getppid();
	if (parent_pid <= 0)
		return;
	text_add(&path, "/proc/");
	text_number(&path, (uint64_t)parent_pid);
	text_add(&path, "/maps");
	mapping_each(file, text, take_spool, &left);
}

static uint32_t word_of(const char *head, size_t offset)
{
	uint32_t word;

	memcpy(&word, head + offset, sizeof(word));
	return word;
}

/* The state of the parent. */
enum parent_state {
	PARENT_NONE,  /* it has ended, or none was profiled: nothing to expect */
	PARENT_TAKES, /* it goes on and will look for its list */
	PARENT_GONE,  /* it was killed: the remaining processes look for its list */
};

static enum parent_state parent_state(void)
{
	char head[offsetof(struct spool_header, takes_ended) + sizeof(uint32_t)];
	uint64_t magic = SPOOL_MAGIC;
	struct stat st;
	long got;
	int fd = sys_open(parent, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);

	if (fd < 0)
		return PARENT_NONE;
	got = sys_fstat(fd, &st) || st.st_uid != sys_geteuid() ? -EPERM
							       : sys_read(fd, head, sizeof(head));
	sys_close(fd);
	if (got != (long)sizeof(head) || memcmp(head, &magic, sizeof(magic)) != 0 ||
	    word_of(head, offsetof(struct spool_header, version)) != SPOOL_VERSION ||
	    word_of(head, offsetof(struct spool_header, pid)) != (uint32_t)parent_pid ||
	    !word_of(head, offsetof(struct spool_header, takes_ended)) ||
	    word_of(head, offsetof(struct spool_header, state)) != SPOOL_RUNNING)
		return PARENT_NONE;
	return sys_getppid() == parent_pid ? PARENT_TAKES : PARENT_GONE;
}

/* A file with another name or another owner is never written to. */
static bool is_list(int fd)
{
	struct stat st;

	return !sys_fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == sys_geteuid() &&
	       st.st_nlink <= 1;
}

/* Write the line between two NULs, so that an incomplete line damages no other. */
static bool add_line(int fd, const char *path)
{
	char line[SPOOL_TEXT_MAX + 2] = "";
	size_t length = strlen(path);

	if (length > SPOOL_TEXT_MAX)
		return false;
	memcpy(line + 1, path, length);
	line[length + 1] = '\0';
	return sys_write(fd, line, length + 2) == (long)length + 2;
}

/* True if the list is too large or too old.  Its access time is the time of its creation,
 * because it is read only once, after it was removed. */
static bool is_time(const struct stat *list)
{
	struct timespec now = { 0 };

	sys_clock(CLOCK_REALTIME, &now);
	return list->st_size > LIST_BYTES_MAX ||
	       now.tv_sec - list->st_atim.tv_sec > LIST_SECONDS_MAX;
}

static int add_to_list(const char *path, struct stat *list)
{
	list->st_nlink = 0;
	for (int attempt = 0; attempt < ATTEMPTS_MAX && !list->st_nlink; attempt++) {
		int fd = sys_open(parent_list,
				  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
					  O_CLOEXEC,
				  0600);
		bool added;

		if (fd < 0)
			return fd;
		added = is_list(fd) && add_line(fd, path) && !sys_fstat(fd, list);
		sys_close(fd);
		if (!added)
			return -EIO;
	}
	return list->st_nlink ? 0 : -EAGAIN;
}

enum child_spools child_spools_give(const char *path, const char **list)
{
	enum parent_state state;
	struct stat about;

	*list = NULL;
	if (!parent_pid)
		find_parent();
	if (!parent[0] || !spool_name_make_list(parent_list, sizeof(parent_list), parent))
		return CHILD_SPOOLS_NOBODY;
	state = parent_state();
	if (state == PARENT_NONE || (state == PARENT_TAKES && add_to_list(path, &about)))
		return CHILD_SPOOLS_NOBODY;
	if (state == PARENT_TAKES && parent_state() == PARENT_TAKES && !is_time(&about))
		return CHILD_SPOOLS_GIVEN;
	*list = parent_list;
	return CHILD_SPOOLS_FULL;
}

const char *child_spools_own_list(void)
{
	atomic_thread_fence(memory_order_seq_cst); /* store our state before the look */
	if (!spool_name_make_list(own_list, sizeof(own_list), session.spool.path) ||
	    sys_access(own_list, F_OK))
		return NULL;
	return own_list;
}

static bool image_name(unsigned number, char name[SPOOL_TEXT_MAX])
{
	return spool_name_make_image(name, SPOOL_TEXT_MAX, session.spool.path, number);
}

void child_spools_number_image(void)
{
	char name[SPOOL_TEXT_MAX];
	int err = -EEXIST;

	without_images = false; /* exec may fail */
	for (unsigned number = 0; err == -EEXIST && number < SPOOL_NAME_IMAGES_MAX; number++) {
		if (!image_name(number, name))
			return;
		err = strcmp(name, session.spool.path) != 0
			      ? sys_rename_new(session.spool.path, name)
			      : 0;
	}
	if (!err)
		text_copy(session.spool.path, sizeof(session.spool.path), name);
}

bool child_spools_has_images(void)
{
	char name[SPOOL_TEXT_MAX];

	return !without_images && image_name(0, name) && !sys_access(name, F_OK);
}
