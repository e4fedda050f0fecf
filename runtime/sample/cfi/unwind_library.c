/*
 * Opens libunwind.  RTLD_LOCAL keeps its _Unwind_* and unw_* out of the target's scope.  There they
 * would replace libgcc's and make every exception twenty times slower.  RTLD_NOW: no lazily bound
 * call may happen in a signal handler.
 *
 * Relocations are read as the loader left them.  One that names a function gets another address,
 * unless its address lies in libc already.  That is so for all of them unless another library
 * interposes. libc is asked only for the others, because a lookup takes longer than all the rest.
 * The program may use the same copy of the library, so each new address must do for the program
 * what the name promises.
 */
#include "runtime/sample/cfi/unwind_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/sys/sys.h"

#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name) /* unw_step is a macro for the name of this machine */

#define LIBRARY	 "libunwind-" TEXT(UNW_TARGET) ".so.8"
#define FDS_MAX	 4096
#define FREE_MAX 8 /* two of them are the pipe that libunwind makes */

struct unwind_library unwind_library;

struct range {
	uint64_t start, end;
};

/* References to these names go to libc's own functions.  malloc and its like are left alone: memory
 * from one allocator must not be freed by another. */
static const char libc_names[] =
	"__errno_location\0abort\0close\0dl_iterate_phdr\0fstat\0getpagesize\0getpid\0"
	"memchr\0memcpy\0memmove\0memset\0mincore\0mmap\0msync\0munmap\0open\0pipe2\0"
	"pthread_key_create\0pthread_mutex_init\0pthread_mutex_lock\0"
	"pthread_mutex_unlock\0pthread_once\0pthread_setspecific\0read\0sigfillset\0"
	"stat\0stpcpy\0strcmp\0strcpy\0strerror\0strlen\0strncpy\0strrchr\0syscall\0"
	"sysconf\0write\0";

/* The library that is bound, and the new targets. */
struct binding {
	const struct link_map *map; /* of the library */
	const struct link_map *libc;
	struct range read_only; /* of the library, made so by the loader */
	struct range in_libc;
};

static bool (*mask_is_held)(void);

static int leave_mask(int how, const sigset_t *set, sigset_t *old)
{
	int err;

	if (mask_is_held())
		return 0;
	err = sys_sigmask(how, (const uint64_t *)set, (uint64_t *)old);
	if (err)
		errno = -err;
	return err ? -1 : 0;
}

static uint64_t page_bytes(void)
{
	return getauxval(AT_PAGESZ);
}

static void widen(struct range *range, uint64_t start, uint64_t end)
{
	range->start = range->end && range->start < start ? range->start : start;
	range->end = range->end > end ? range->end : end;
}

static bool is_of(const struct dl_phdr_info *info, const struct link_map *map)
{
	return map && info->dlpi_addr == map->l_addr && !strcmp(info->dlpi_name, map->l_name);
}

static int find_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
	struct binding *binding = context;
	bool is_library = is_of(info, binding->map), is_libc = is_of(info, binding->libc);

	(void)size;
	for (unsigned i = 0; (is_library || is_libc) && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;

		if (is_library && header->p_type == PT_GNU_RELRO) /* as the loader rounds */
			binding->read_only = (struct range){ start & ~(page_bytes() - 1),
							     end & ~(page_bytes() - 1) };
		if (is_libc && header->p_type == PT_LOAD)
			widen(&binding->in_libc, start, end);
	}
	return 0;
}

static int protect(const struct range *part, int protection)
{
	if (part->start >= part->end)
		return 0;
	return sys_mprotect((void *)part->start, part->end - part->start, protection); /* NOLINT */
}

static void redirect_one(struct binding *binding, const char *name, volatile uint64_t *slot)
{
	uint64_t function = 0;

	if (!strcmp(name, "sigprocmask") || !strcmp(name, "pthread_sigmask")) {
		*slot = (uint64_t)leave_mask;
		return;
	}
	if (!binding->libc || (*slot >= binding->in_libc.start && *slot < binding->in_libc.end))
		return;
	for (const char *own = libc_names; *own; own += strlen(own) + 1)
		if (!strcmp(name, own))
			function = (uint64_t)dlsym((void *)binding->libc, own);
	if (function)
		*slot = function;
}

/* Redirects one table of relocations. */
static void redirect(struct binding *binding, uint64_t table, uint64_t bytes)
{
	const struct link_map *map = binding->map;
	const char *names = (const char *)loader_dynamic(map, DT_STRTAB);	 /* NOLINT */
	const ElfW(Sym) *symbols = (const void *)loader_dynamic(map, DT_SYMTAB); /* NOLINT */
	const ElfW(Rela) *rela = (const void *)table;				 /* NOLINT */

	if (!names || !symbols || !table)
		return;
	for (uint64_t i = 0; i < bytes / sizeof(*rela); i++) {
		uint64_t index = ELF64_R_SYM(rela[i].r_info);

		if (index && !rela[i].r_addend)
			redirect_one(binding, names + symbols[index].st_name,
				     (uint64_t *)(map->l_addr + rela[i].r_offset)); /* NOLINT */
	}
}

/* Binds the functions that libunwind calls while it answers a handler anew after loading.  Then no
 * call does more than a handler needs, and none ends in code of another preloaded library.
 * References to libc's functions, except the allocating ones, go to libc's own, past any interposed
 * function.  References to functions that change the signal mask go to leave_mask.  Read-only
 * relocations are read-only again afterwards. */
static void bind(const struct link_map *map, bool (*held)(void))
{
	struct binding binding = {
		.map = map,
		.libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD), /* dlopen(3): a link map */
	};

	mask_is_held = held;
	dl_iterate_phdr(find_ranges, &binding);
	if (loader_dynamic(map, DT_PLTREL) != DT_RELA ||
	    protect(&binding.read_only, PROT_READ | PROT_WRITE))
		return;
	redirect(&binding, loader_dynamic(map, DT_JMPREL), loader_dynamic(map, DT_PLTRELSZ));
	redirect(&binding, loader_dynamic(map, DT_RELA), loader_dynamic(map, DT_RELASZ));
	protect(&binding.read_only, PROT_READ);
}

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
		return err; /* it stays loaded: dlclose(3) may be interposed */
	bind(handle, held); /* dlopen(3): glibc's handle is the link map */
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
