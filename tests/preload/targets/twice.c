/* Maps its own code a second time and works there: 3 units in inner, 1 in outer, which calls it.
 *   twice UNITS [HOW]
 * fork: a child does the work.  exec: becomes echo(1) afterwards.  unmap: unmaps it afterwards. */
#include "tests/preload/targets/target.h"

#define PAGE_MASK 4095UL

typedef void work_function(uint64_t units);

static char *copy;
static size_t copy_bytes;

__attribute__((noinline)) static void inner(uint64_t units)
{
	WORK(3 * units);
	WORK_KEEP(1);
}

/* A call within the code that is mapped: it stays in the same mapping. */
__attribute__((noinline)) static void outer(uint64_t units)
{
	WORK(units);
	inner(units);
	WORK_KEEP(2);
}

/* What the program's headers say of the code that `work` lies in, mapped from its file. */
static int map_again(struct dl_phdr_info *info, size_t size, void *work)
{
	uint64_t address = (uint64_t)(uintptr_t) * (work_function **)work;
	int file = open("/proc/self/exe", O_RDONLY);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *code = &info->dlpi_phdr[i];
		uint64_t within = address - info->dlpi_addr - code->p_vaddr;
		uint64_t before = code->p_offset & PAGE_MASK;

		if (code->p_type != PT_LOAD || within >= code->p_filesz)
			continue;
		copy_bytes = code->p_filesz + before;
		copy = mmap(NULL, copy_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file,
			    (off_t)(code->p_offset - before));
		if (copy == MAP_FAILED)
			exit(2);
		*(work_function **)work = (work_function *)(uintptr_t)(copy + before + within);
	}
	close(file);
	return 1; /* the program comes first */
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	work_function *work = outer;
	int status = 0;

	dl_iterate_phdr(map_again, &work);
	if (work == outer)
		return 2;
	if (strcmp(how, "fork") != 0 || !fork())
		for (uint64_t i = 0; i < 100; i++)
			work(strtoull(argv[1], NULL, 10) / 100);
	else
		wait(&status);
	if (!strcmp(how, "unmap"))
		status |= munmap(copy, copy_bytes);
	if (!strcmp(how, "exec"))
		execl("/bin/echo", "echo", "done", NULL);
	return status;
}
