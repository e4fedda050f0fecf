/*
 * The kernel's symbols are read when the first kernel address is looked up, a file's symbols when
 * its first address is looked up.
 *
 * A file's key is its path and build ID together: after an update of a library the old and the new
 * one are two files.  A module without a build ID is accepted if device and inode match.
 */
#include "runtime/fold/symbols/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/fold/base/cut.h"
#include "runtime/fold/base/grow.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/symbols/kernel.h"
#include "runtime/fold/symbols/modules.h"
#include "runtime/fold/symbols/symbols.h"
#include "runtime/fold/symbols/symbols_elf.h"
#include "runtime/spool/format.h"

#define SOURCES_OPEN 64 /* files with lines kept open: each takes up to two descriptors */

struct machine {
	void (*warn)(const char *line);
	bool told; /* the missing elfutils were reported */
	struct kernel *kernel;
	struct string_table keys; /* path, NUL, build ID: its number is the file's number */
	struct symbols **symbols; /* by the file's number - 1 */
	uint32_t count;		  /* number of files examined */
	struct symbols *sourced[SOURCES_OPEN]; /* a ring of the files whose source is open */
	unsigned next_sourced;
};

struct machine *machine_new(void (*warn)(const char *line))
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (machine)
		machine->warn = warn;
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	for (uint32_t i = 0; i < machine->count; i++)
		symbols_close(machine->symbols[i]);
	free(machine->symbols);
	string_table_free(&machine->keys);
	kernel_free(machine->kernel);
	free(machine);
}

struct kernel *machine_kernel(struct machine *machine)
{
	if (!machine->kernel)
		machine->kernel = kernel_new();
	return machine->kernel;
}

static bool is_other_inode(const struct spool_module *module)
{
	struct stat st;

	if (module->build_id_bytes || !module->inode || stat(module->path, &st))
		return false;
	return st.st_ino != module->inode || st.st_dev != module->device;
}

static void warn_of(const struct machine *machine, const struct spool_module *module,
		    const char *what)
{
	char line[SPOOL_PATH_MAX + 128];

	snprintf(line, sizeof(line), "%s was %s no names", module->path, what);
	if (machine->warn)
		machine->warn(line);
}

/* The key lives as long as the machine. */
static struct symbols *open_symbols(struct machine *machine, const struct spool_module *module,
				    const char *key, bool same_kernel)
{
	const struct symbols_elf_file file = {
		.path = strcmp(module->path, "[vdso]") ? key : NULL,
		.build_id = (const uint8_t *)key + strlen(key) + 1,
		.build_id_bytes = module->build_id_bytes,
	};
	struct symbols *symbols = NULL;
	int err;

	if (!file.path)
		return same_kernel && !symbols_open(&file, &symbols) ? symbols : NULL;
	if (module->path[0] != '/' || (module->flags & SPOOL_MODULE_PATH_CUT))
		return NULL;
	err = is_other_inode(module) ? -ESTALE : symbols_open(&file, &symbols);
	if (err == -ELIBACC && machine->warn && !machine->told) {
		machine->told = true;
		machine->warn("libdw.so.1 (elfutils) cannot be loaded: functions have no names");
	}
	if (err == -ESTALE)
		warn_of(machine, module, "replaced since it was sampled: its functions have");
	if (cut_happened())
		warn_of(machine, module, "cut while it was read: its functions may have");
	return err ? NULL : symbols;
}

uint32_t machine_open(struct machine *machine, const struct spool_module *module, bool same_kernel,
		      struct symbols **symbols)
{
	uint32_t number =
		modules_key(&machine->keys, module->path, module->build_id, module->build_id_bytes);

	*symbols = NULL;
	if (!number)
		return 0;
	for (; machine->count < number; machine->count++) {
		/* a pointer for each.  NOLINTNEXTLINE(bugprone-sizeof-expression) */
		if (!grow(&machine->symbols, machine->count, sizeof(*symbols)))
			return 0;
		/* NULL for an earlier file whose turn came when memory was out */
		machine->symbols[machine->count] =
			machine->count + 1 < number
				? NULL
				: open_symbols(machine, module,
					       string_table_text(&machine->keys, number),
					       same_kernel);
	}
	*symbols = machine->symbols[number - 1];
	return number;
}

struct source *machine_source(struct machine *machine, struct symbols *symbols)
{
	struct symbols **slot = &machine->sourced[machine->next_sourced];
	struct source *source = symbols_source(symbols);

	for (unsigned i = 0; source && i < SOURCES_OPEN; i++)
		if (machine->sourced[i] == symbols)
			return source;
	if (!source)
		return NULL;
	if (*slot)
		symbols_close_source(*slot);
	*slot = symbols;
	machine->next_sourced = (machine->next_sourced + 1) % SOURCES_OPEN;
	return source;
}
