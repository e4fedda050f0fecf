/*
 * For what is preloaded into an interpreter and calls its walk: the stack of the thread, as a walk
 * of functions wants it.
 */
#ifndef TESTS_INTERP_WALKED_H
#define TESTS_INTERP_WALKED_H

#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/store/script_table.h"
#include "tests/unwind/walks.h"

#define FRAMES_MAX 1000

WALKED_STACK;
static uint64_t pcs[FRAMES_MAX], sps[FRAMES_MAX + 1];
static struct interp_stack native = { .pcs = pcs, .sps = sps };
static struct interp_place place[FRAMES_MAX];
static struct interp_reader reader;
static pid_t process;

static void find_frames(const ucontext_t *context)
{
	struct unwind_frames frames = { .sps = sps };
	struct unwind_result result;

	unwind_walk_frames(context, &stack, pcs, &frames, FRAMES_MAX, &result);
	native.depth = result.depth;
	native.complete = result.end == UNWIND_LAST && !result.guessed;
	native.range = frames.range;
	native.context = context;
}

static enum interp_outcome find_functions(const struct interp_runtime *runtime,
					  struct interp_places *places)
{
	*places = (struct interp_places){ .place = place, .max = FRAMES_MAX };
	interp_read_begin(&reader, sps[0], native.range.low + native.range.last * 8 + 8);
	return runtime->walk(&native, &reader, places);
}

/* Stands for interp_find.c: the object is the one that the loader finds the symbol in. */
static struct elf_dynamic dynamic;

bool interp_object_symbol(const struct interp_object *object, const char *name, uint64_t *address,
			  uint64_t *bytes)
{
	struct elf_dynamic_symbol symbol;

	if (dynamic.start != object->start &&
	    !elf_dynamic_open(&dynamic, object->start, object->end))
		return false;
	if (!elf_dynamic_find(&dynamic, name, &symbol))
		return false;
	*address = symbol.address;
	*bytes = symbol.bytes;
	return true;
}

static int find_object(struct dl_phdr_info *info, size_t bytes, void *argument)
{
	struct interp_object *object = argument;
	uint64_t start, end;

	(void)bytes;
	loader_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	if (object->bias < start || object->bias >= end)
		return 0;
	*object = (struct interp_object){ start, end, info->dlpi_addr };
	return 1;
}

/* Find the loaded object that exports a symbol.  False: none does. */
static bool find_loaded(const char *mark, struct interp_object *object)
{
	void *at = dlsym(RTLD_DEFAULT, mark);

	*object = (struct interp_object){ .bias = (uint64_t)(uintptr_t)at };
	return at && dl_iterate_phdr(find_object, object);
}

/* False: no loaded object exports its mark, or it is of a version that is not known. */
static bool has_runtime(const struct interp_runtime *runtime)
{
	struct interp_object object;
	const char *why = NULL;

	if (!find_loaded(runtime->mark, &object))
		return false;
	if (runtime->start)
		runtime->start();
	if (runtime->look(&object, &why))
		return true;
	fprintf(stderr, "%s: %s\n", runtime->name, why ? why : "");
	return false;
}

/* Of this process alone; what it executes has no library of ours. */
static void find_self(void)
{
	unsetenv("LD_PRELOAD");
	process = getpid();
	memory_start();
	loader_start();
}

/* Returns 0 or a negative errno. */
static int find_at_signals(int number, void (*handler)(int, siginfo_t *, void *))
{
	int err = unwind_start();

	if (!err)
		err = unwind_stack_of_thread(&stack);
	return err ? err : handle_elsewhere(number, handler);
}

#endif
