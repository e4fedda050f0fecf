/*
 * Opens libunwind.  RTLD_LOCAL keeps its _Unwind_* and unw_* out of the target's scope.  There they
 * would replace libgcc's and make every exception twenty times slower.  RTLD_NOW: no lazily bound
 * call may happen in a signal handler.
 */
#include "runtime/sample/rules/unwind_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/sample/rules/unwind_bind.h"
#include "runtime/sample/sys/sys.h"

#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name) /* unw_step is a macro for the name of this machine */

#define LIBRARY	 "libunwind-" TEXT(UNW_TARGET) ".so.8"
#define FDS_MAX	 4096
#define FREE_MAX 8 /* two of them are the pipe that libunwind makes */

struct unwind_library unwind_library;

static void *symbol(void *handle, const char *name, int *err)
{
	void *address = dlsym(handle, name);

	if (!address)
		*err = -ENOSYS;
	return address;
}

int unwind_library_open(bool (*held)(void))
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	struct unwind_library *lib = &unwind_library;
	int err = 0;

	if (!handle)
		return -ENOENT;
	lib->create_addr_space = symbol(handle, TEXT(unw_create_addr_space), &err);
	lib->set_caching_policy = symbol(handle, TEXT(unw_set_caching_policy), &err);
	lib->init_remote = symbol(handle, TEXT(unw_init_remote), &err);
	lib->step = symbol(handle, TEXT(unw_step), &err);
	lib->get_reg = symbol(handle, TEXT(unw_get_reg), &err);
	lib->search_table = symbol(handle, TEXT(UNW_OBJ(dwarf_search_unwind_table)), &err);
	if (err)
		return err;	   /* it stays loaded: dlclose(3) may be interposed */
	unwind_bind(handle, held); /* dlopen(3): glibc's handle is the link map */
	return 0;
}

/* Returns the lowest numbers that no descriptor has.  The next descriptors get these numbers,
 * open(2). */
static unsigned free_fds(int *free)
{
	struct stat file;
	unsigned count = 0;

	for (int fd = 0; fd < FDS_MAX && count < FREE_MAX; fd++)
		if (sys_fstat(fd, &file) == -EBADF)
			free[count++] = fd;
	return count;
}

static bool is_pipe(int fd, ino_t *inode)
{
	struct stat file;

	if (sys_fstat(fd, &file) || !S_ISFIFO(file.st_mode))
		return false;
	*inode = file.st_ino;
	return true;
}

/* Closes the first two consecutive new descriptors that are the ends of one pipe. */
static void close_new_pipe(const int *was_free, unsigned count)
{
	ino_t inode, before;

	for (unsigned i = 1; i < count; i++) {
		if (!is_pipe(was_free[i - 1], &before) || !is_pipe(was_free[i], &inode) ||
		    inode != before)
			continue;
		sys_close(was_free[i - 1]);
		sys_close(was_free[i]);
		return;
	}
}

void unwind_library_use(void (*use)(void))
{
	int was_free[FREE_MAX];
	unsigned count = free_fds(was_free);

	use();
	close_new_pipe(was_free, count);
}
