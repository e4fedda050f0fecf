/*
 * A file is looked at before it is opened: opening a FIFO or a device may wait, or do something.
 */
#include "preload/process/first_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/sample/sys/sys.h"

bool first_bytes_read(const char *path, struct first_bytes *head)
{
	struct stat file;
	long got;
	int fd;

	if (sys_stat(path, &file) || !S_ISREG(file.st_mode))
		return false;
	fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return false;
	got = sys_read(fd, head->byte, FIRST_BYTES);
	sys_close(fd);
	head->bytes = got > 0 ? (size_t)got : 0;
	head->byte[head->bytes] = '\0';
	return got > 0;
}
