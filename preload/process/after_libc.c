/*
 * libc's constructors set environ and what dlopen(3) passes on to those of the libraries that it
 * loads.  So ours, the first of all, only has itself called after them: the last of libc's
 * constructors (DT_INIT_ARRAY, elf(5)) is replaced by ours until the loader calls it.
 *
 * Of several objects with this flag the loader calls only the last one first.  Before glibc 2.34
 * that is libpthread; then our constructor runs in the order of the libraries.
 */
#include "preload/process/after_libc.h"

#include <gnu/lib-names.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "preload/libc/bindings.h"
#include "preload/libc/libc.h"
#include "runtime/sample/elf/loader.h"

typedef void constructor(int argc, char **argv, char **environment);

/* W: init */
static after_libc_begin *waiting;
static _Atomic uint64_t *slot;
static uint64_t replaced;

static void last_of_libc(int argc, char **argv, char **environment)
{
	bindings_set(libc_object(LIBC_SO), slot, replaced);
	((constructor *)replaced)(argc, argv, environment); /* NOLINT */
	waiting(argc, argv);
}

void after_libc_call(after_libc_begin *begin, int argc, char **argv)
{
	const struct link_map *libc = __environ ? NULL : libc_object(LIBC_SO);
	uint64_t array = libc ? loader_dynamic(libc, DT_INIT_ARRAY) : 0;
	uint64_t count = libc ? loader_dynamic(libc, DT_INIT_ARRAYSZ) / sizeof(uint64_t) : 0;

	if (!array || !count) {
		begin(argc, argv);
		return;
	}
	waiting = begin;
	slot = (_Atomic uint64_t *)(libc->l_addr + array) + count - 1; /* NOLINT */
	replaced = *slot;
	if (!bindings_set(libc, slot, (uint64_t)(uintptr_t)last_of_libc))
		begin(argc, argv);
}
