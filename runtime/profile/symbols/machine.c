/*
 * The kernel's symbols are read when the first kernel address is looked up, a file's symbols when
 * its first address is looked up.
 *
 * A file's key is its path and build ID together: after an update of a library the old and the new
 * one are two files.  What is known of a file without a build ID takes that place.
 */
#include "runtime/profile/symbols/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/sigbus_guard.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/symbols/symbols.h"
#include "runtime/profile/debuginfo/symbols_elf.h"
#include "runtime/spool/format.h"

#define SOURCES_OPEN 64 /* files with lines kept open: each takes up to two descriptors */

struct machine_file {
	struct symbols *symbols; /* NULL: none */
	char *path;		 /* by which they were found, if it is not the module's */
	bool changed;		 /* the file at its path is another one */
};

struct machine {
	void (*warn)(const char *line);
	bool reported; /* the missing elfutils were reported */
	struct kernel *kernel;
	struct string_table keys;   /* path, NUL, build ID: its number is the file's number */
	struct machine_file *files; /* by the file's number - 1 */
	uint32_t count;		    /* number of files examined */
	struct symbols *sourced[SOURCES_OPEN]; /* a ring of the files whose source is open */
	unsigned next_sourced;
	const struct spool_header *process; /* see machine_begin() */
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
	for (uint32_t i = 0; i < machine->count; i++) {
		symbols_close(machine->files[i].symbols);
		free(machine->files[i].path);
	}
	free(machine->files);
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

static void warn_of(const struct machine *machine, const char *path, const char *what)
{
	char line[SPOOL_PATH_MAX + 256];

	snprintf(line, sizeof(line), "%s %s no names", path, what);
	if (machine->warn)
		machine->warn(line);
}

static void warn_wrong(const struct machine *machine, const char *path, const char *wrong,
		       const char *whose)
{
	char what[160];

	snprintf(what, sizeof(what), "%s %s may have", wrong, whose);
	warn_of(machine, path, what);
}

void machine_begin(struct machine *machine, const struct spool_header *header)
{
	machine->process = header;
}

/* Opens the file as its process sees it.  Returns 0 or -errno, which is `before` if that makes no
 * difference. */
static int open_in_process(const struct machine *machine, struct symbols_elf_file file, int before,
			   struct machine_file *found)
{
	unsigned live = machine->process ? spool_files_live_pid(machine->process) : 0;

	if (!live || asprintf(&found->path, "/proc/%u/root%s", live, file.path) < 0)
		return before;
	file.path = found->path;
	return symbols_open(&file, &found->symbols) ? before : 0;
}

/* The key lives as long as the machine. */
static void open_symbols(struct machine *machine, const struct spool_module *module,
			 const char *key, bool same_kernel, struct machine_file *found)
{
	const struct symbols_elf_file file = {
		.path = strcmp(module->path, "[vdso]") ? key : NULL,
		.build_id = (const uint8_t *)key + strlen(key) + 1,
		.build_id_bytes = module->build_id_bytes,
		.same = module->file,
	};
	int err;

	if (!file.path ? !same_kernel
		       : module->path[0] != '/' || module->flags & SPOOL_MODULE_PATH_CUT)
		return;
	err = symbols_open(&file, &found->symbols);
	if (!file.path)
		return;
	if (err == -ESTALE || err == -ENOENT)
		err = open_in_process(machine, file, err, found);
	if (err == -ELIBACC && machine->warn && !machine->reported) {
		machine->reported = true;
		machine->warn("libdw.so.1 (elfutils) cannot be loaded: functions have no names");
	}
	found->changed = err == -ESTALE;
	if (found->changed)
		warn_of(machine, module->path,
			"was replaced since it was sampled: its functions have");
	if (sigbus_happened())
		warn_of(machine, module->path, "was cut while it was read: its functions may have");
	if (found->symbols && symbols_wrong(found->symbols))
		warn_wrong(machine, module->path, symbols_wrong(found->symbols), "its functions");
}

uint32_t machine_open(struct machine *machine, const struct spool_module *module, bool same_kernel,
		      struct symbols **symbols)
{
	const bool has_id = module->build_id_bytes;
	uint32_t number = modules_key(&machine->keys, module->path,
				      has_id ? module->build_id : (const uint8_t *)&module->file,
				      has_id ? module->build_id_bytes : sizeof(module->file));

	*symbols = NULL;
	if (!number)
		return 0;
	for (; machine->count < number; machine->count++) {
		struct machine_file *file;

		if (!grow(&machine->files, machine->count, sizeof(*file)))
			return 0;
		file = &machine->files[machine->count];
		/* no symbols for an earlier file whose turn came when memory was out */
		*file = (struct machine_file){ 0 };
		if (machine->count + 1 == number)
			open_symbols(machine, module, string_table_text(&machine->keys, number),
				     same_kernel, file);
	}
	*symbols = machine->files[number - 1].symbols;
	return number;
}

bool machine_is_changed(const struct machine *machine, uint32_t file)
{
	return file && machine->files[file - 1].changed;
}

struct source *machine_source(struct machine *machine, struct symbols *symbols)
{
	struct symbols **slot = &machine->sourced[machine->next_sourced];
	struct source *source = symbols_source(symbols);
	const char *wrong, *path;

	for (unsigned i = 0; source && i < SOURCES_OPEN; i++)
		if (machine->sourced[i] == symbols)
			return source;
	if (!source)
		return NULL;
	wrong = symbols_source_wrong(symbols, &path);
	if (wrong)
		warn_wrong(machine, path, wrong, "inlined functions");
	if (*slot)
		symbols_close_source(*slot);
	*slot = symbols;
	machine->next_sourced = (machine->next_sourced + 1) % SOURCES_OPEN;
	return source;
}
