/*
 * No mark is left in the environment to tell a child from the first process: the parent's
 * memory map does, and it is looked at only where the answer matters.
 */
#include "preload/follow.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "config/glob.h"
#include "config/settings.h"
#include "runtime/sample/session.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/text.h"

#define OUR_NAME "/libflametrap.so"

/* Does a file hold a text?  Read in parts that overlap by the text's length. */
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

bool follow_is_first(void)
{
	char path[64];
	struct text text = text_into(path, sizeof(path));

	text_add(&text, "/proc/");
	text_number(&text, (uint64_t)sys_getppid());
	text_add(&text, "/maps");
	return !file_holds(path, OUR_NAME);
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
	if (sys_readlink("/proc/self/exe", executable, sizeof(executable) - 1) < 0)
		return false;
	return settings->follow && name_fits(settings, executable);
}

bool follow_fork(const struct settings *settings)
{
	return settings->follow && name_fits(settings, session.executable);
}
