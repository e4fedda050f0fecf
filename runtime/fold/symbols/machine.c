/*
 * The kernel's symbols are read when the first kernel address is looked up, a file's symbols when
 * its first address is looked up.
 */
#include "runtime/fold/symbols/machine.h"

#include <stdlib.h>

#include "runtime/fold/symbols/files.h"
#include "runtime/fold/symbols/kernel.h"

struct machine {
	struct files *files;
	struct kernel *kernel;
};

struct machine *machine_new(void (*warn)(const char *line))
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return NULL;
	machine->files = files_new(warn);
	if (machine->files)
		return machine;
	free(machine);
	return NULL;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	files_free(machine->files);
	kernel_free(machine->kernel);
	free(machine);
}

struct files *machine_files(struct machine *machine)
{
	return machine->files;
}

struct kernel *machine_kernel(struct machine *machine)
{
	if (!machine->kernel)
		machine->kernel = kernel_new();
	return machine->kernel;
}
