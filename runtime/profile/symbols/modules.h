/* Finds the loaded object that an address of one process lay in when the sample was taken. */
#ifndef RUNTIME_PROFILE_SYMBOLS_MODULES_H
#define RUNTIME_PROFILE_SYMBOLS_MODULES_H

#include <stddef.h>
#include <stdint.h>

struct spool_module;
struct string_table;
struct modules;

/* Index the modules of a spool, which must outlive the result.  Returns NULL when memory is out. */
struct modules *modules_new(const struct spool_module *modules, size_t count);
void modules_free(struct modules *modules);

/* Returns the module of a node's address and generation (see struct spool_module), or NULL. */
const struct spool_module *modules_find(const struct modules *modules, uint64_t pc,
					uint32_t generation);

/* Writes the displayed name of a module: its file's name without the directory and " (deleted)". */
void modules_base(const struct spool_module *module, char *base, size_t bytes);

/* Returns the number of a file in a table of keys, which are path, NUL and build ID or other bytes
 * that recognise the file, MODULES_ID_MAX at most; 0 when memory is out. */
#define MODULES_ID_MAX 64
uint32_t modules_key(struct string_table *keys, const char *path, const uint8_t *id,
		     size_t id_bytes);

#endif
