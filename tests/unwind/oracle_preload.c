/*
 * The oracle over a whole foreign program.  Preloaded, it steps the main thread from the
 * constructor on, for ORACLE_STEPS instructions.  It writes one line of counts, and one for each
 * symbol that was not right, to the file ORACLE_REPORT.  To ORACLE_ADDRESSES, if set, it writes
 * one line "object 0xADDRESS" (the address in the object's file) for each different instruction.
 * With ORACLE_SKIP, calls that show nothing new are not stepped (oracle_skip.h).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unwind/oracle.h"
#include "tests/unwind/oracle_skip.h"

static pid_t process;

/* "libc.so.6 qsort+0x12 0x41234", the last number being the address in the file. */
static void name_address(FILE *file, uint64_t address)
{
	const char *base;
	Dl_info info;

	if (!dladdr((void *)address, &info)) {
		fprintf(file, " ? ? 0x%lx", address);
		return;
	}
	base = strrchr(info.dli_fname, '/');
	fprintf(file, " %s %s+0x%lx 0x%lx", base ? base + 1 : info.dli_fname,
		info.dli_sname ? info.dli_sname : "?",
		info.dli_saddr ? address - (uint64_t)info.dli_saddr : 0,
		address - (uint64_t)info.dli_fbase);
}

static void report_wrong(FILE *file)
{
	for (unsigned i = 0; i < oracle_wrong_count; i++) {
		fprintf(file, "%c", oracle_wrong[i].kind);
		name_address(file, oracle_wrong[i].pc);
		fprintf(file, " end %d at", oracle_wrong[i].end);
		name_address(file, oracle_wrong[i].end_pc);
		fputc('\n', file);
	}
}

struct find {
	uint64_t address;
	FILE *file;
	bool found;
};

static int find_object(struct dl_phdr_info *info, size_t bytes, void *argument)
{
	struct find *find = argument;
	const char *path = *info->dlpi_name ? info->dlpi_name : program_invocation_short_name;
	const char *slash = strrchr(path, '/');
	uint64_t offset = find->address - info->dlpi_addr;

	(void)bytes;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && offset - header->p_vaddr < header->p_memsz) {
			fprintf(find->file, "%s 0x%lx\n", slash ? slash + 1 : path, offset);
			find->found = true;
			return 1;
		}
	}
	return 0;
}

static void report_address(uint64_t address, void *argument)
{
	struct find find = { .address = address, .file = argument };

	dl_iterate_phdr(find_object, &find);
	if (!find.found)
		fprintf(find.file, "? 0x%lx\n", address);
}

static void report_addresses(const char *path)
{
	FILE *file = path ? fopen(path, "we") : NULL;

	if (!file)
		return;
	oracle_each_address(report_address, file);
	fclose(file);
}

static void report(void)
{
	const struct oracle_counts *counts = &oracle_counts;
	FILE *file;

	if (getpid() != process)
		return;
	oracle_end();
	file = fopen(getenv("ORACLE_REPORT"), "we");
	if (!file)
		return;
	fprintf(file,
		"steps %lu addresses %lu right %lu truncated %lu guessed %lu mistaken %lu wrong "
		"%lu\n",
		counts->steps, counts->addresses, counts->right, counts->truncated, counts->guessed,
		counts->mistaken, counts->wrong);
	report_wrong(file);
	fclose(file);
	report_addresses(getenv("ORACLE_ADDRESSES"));
}

/* A program that leaves by _exit passes no destructor. */
void _exit(int status)
{
	report();
	for (;;)
		syscall(231, status); /* exit_group */
}

__attribute__((constructor)) static void begin(void)
{
	const char *steps = getenv("ORACLE_STEPS");

	if (!steps || !getenv("ORACLE_REPORT"))
		return;
	unsetenv("LD_PRELOAD");
	process = getpid();
	if (oracle_start() || (getenv("ORACLE_SKIP") && oracle_skip_start())) {
		fprintf(stderr, "oracle: cannot start\n");
		exit(99);
	}
	oracle_cold = getenv("ORACLE_COLD") != NULL;
	atexit(report);
	oracle_begin(strtoull(steps, NULL, 10));
}
