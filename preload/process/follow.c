/*
 * No mark in the environment tells a child from the first process.  The parent's memory map does,
 * and it is read only where the answer matters.
 *
 * An orphan's parent is the process that adopted it: process 1 or a subreaper (prctl(2),
 * PR_SET_CHILD_SUBREAPER).  A process has become an orphan if its parent is another than at its
 * start.  The child of a fork is never the first process.  An image that starts as an orphan is
 * recognised by its session (credentials(7)): a program is in the session of the process that
 * started it, unless it leads one of its own.  For a session leader, process 1 counts as the
 * process that started it if systemd says so, or if the environment of process 1 preloads the
 * library.
 */
#include "preload/process/follow.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "config/settings/settings.h"
#include "config/text/glob.h"
#include "config/text/text.h"
#include "preload/libc/readable.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/together.h"

#define OUR_NAME   "/libflametrap.so"
#define ADOPTS	   1		      /* adopts orphans in each pid namespace, pid_namespaces(7) */
#define BY_SYSTEMD "SYSTEMD_EXEC_PID" /* systemd.exec(5): the process that it started itself */

static pid_t parent_at_start; /* W: init */
static bool forked TOGETHER;

/* True if a file contains a text.  The file is read in parts that overlap by the text's length. */
static bool file_holds(const char *path, const char *wanted)
{
	size_t keep = strlen(wanted) - 1, kept = 0;
	char part[4096];
	bool found = false;
	long size;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	while (!found && (size = sys_read(fd, part + kept, sizeof(part) - kept)) > 0) {
		size_t filled = kept + (size_t)size;

		found = memmem(part, filled, wanted, strlen(wanted));
		kept = filled < keep ? filled : keep;
		memmove(part, part + filled - kept, kept);
	}
	sys_close(fd);
	return found;
}

/* True if the parent maps the library (/maps), or preloads it in its environment (/environ). */
static bool parent_holds(pid_t parent, const char *file)
{
	char path[64];
	struct text text = text_into(path, sizeof(path));

	text_add(&text, "/proc/");
	text_number(&text, (uint64_t)parent);
	text_add(&text, file);
	return file_holds(path, OUR_NAME);
}

static bool is_started_by_systemd(pid_t self)
{
	const char *pid = readable_strings(__environ) ? env_get(__environ, BY_SYSTEMD) : NULL;
	char own[32];
	struct text text = text_into(own, sizeof(own));

	text_number(&text, (uint64_t)self);
	return pid && !strcmp(pid, own);
}

static bool is_adopted(pid_t parent)
{
	pid_t self = sys_getpid(), session_id = sys_getsid(0);

	if (session_id != self)
		return sys_getsid(parent) != session_id;
	return parent == ADOPTS && !is_started_by_systemd(self) &&
	       !parent_holds(parent, "/environ");
}

void follow_begin(void)
{
	parent_at_start = sys_getppid();
}

bool follow_is_first(void)
{
	pid_t parent = sys_getppid();

	if (forked || parent != parent_at_start)
		return false;
	/* 0: there is no parent, or it is outside this pid namespace. */
	return !parent || (!parent_holds(parent, "/maps") && !is_adopted(parent));
}

bool follow_may_be_first(void)
{
	return !parent_at_start || !parent_holds(parent_at_start, "/maps");
}

static bool name_fits(const struct settings *settings, const char *executable)
{
	const char *slash = strrchr(executable, '/');

	return !settings->follow_glob[0] ||
	       glob_match(settings->follow_glob, slash ? slash + 1 : executable);
}

bool follow_start(const struct settings *settings)
{
	char executable[SPOOL_TEXT_MAX] = "";

	if (settings->follow && !settings->follow_glob[0])
		return true;
	if (follow_is_first())
		return true;
	proc_executable(executable, sizeof(executable));
	return executable[0] && settings->follow && name_fits(settings, executable);
}

bool follow_fork(const struct settings *settings)
{
	forked = true;
	return settings->follow && name_fits(settings, session.executable);
}
