/* The map is read through the caller's buffer.  A line that does not parse is skipped, and so is
 * one that the buffer cannot hold. */
#include "runtime/sample/sys/mapping.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/sample/sys/sys.h"

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
