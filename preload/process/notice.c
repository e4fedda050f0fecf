/* Each line is one system call.  The descriptor may be a data file of the target's by then. */
#include "preload/process/notice.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "config/text/terminal.h"
#include "config/text/text.h"
#include "runtime/sample/sys/sys.h"

static const struct settings *settings; /* NULL: no line is written */
static struct stat first_stderr;

void notice_start(const struct settings *of_process)
{
	if (sys_fstat(STDERR_FILENO, &first_stderr))
		memset(&first_stderr, 0, sizeof(first_stderr));
	settings = of_process;
}

bool notice_owns_stderr(void)
{
	struct stat now;

	return first_stderr.st_ino && !sys_fstat(STDERR_FILENO, &now) &&
	       now.st_dev == first_stderr.st_dev && now.st_ino == first_stderr.st_ino &&
	       (now.st_mode & S_IFMT) == (first_stderr.st_mode & S_IFMT) &&
	       now.st_rdev == first_stderr.st_rdev;
}

void notice_say(const char *line)
{
	char whole[NOTICE_LINE_BYTES];
	struct text text = text_into(whole, sizeof(whole) - 1);

	if (!settings || settings->log == SETTINGS_LOG_QUIET || !notice_owns_stderr())
		return;
	text_add(&text, line);
	text.used = terminal_line(whole, text.used);
	whole[text.used] = '\n';
	sys_write(STDERR_FILENO, whole, text.used + 1);
}

void notice_tell(const char *part, ...)
{
	char line[NOTICE_LINE_BYTES];
	struct text text = text_into(line, sizeof(line));
	va_list more;

	text_add(&text, "flametrap: ");
	va_start(more, part);
	for (; part; part = va_arg(more, const char *))
		text_add(&text, part);
	va_end(more);
	notice_say(line);
}
