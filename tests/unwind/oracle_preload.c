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

/* Read at the start: programs clear their environment, or write their titles over it. */
static const char *report_path, *addresses_path;
static pid_t process;

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

/* Returns a copy of a variable of the environment.  NULL: it is not set. */
static const char *copy_of(const char *name)
{
	const char *value = getenv(name);

	return value ? strdup(value) : NULL;
}

static void report_addresses(void)
{
	FILE *file = addresses_path ? fopen(addresses_path, "we") : NULL;

	if (!file)
		return;
	oracle_each_address(report_address, file);
	fclose(file);
}

static void report(void)
{
	FILE *file;

	if (getpid() != process)
		return;
	oracle_end();
	file = fopen(report_path, "we");
	if (!file)
		return;
	oracle_print_counts(file);
	oracle_print_wrong(file, ORACLE_WRONG_MAX);
	fclose(file);
	report_addresses();
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

	report_path = copy_of("ORACLE_REPORT");
	addresses_path = copy_of("ORACLE_ADDRESSES");
	if (!steps || !report_path)
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
