/*
 * Unwind information that was overwritten at random, or whose pages cannot be read any more,
 * costs frames and never the process.
 *   run_damage [QUESTIONS]
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/chain.h"
#include "tests/unwind/leaf.h"

#define PAGE 4096UL

static struct {
	const char *name;
	uint64_t code;
	uint64_t code_size;
	uint64_t table; /* PT_GNU_EH_FRAME, and what follows it in its segment */
	uint64_t table_size;
} victim;

static struct unwind_memo memo;
static struct unwind_stack stack = { .memo = &memo };
static uint32_t seed = 1;

static unsigned random_below(uint64_t limit)
{
	seed = seed * 1664525 + 1013904223;
	return (unsigned)((uint64_t)seed * limit >> 32);
}

static int find_victim(struct dl_phdr_info *info, size_t size, void *argument)
{
	uint64_t table = 0;

	(void)size;
	(void)argument;
	if (!strstr(info->dlpi_name, victim.name))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			table = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD)
			continue;
		if (header->p_flags & PF_X) {
			victim.code = low;
			victim.code_size = header->p_memsz;
		}
		if (table >= low && table - low < header->p_memsz) {
			victim.table = table;
			victim.table_size = low + header->p_memsz - table;
		}
	}
	return 1;
}

static int protect(int protection)
{
	uint64_t low = victim.table & ~(PAGE - 1);

	return mprotect((void *)low, victim.table + victim.table_size - low, protection);
}

/* A walk whose leaf is anywhere in the damaged library. */
static bool ask(void)
{
	return leaf_walks(&stack, victim.code + random_below(victim.code_size));
}

int main(int count, char **arguments)
{
	unsigned long questions = count > 1 ? strtoul(arguments[1], NULL, 0) : 100000;
	char *whole;

	victim.name = "libz.so";
	if (!dlopen("libz.so.1", RTLD_NOW) || !dl_iterate_phdr(find_victim, NULL) ||
	    !victim.table) {
		puts("skip: libz.so.1 is not installed, or has no table of unwind information");
		return 77;
	}
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	if (protect(PROT_NONE) || !ask())
		return 1;
	unwind_forget();
	if (protect(PROT_READ | PROT_WRITE))
		return 99;
	whole = malloc(victim.table_size);
	memcpy(whole, (void *)victim.table, victim.table_size);
	for (unsigned long i = 0; i < questions; i++) {
		if (i % 64 == 0)
			memcpy((void *)victim.table, whole, victim.table_size);
		((uint8_t *)victim.table)[random_below(i % 2 ? 512 : victim.table_size)] =
			(uint8_t)random_below(256);
		unwind_forget();
		if (!ask())
			return 1;
	}
	puts("run_damage: end");
	return 0;
}
