/*
 * libunwind, opened privately: none of its names reaches the target, and nothing of it is linked.
 * It answers questions about a frame's rule and never walks the target's stack by itself.
 */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_LIBRARY_H
#define RUNTIME_SAMPLE_CFI_UNWIND_LIBRARY_H

#include <libunwind.h>
#include <stdbool.h>

/* Its functions.  The prototypes are those of <libunwind.h>; nothing else of that header is
 * used. */
struct unwind_library {
	__typeof__(unw_create_addr_space) *create_addr_space;
	__typeof__(unw_set_caching_policy) *set_caching_policy;
	__typeof__(unw_init_remote) *init_remote;
	__typeof__(unw_step) *step;
	__typeof__(unw_get_reg) *get_reg;
	int (*search_table)(unw_addr_space_t space, unw_word_t address, unw_dyn_info_t *table,
			    unw_proc_info_t *info, int need_unwind_info, void *argument);
};

extern struct unwind_library unwind_library;

/* Open it, find its functions, and bind those that it calls to libc's own.  It changes no signal
 * mask where `held` returns true: the caller is our handler, which has all signals blocked.  If
 * they cannot be bound, its answers are still right, only slower.  Returns 0, -ENOENT: not
 * installed, -ENOSYS: it lacks a function.  Context: init. */
int unwind_library_open(bool (*held)(void));

/* Close the descriptors that libunwind opens at its first use, which `use` triggers: two ends of a
 * pipe, for testing memory.  Otherwise the target would see them, or close and reuse their numbers.
 * Context: init. */
void unwind_library_use(void (*use)(void));

#endif
