/*
 * A file's key is its path and build ID together: after an update of a library the old and the new
 * one are two files.  A module without a build ID is accepted if device and inode match.
 */
#include "runtime/fold/symbols/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/fold/base/cut.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/symbols/symbols.h"
#include "runtime/spool/format.h"

#define SOURCES_OPEN 64 /* files with lines kept open: each takes up to two descriptors */

struct files {
	void (*warn)(const char *line);
	bool told;		   /* the missing elfutils were reported */
	struct string_table *keys; /* path, NUL, build ID: its number is the file's number */
	struct symbols **symbols;  /* by the file's number */
	uint32_t count;		   /* number of files examined */
	uint32_t capacity;
	struct symbols *sourced[SOURCES_OPEN]; /* a ring of the files whose source is open */
	unsigned next_sourced;
};

struct files *files_new(void (*warn)(const char *line))
{
	struct files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->warn = warn;
	files->keys = string_table_new();
	if (files->keys)
		return files;
	free(files);
	return NULL;
}

void files_free(struct files *files)
{
	if (!files)
		return;
	for (uint32_t i = 1; i <= files->count; i++)
		symbols_close(files->symbols[i]);
	free(files->symbols);
	string_table_free(files->keys);
	free(files);
}

static bool is_other_inode(const struct spool_module *module)
{
	struct stat st;

	if (module->build_id_bytes || !module->inode || stat(module->path, &st))
		return false;
	return st.st_ino != module->inode || st.st_dev != module->device;
}

static struct symbols *open_symbols(struct files *files, const struct spool_module *module,
				    bool same_kernel)
{
	struct symbols *symbols = NULL;
	char line[SPOOL_PATH_MAX + 128];
	int err;

	if (!strcmp(module->path, "[vdso]"))
		return same_kernel && !symbols_open_vdso(&symbols) ? symbols : NULL;
	if (module->path[0] != '/' || (module->flags & SPOOL_MODULE_PATH_CUT))
		return NULL;
	err = is_other_inode(module) ? -ESTALE
				     : symbols_open(module->path, module->build_id,
						    module->build_id_bytes, &symbols);
	if (err == -ELIBACC && files->warn && !files->told) {
		files->told = true;
		files->warn("libdw.so.1 (elfutils) cannot be loaded: functions have no names");
	}
	if (err == -ESTALE && files->warn) {
		snprintf(line, sizeof(line),
			 "%s was replaced since it was sampled: its functions have no names",
			 module->path);
		files->warn(line);
	}
	if (cut_happened() && files->warn) {
		snprintf(line, sizeof(line),
			 "%s was cut while it was read: its functions may have no names",
			 module->path);
		files->warn(line);
	}
	return err ? NULL : symbols;
}

static bool make_room(struct files *files, uint32_t number)
{
	uint32_t capacity = files->capacity ? files->capacity * 2 : 64;
	struct symbols **grown;

	if (number < files->capacity)
		return true;
	grown = reallocarray(files->symbols, capacity, sizeof(struct symbols *));
	if (!grown)
		return false;
	memset(grown + files->capacity, 0, (capacity - files->capacity) * sizeof(struct symbols *));
	files->symbols = grown;
	files->capacity = capacity;
	return true;
}

uint32_t files_open(struct files *files, const struct spool_module *module, bool same_kernel,
		    struct symbols **symbols)
{
	char key[SPOOL_PATH_MAX + SPOOL_BUILD_ID_MAX];
	size_t path_bytes = strnlen(module->path, SPOOL_PATH_MAX - 1) + 1;
	uint32_t number;

	memcpy(key, module->path, path_bytes - 1);
	key[path_bytes - 1] = '\0';
	memcpy(key + path_bytes, module->build_id, module->build_id_bytes);
	number = string_table_intern(files->keys, key, path_bytes + module->build_id_bytes);
	*symbols = NULL;
	if (!number || !make_room(files, number))
		return 0;
	if (number > files->count) {
		files->symbols[number] = open_symbols(files, module, same_kernel);
		files->count = number;
	}
	*symbols = files->symbols[number];
	return number;
}

struct source *files_source(struct files *files, struct symbols *symbols)
{
	struct symbols **slot = &files->sourced[files->next_sourced];
	struct source *source = symbols_source(symbols);

	for (unsigned i = 0; source && i < SOURCES_OPEN; i++)
		if (files->sourced[i] == symbols)
			return source;
	if (!source)
		return NULL;
	if (*slot)
		symbols_close_source(*slot);
	*slot = symbols;
	files->next_sourced = (files->next_sourced + 1) % SOURCES_OPEN;
	return source;
}
