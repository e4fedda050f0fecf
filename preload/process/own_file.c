/*
 * A file of another name or inode is ours if it begins as we do: the ELF header has the size of the
 * build, and the build-id is near.  Loading changes none of that.
 */
#include "preload/process/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/text/text.h"
#include "preload/libc/libc.h"
#include "runtime/sample/sys/sys.h"

#define PATH_BYTES 1024
/* With less, a loader cannot map us, and the program does not start; or nothing is left for it. */
#define ADDRESS_LEAST (8UL << 20)
#define DATA_LEAST    (4UL << 20)

extern const char our_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

static const char *path; /* W: init.  In the loader's memory */
static struct stat loaded;
static _Atomic bool limited; /* memory, at some time, in this process or a vfork child of it */
static bool closed; /* the program gave up files: stat(2) does not tell whether they open */

void own_file_note(void)
{
	path = libc_path_of_us();
	if (path && sys_stat(path, &loaded))
		memset(&loaded, 0, sizeof(loaded));
}

/* A file is looked at before it is opened: opening a FIFO or a device may wait, or do something. */
bool first_bytes_read(const char *file, struct first_bytes *head)
{
	struct stat status;
	long got;
	int fd;

	if (sys_stat(file, &status) || !S_ISREG(status.st_mode))
		return false;
	fd = sys_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return false;
	got = sys_read(fd, head->byte, FIRST_BYTES);
	sys_close(fd);
	head->bytes = got > 0 ? (size_t)got : 0;
	head->byte[head->bytes] = '\0';
	return got > 0;
}

static bool is_of_this_build(const char *file)
{
	struct first_bytes head;

	return first_bytes_read(file, &head) && head.bytes == FIRST_BYTES &&
	       !memcmp(head.byte, our_start, FIRST_BYTES);
}

/* Other errors, such as those of a sandbox, say nothing of the file. */
static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -ELOOP;
}

/* access(2) asks for the rights that are left after exec, without capabilities of now. */
static bool may_be_read(const char *file)
{
	return !is_absent(sys_access(file, R_OK));
}

/* True for a program of root's that became another user: stat(2) may still have root's rights. */
static bool rights_may_shrink(void)
{
	return getauxval(AT_EUID) == 0 && sys_geteuid() != 0;
}

static bool is_less(int resource, uint64_t bytes)
{
	struct rlimit limit;

	return !sys_getrlimit(resource, &limit) && limit.rlim_cur < bytes;
}

static bool fits(void)
{
	return !limited ||
	       (!is_less(RLIMIT_AS, ADDRESS_LEAST) && !is_less(RLIMIT_DATA, DATA_LEAST));
}

bool own_file_is_there(void)
{
	struct stat now;
	int err;

	if (!fits())
		return false;
	if (!path)
		return true;
	if (closed)
		return is_of_this_build(path);
	err = sys_stat(path, &now);
	if (err)
		return !is_absent(err);
	if (now.st_ino != loaded.st_ino || now.st_dev != loaded.st_dev)
		return false;
	/* a sandbox that we have not met may kill for another question */
	return (now.st_mode & S_IROTH && !rights_may_shrink()) || may_be_read(path);
}

void own_file_may_be_closed(void)
{
	closed = true;
}

void own_file_may_not_fit(void)
{
	limited = true;
}

bool own_file_is_at(const char *entry, size_t length)
{
	char whole[PATH_BYTES];
	struct text text = text_into(whole, sizeof(whole));
	const char *file = whole;

	text_add_bytes(&text, entry, length);
	/* ld.so(8): $ORIGIN, $LIB and $PLATFORM */
	if (!memchr(entry, '/', length) || memchr(entry, '$', length))
		file = path;
	else if (text.cut)
		return false;
	return file && fits() && may_be_read(file) && is_of_this_build(file);
}
