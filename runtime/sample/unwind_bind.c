/*
 * Relocations are followed as the loader left them: every one that names a function gets another
 * address.  The program may use the same copy of the library, so whatever is bound does for it
 * what the name promises.  malloc and its like are left alone: memory that was got through one
 * of them may be given back through another.
 */
#include "runtime/sample/unwind_bind.h"

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

#include "runtime/sample/sys.h"

struct replaced {
	const char *name;
	uint64_t function;
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

static uint64_t dynamic_value(const struct link_map *map, int64_t tag)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_val;
	return 0;
}

static uint64_t page_bytes(void)
{
	return getauxval(AT_PAGESZ);
}

/* What the loader has made read-only of the library. */
struct read_only {
	const struct link_map *map;
	uint64_t start, end;
};

static int find_read_only(struct dl_phdr_info *info, size_t size, void *context)
{
	struct read_only *part = context;

	(void)size;
	if (info->dlpi_addr != part->map->l_addr || strcmp(info->dlpi_name, part->map->l_name) != 0)
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_GNU_RELRO)
			continue;
		part->start = (info->dlpi_addr + header->p_vaddr) & ~(page_bytes() - 1);
		part->end = (info->dlpi_addr + header->p_vaddr + header->p_memsz) &
			    ~(page_bytes() - 1); /* as the loader rounds */
	}
	return 1;
}

static int protect(const struct read_only *part, int protection)
{
	if (part->start >= part->end)
		return 0;
	return sys_mprotect((void *)part->start, part->end - part->start, protection); /* NOLINT */
}

/* One table of relocations.  Returns how many were changed. */
static unsigned redirect(const struct link_map *map, uint64_t table, uint64_t bytes,
			 const struct replaced *replaced, unsigned count)
{
	const char *names = (const char *)dynamic_value(map, DT_STRTAB);	/* NOLINT */
	const ElfW(Sym) *symbols = (const void *)dynamic_value(map, DT_SYMTAB); /* NOLINT */
	const ElfW(Rela) *rela = (const void *)table;				/* NOLINT */
	unsigned changed = 0;

	if (!names || !symbols || !table)
		return 0;
	for (uint64_t i = 0; i < bytes / sizeof(*rela); i++) {
		uint64_t index = ELF64_R_SYM(rela[i].r_info);
		uint64_t *slot = (void *)(map->l_addr + rela[i].r_offset); /* NOLINT */

		for (unsigned j = 0; index && !rela[i].r_addend && j < count; j++)
			if (replaced[j].function &&
			    !strcmp(names + symbols[index].st_name, replaced[j].name)) {
				*(volatile uint64_t *)slot = replaced[j].function;
				changed++;
			}
	}
	return changed;
}

/* libc's own functions, whatever the program finds under their names. */
static void find(struct replaced *replaced, unsigned count)
{
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

	for (unsigned i = 0; libc && i < count; i++)
		if (!replaced[i].function)
			replaced[i].function = (uint64_t)dlsym(libc, replaced[i].name);
}

int unwind_bind(const struct link_map *map, bool (*held)(void))
{
	struct replaced replaced[] = {
		{ "sigprocmask", (uint64_t)leave_mask },
		{ "pthread_sigmask", (uint64_t)leave_mask },
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
	const unsigned count = sizeof(replaced) / sizeof(replaced[0]);
	struct read_only part = { .map = map };
	unsigned changed;
	int err;

	if (dynamic_value(map, DT_PLTREL) != DT_RELA)
		return -ENOENT;
	mask_is_held = held;
	find(replaced, count);
	dl_iterate_phdr(find_read_only, &part);
	err = protect(&part, PROT_READ | PROT_WRITE);
	if (err)
		return err;
	changed = redirect(map, dynamic_value(map, DT_JMPREL), dynamic_value(map, DT_PLTRELSZ),
			   replaced, count) +
		  redirect(map, dynamic_value(map, DT_RELA), dynamic_value(map, DT_RELASZ),
			   replaced, count);
	protect(&part, PROT_READ);
	return changed ? 0 : -ENOENT;
}
