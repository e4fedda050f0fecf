/* The map is read through the caller's buffer; a line that does not parse is skipped. */
#include "runtime/sample/sys/mapping.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/sys/sys.h"

static uint64_t number(const char **text, unsigned base)
{
	uint64_t value = 0;

	for (;; (*text)++) {
		char c = **text;

		if (c >= '0' && c <= '9')
			value = value * base + (uint64_t)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			value = value * base + (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

static void skip_spaces(const char **text)
{
	*text += strspn(*text, " ");
}

/* "START-END PROTECTION OFFSET MAJOR:MINOR INODE   NAME", proc(5).  False if it is not that. */
static bool read_line(const char *line, struct mapping *mapping)
{
	size_t protection;

	mapping->start = number(&line, 16);
	if (*line++ != '-')
		return false;
	mapping->end = number(&line, 16);
	skip_spaces(&line);
	protection = strcspn(line, " ");
	mapping->executable = memchr(line, 'x', protection) != NULL;
	line += protection;
	skip_spaces(&line);
	mapping->offset = number(&line, 16);
	skip_spaces(&line);
	mapping->device = number(&line, 16) << 32;
	if (*line++ != ':')
		return false;
	mapping->device |= number(&line, 16);
	skip_spaces(&line);
	mapping->inode = number(&line, 10);
	skip_spaces(&line);
	mapping->name = line;
	return true;
}

void mapping_each(char *text, void (*each)(const struct mapping *mapping, void *context),
		  void *context)
{
	int fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	struct mapping mapping;
	size_t used = 0;
	long got;

	if (fd < 0)
		return;
	while (used < MAPPING_LINE_BYTES - 1 &&
	       (got = sys_read(fd, text + used, MAPPING_LINE_BYTES - 1 - used)) > 0) {
		char *line = text, *newline;

		used += (size_t)got;
		text[used] = '\0';
		while ((newline = strchr(line, '\n'))) {
			*newline = '\0';
			if (read_line(line, &mapping))
				each(&mapping, context);
			line = newline + 1;
		}
		used -= (size_t)(line - text);
		memmove(text, line, used);
	}
	sys_close(fd);
}
