/*
 * Relocations are read as the loader left them.  One that names a function gets another address,
 * unless its address lies in libc already.  That is so for all of them unless another library
 * interposes. libc is asked only for the others, because a lookup takes longer than all the rest.
 * The program may use the same copy of the library, so each new address must do for the program
 * what the name promises. malloc and its like are left alone: memory from one allocator must not be
 * freed by another.
 */
#include "runtime/sample/rules/unwind_bind.h"

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

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/sys/sys.h"

struct range {
	uint64_t start, end;
};

/* References to one of these names.  Our functions replace libc's, too. */
struct replaced {
	const char *name;
	uint64_t function; /* ours, or libc's after it was looked up */
	bool ours;
};

/* The library that is bound, and the new targets. */
struct binding {
	const struct link_map *map; /* of the library */
	const struct link_map *libc;
	struct range read_only; /* of the library, made so by the loader */
	struct range in_libc;
	struct replaced *replaced;
	unsigned count;
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

/* Returns libc's own function, whatever the program finds under its name. */
static uint64_t function_of(const struct binding *binding, struct replaced *replaced)
{
	if (!replaced->function && binding->libc)
		replaced->function = (uint64_t)dlsym((void *)binding->libc, replaced->name);
	return replaced->function;
}

static void redirect_one(struct binding *binding, const char *name, volatile uint64_t *slot)
{
	bool in_libc = *slot >= binding->in_libc.start && *slot < binding->in_libc.end;

	for (unsigned i = 0; i < binding->count; i++) {
		struct replaced *replaced = &binding->replaced[i];

		if ((in_libc && !replaced->ours) || strcmp(name, replaced->name) != 0)
			continue;
		if (!function_of(binding, replaced))
			return;
		*slot = replaced->function;
		return;
	}
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

void unwind_bind(const struct link_map *map, bool (*held)(void))
{
	struct replaced replaced[] = {
		{ "sigprocmask", (uint64_t)leave_mask, true },
		{ "pthread_sigmask", (uint64_t)leave_mask, true },
		{ .name = "__errno_location" },
		{ .name = "abort" },
		{ .name = "close" },
		{ .name = "dl_iterate_phdr" },
		{ .name = "fstat" },
		{ .name = "getpagesize" },
		{ .name = "getpid" },
		{ .name = "memchr" },
		{ .name = "memcpy" },
		{ .name = "memmove" },
		{ .name = "memset" },
		{ .name = "mincore" },
		{ .name = "mmap" },
		{ .name = "msync" },
		{ .name = "munmap" },
		{ .name = "open" },
		{ .name = "pipe2" },
		{ .name = "pthread_key_create" },
		{ .name = "pthread_mutex_init" },
		{ .name = "pthread_mutex_lock" },
		{ .name = "pthread_mutex_unlock" },
		{ .name = "pthread_once" },
		{ .name = "pthread_setspecific" },
		{ .name = "read" },
		{ .name = "sigfillset" },
		{ .name = "stat" },
		{ .name = "stpcpy" },
		{ .name = "strcmp" },
		{ .name = "strcpy" },
		{ .name = "strerror" },
		{ .name = "strlen" },
		{ .name = "strncpy" },
		{ .name = "strrchr" },
		{ .name = "syscall" },
		{ .name = "sysconf" },
		{ .name = "write" },
	};
	struct binding binding = {
		.map = map,
		.libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD), /* dlopen(3): a link map */
		.replaced = replaced,
		.count = sizeof(replaced) / sizeof(replaced[0]),
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
