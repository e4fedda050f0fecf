/*
 * Such a path may be anything.  So nothing but a regular file is opened, and the size is checked
 * before memory is taken.
 */
#include "runtime/profile/base/text_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"

/* Files of /proc have no size, and are not read. */
size_t text_file_read(const char *path, size_t most, char **text)
{
	int fd = path[0] == '/' ? user_file_open_regular(path, 0) : -EINVAL;
	size_t length = 0;
	uint64_t bytes;
	ssize_t got = 1;
	bool hole;

	*text = NULL;
	if (fd < 0)
		return 0;
	bytes = user_file_bytes(fd, &hole);
	if (bytes && bytes <= most)
		*text = malloc(bytes);
	while (*text && got > 0 && length < bytes) {
		got = read(fd, *text + length, (size_t)bytes - length);
		length += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (*text && length == bytes && !memchr(*text, '\0', length))
		return length;
	free(*text);
	*text = NULL;
	return 0;
}
