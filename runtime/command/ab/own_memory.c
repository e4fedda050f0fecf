/*
 * proc_pid_clear_refs(5): 5 sets the peak to the present size.
 */
#include "runtime/command/ab/own_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages that cannot be written are those of the file, which the kernel maps again when they are
 * used. */
static int drop_code(struct dl_phdr_info *object, size_t bytes, void *context)
{
	(void)bytes;
	(void)context;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + part->p_vaddr;
		uintptr_t start = from & ~((uintptr_t)getpagesize() - 1);

		if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
			madvise((void *)start, from - start + part->p_memsz, MADV_DONTNEED);
	}
	return 0;
}

static void reset_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "5", 1) < 0)
		errno = 0; /* then the old peak is what counts */
	close(fd);
}

uint64_t own_memory_kib(void)
{
	unsigned long long kib;
	uint64_t found = UINT64_MAX;
	char line[256];
	FILE *file;

	malloc_trim(0);
	dl_iterate_phdr(drop_code, NULL);
	reset_peak();
	file = fopen("/proc/self/status", "re");
	while (file && found == UINT64_MAX && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %llu", &kib) == 1) /* NOLINT(cert-err34-c) */
			found = kib;
	if (file)
		fclose(file);
	return found;
}
