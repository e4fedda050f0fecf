/*
 * Each line is one write(), so that lines of a pipeline's programs do not mix.
 */
#include "runtime/command/base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/text/terminal.h"
#include "runtime/command/base/progress.h"

#define SAY_MAX 8192

static void say_text(char *text, size_t length)
{
	length = terminal_line(text, length);
	text[length] = '\n';
	progress_clear();
	/* standard error may be closed or full: then nothing can be reported */
	if (write(STDERR_FILENO, text, length + 1) < 0)
		return;
}

void say(const char *format, ...)
{
	static const char prefix[] = "flametrap: ";
	char text[SAY_MAX];
	size_t at = sizeof(prefix) - 1;
	va_list arguments;
	int length;

	memcpy(text, prefix, sizeof(prefix));
	va_start(arguments, format);
	length = vsnprintf(text + at, sizeof(text) - at, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	at += (size_t)length;
	say_text(text, at < sizeof(text) ? at : sizeof(text) - 1);
}

void say_line(const char *line)
{
	say("%s", line);
}

int say_error(const char *what, int err)
{
	if (err)
		say("%s%s%s", what ? what : "", what ? ": " : "", strerror(-err));
	return err;
}

int say_flushed(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	say("standard output cannot be written");
	return 1;
}

void say_out(const char *line)
{
	puts(line);
}
