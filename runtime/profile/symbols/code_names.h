/*
 * Names and lines of interpreted functions.  Names are as the people who wrote them know them:
 * `json.decoder.JSONDecoder .decode` of a Python file `.../lib/python3.11/json/decoder.py`,
 * `Cart::add` of PHP, `{main} index.php` of a script's own lines.
 */
#ifndef RUNTIME_PROFILE_SYMBOLS_CODE_NAMES_H
#define RUNTIME_PROFILE_SYMBOLS_CODE_NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/spool/format_code.h"

struct spool_read;

/* Returns the name of the function of a node's pc, which spool_code_is(), without a suffix.  A
 * function that the spool does not have is "[unknown]".  Free with free().  NULL when memory is
 * out. */
char *code_names_function(const struct spool_read *spool, uint64_t pc);

/* Likewise, the name of the function's module; in a language without modules, its file without the
 * directory. */
char *code_names_module(const struct spool_read *spool, uint64_t pc);

struct code_names_place {
	const char *file; /* path, file_bytes long, not terminated */
	size_t file_bytes;
	uint32_t line;	     /* of the pc */
	uint32_t start_line; /* of the function; 0: unknown */
};

/* Get the source line of a pc; false if its file or its line is not known. */
bool code_names_place(const struct spool_read *spool, uint64_t pc, struct code_names_place *place);

/* Returns true for the functions that load modules, such as those of the core of Python's
 * importlib.
 */
bool code_names_imports(const struct spool_read *spool, uint64_t pc);

/* Returns the line of a place, the function's first line if the table has none for it, or 0 if even
 * that is not known.  The table is untrusted, and not read beyond `bytes`. */
uint32_t code_names_line(const struct spool_code *code, const char *table, size_t bytes,
			 uint32_t place);

#endif
