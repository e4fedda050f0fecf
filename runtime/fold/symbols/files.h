/*
 * The files that modules of all spools came from, each opened once.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_FILES_H
#define RUNTIME_FOLD_SYMBOLS_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct files;
struct source;
struct spool_module;
struct symbols;

/* `warn`, if not NULL, is told each file that was replaced since it was sampled.
 * NULL when memory is out. */
struct files *files_new(void (*warn)(const char *line));
void files_free(struct files *files);

/* Open a module's file, if it was not yet.  Returns a number that is the file's own, and in
 * *symbols its symbols, owned by files; or NULL where there are none.  same_kernel says whether
 * the module was sampled under this machine's running kernel, whose vDSO we then know. */
uint32_t files_open(struct files *files, const struct spool_module *module, bool same_kernel,
		    struct symbols **symbols);

/* Lines and inlined functions of a file that files_open opened; NULL if it has none.  Valid
 * until the next call, since only so many are held open. */
struct source *files_source(struct files *files, struct symbols *symbols);

#endif
