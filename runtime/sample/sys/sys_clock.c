/*
 * Clocks are read in the vDSO, not through libc's clock_gettime, which programs that fake time
 * replace.  The vDSO executes RDTSC (on aarch64: reads CNTVCT_EL0), which faults after
 * prctl(PR_SET_TSC, PR_TSC_SIGSEGV).  From then on clocks are read by system calls.  Threads and
 * children inherit that state, and so does the next image (arch/x86/kernel/process.c, TIF_NOTSC).
 *
 * The image comes from the kernel and is correct, but it is read like any other: parts outside its
 * bytes count as absent.  Addresses in it are relative to its link address, usually 0.  The symbols
 * have no count of their own; what lies behind them has no offset of the wanted name where theirs
 * is.
 */
#include <elf.h>
#include <link.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <time.h>

#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES  4096
#define SYMBOLS_MAX 4096

struct image {
	const char *start;
	size_t bytes;  /* bytes that may be read */
	size_t loaded; /* bytes that its headers cover */
	uint64_t linked_at;
	uint64_t dynamic, dynamic_bytes; /* offset */
	uint64_t symbols, names;	 /* addresses as linked; 0: none */
};

static const void *at_offset(const struct image *image, uint64_t offset, size_t size, size_t align)
{
	if (offset > image->bytes || size > image->bytes - offset || offset % align)
		return NULL;
	return image->start + offset;
}

static const void *at(const struct image *image, uint64_t address, size_t size, size_t align)
{
	return at_offset(image, address - image->linked_at, size, align);
}

static bool read_headers(struct image *image)
{
	const ElfW(Ehdr) *header = at_offset(image, 0, sizeof(*header), 1);

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		const ElfW(Phdr) *part = at_offset(image, header->e_phoff + i * sizeof(*part),
						   sizeof(*part), alignof(ElfW(Phdr)));

		if (!part)
			return false;
		if (part->p_type == PT_DYNAMIC) {
			image->dynamic = part->p_offset;
			image->dynamic_bytes = part->p_filesz;
		} else if (part->p_type == PT_LOAD && !image->loaded &&
			   part->p_filesz < UINT32_MAX && part->p_offset < UINT32_MAX) {
			image->linked_at = part->p_vaddr - part->p_offset;
			image->loaded = part->p_offset + part->p_filesz;
		}
	}
	return image->loaded != 0;
}

size_t sys_vdso_bytes(const void *start)
{
	struct image image = { .start = start, .bytes = PAGE_BYTES };

	return read_headers(&image) ? image.loaded : 0;
}

static void read_dynamic(struct image *image)
{
	for (uint64_t i = 0; i < image->dynamic_bytes / sizeof(ElfW(Dyn)); i++) {
		const ElfW(Dyn) *entry = at_offset(image, image->dynamic + i * sizeof(*entry),
						   sizeof(*entry), alignof(ElfW(Dyn)));

		if (!entry || entry->d_tag == DT_NULL)
			return;
		if (entry->d_tag == DT_SYMTAB)
			image->symbols = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			image->names = entry->d_un.d_ptr;
	}
}

static bool is_called(const struct image *image, uint64_t at_name, const char *name)
{
	size_t bytes = strlen(name) + 1;
	const char *found = at(image, image->names + at_name, bytes, 1);

	return found && !memcmp(found, name, bytes);
}

uint64_t sys_vdso_find(const void *start, size_t bytes, const char *name)
{
	struct image image = { .start = start, .bytes = bytes };

	if (!read_headers(&image))
		return 0;
	if (image.bytes > image.loaded)
		image.bytes = image.loaded;
	read_dynamic(&image);
	if (!image.symbols || !image.names)
		return 0;
	for (uint64_t i = 1; i < SYMBOLS_MAX; i++) {
		const ElfW(Sym) *symbol = at(&image, image.symbols + i * sizeof(*symbol),
					     sizeof(*symbol), alignof(ElfW(Sym)));

		if (symbol && symbol->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    at(&image, symbol->st_value, 1, 1) && is_called(&image, symbol->st_name, name))
			return (uint64_t)start + symbol->st_value - image.linked_at;
	}
	return 0;
}

typedef int reader(clockid_t, struct timespec *);

static _Atomic(reader *) clock_reader; /* NULL: a system call */
static _Atomic bool cycles_fault;

static void learn_cycles(void)
{
	int state = PR_TSC_ENABLE;

	if (!sys_prctl(PR_GET_TSC, (unsigned long)&state) && state == PR_TSC_SIGSEGV)
		sys_avoid_cycles();
}

void sys_start(void)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	uint64_t found;

	if (!image)
		return;
	found = sys_vdso_find(image, sys_vdso_bytes(image), "__vdso_clock_gettime");
	if (!found) /* its name on aarch64 */
		found = sys_vdso_find(image, sys_vdso_bytes(image), "__kernel_clock_gettime");
	atomic_store_explicit(&clock_reader, (reader *)found, memory_order_relaxed); /* NOLINT */
	learn_cycles();
}

void sys_avoid_cycles(void)
{
	atomic_store_explicit(&cycles_fault, true, memory_order_relaxed);
	atomic_store_explicit(&clock_reader, NULL, memory_order_relaxed);
}

bool sys_may_read_cycles(void)
{
	return !atomic_load_explicit(&cycles_fault, memory_order_relaxed);
}

uint64_t sys_clock_address(void)
{
	return (uint64_t)(uintptr_t)atomic_load_explicit(&clock_reader, memory_order_relaxed);
}

/* The handler calls this twice per sample. */
int sys_clock(clockid_t clock, struct timespec *time)
{
	reader *read = atomic_load_explicit(&clock_reader, memory_order_relaxed);

	return read ? read(clock, time) : sys_clock_call(clock, time);
}
