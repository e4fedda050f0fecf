/*
 * The files that the modules of all spools came from.  Each is opened once.
 */
#ifndef RUNTIME_FOLD_SYMBOLS_FILES_H
#define RUNTIME_FOLD_SYMBOLS_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct files;
struct source;
struct spool_module;
struct symbols;

/* `warn`, if not NULL, is called with a message for each file that was replaced since it was
 * sampled.  Returns NULL when memory is out. */
struct files *files_new(void (*warn)(const char *line));
void files_free(struct files *files);

/* Open a module's file, if it is not open yet.  Returns the file's number; *symbols are its
 * symbols, owned by `files`, or NULL if there are none.  same_kernel says whether the module was
 * sampled under the running kernel of this machine, whose vDSO is then known. */
uint32_t files_open(struct files *files, const struct spool_module *module, bool same_kernel,
		    struct symbols **symbols);

/* Returns the lines and inlined functions of a file that files_open() opened; NULL if it has none.
 * The result is valid until the next call, since only a limited number is kept open. */
struct source *files_source(struct files *files, struct symbols *symbols);

#endif
