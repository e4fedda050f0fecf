/*
 * Perl 5.34 to 5.42 with threads, as distributions build it.  The interpreter's loop,
 * Perl_runops_standard(), keeps nothing of its own in its native frame but the interpreter.  So its
 * activations are paired with Perl's contexts by their number, which must agree: only the innermost
 * one may be about to begin or to end, and what sort() and List::Util call again and again may be
 * between two calls.  Anything else is left alone.
 *
 * Each thread has an interpreter of its own, and nobody else writes to it.
 */
#include "runtime/sample/interp/perl/perl.h"

#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/stat.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/sys/poison.h"

/* Between the beginning of an interpreter and these are what stat(2) has returned, and where die()
 * jumps to.  On x86-64 they have 144 and 200 bytes. */
#define AFTER_STAT(offset) ((offset) + sizeof(struct stat) - 144)
#define AFTER_JUMP(offset) (AFTER_STAT(offset) + sizeof(sigjmp_buf) - 200)

static const struct perl_layout layouts[] = {
	{ 34, AFTER_JUMP(0xeb0), AFTER_JUMP(1936), AFTER_STAT(760), 0xc3, false },
	{ 36, AFTER_JUMP(0xeb8), AFTER_JUMP(1936), AFTER_STAT(760), 0xc3, true },
	{ 38, AFTER_JUMP(0xf38), AFTER_JUMP(1720), AFTER_STAT(776), 0xc6, true },
	{ 40, AFTER_JUMP(0xeb8), AFTER_JUMP(1720), AFTER_STAT(776), 0xc6, true },
	{ 42, AFTER_JUMP(0xeb8), AFTER_JUMP(1720), AFTER_STAT(776), 0xca, true },
};

#define JUMPS_MAX 1000

/* W: start(), look(), forget(), while no walk runs. */
static struct {
	const struct perl_layout *layout;
	struct interp_range loop, run;
	uint64_t key; /* address of PL_thr_key */
	void *(*get)(pthread_key_t key);
} perl;

static void start(void)
{
	*(void **)&perl.get = loader_libc_symbol("pthread_getspecific");
}

static bool copy_symbol(const struct interp_object *object, const char *name, void *to,
			size_t bytes)
{
	uint64_t at, size;

	return interp_object_symbol(object, name, &at, &size) && memory_copy(to, at, bytes);
}

static bool look(const struct interp_object *object, const char **why)
{
	uint16_t interp_bytes = 0;
	uint8_t version = 0;
	uint64_t bytes;
	unsigned i = 0;

	if (!interp_object_range(object, "Perl_runops_standard", &perl.loop) ||
	    !interp_object_range(object, "perl_run", &perl.run))
		return false;
	if (!interp_object_symbol(object, "PL_thr_key", &perl.key, &bytes)) {
		*why = "is built without threads";
		return false;
	}
	if (!copy_symbol(object, "PL_version", &version, sizeof(version)) ||
	    !copy_symbol(object, "PL_interp_size", &interp_bytes, sizeof(interp_bytes)))
		return false;
	while (i < sizeof(layouts) / sizeof(*layouts) &&
	       (layouts[i].version != version || layouts[i].interp_bytes != interp_bytes))
		i++;
	if (i == sizeof(layouts) / sizeof(*layouts)) {
		*why = "has a version other than 5.34 to 5.42, or is built in another way";
		return false;
	}
	perl.layout = &layouts[i];
	return true;
}

static void forget(void)
{
	perl.layout = NULL;
}

/* Returns the loop's first native frame from `native` on, or the depth if there is none. */
static unsigned next_loop(const struct interp_stack *stack, unsigned native)
{
	while (native < stack->depth && !interp_is_in(perl.loop, stack->pcs[native]))
		native++;
	return native;
}

/* True if a native frame holds one of the places that die() jumps to. */
static bool catches(const struct perl_walk *walk, const struct interp_stack *stack, unsigned native)
{
	uint64_t at = walk->interp + walk->layout->jumps;

	for (unsigned i = 0; at && i < JUMPS_MAX; i++) {
		if (at >= stack->sps[native] && at < stack->sps[native + 1])
			return true;
		if (i && at >= stack->sps[native + 1])
			return false; /* from here on they lie further out */
		at = perl_word(walk, at);
	}
	return false;
}

/* Returns the last native frame of the activation whose innermost is `native`.  An eval in a sub
 * that C code called runs the rest of the sub in another one: docatch() is all that lies between.
 */
static unsigned last_of_run(const struct perl_walk *walk, const struct interp_stack *stack,
			    unsigned native)
{
	while (native + 2 < stack->depth && interp_is_in(perl.loop, stack->pcs[native + 2]) &&
	       catches(walk, stack, native + 1))
		native += 2;
	return native;
}

/* Returns the number of activations. *has_main: the outermost one runs the main program.  0: that
 * is another interpreter's, because threads->create() and join() work in the name of another one.
 */
static unsigned count_runs(const struct perl_walk *walk, const struct interp_stack *stack,
			   bool *has_main)
{
	unsigned native = next_loop(stack, 0), count = 0, last = 0;

	for (; native < stack->depth; native = next_loop(stack, last + 1)) {
		last = last_of_run(walk, stack, native);
		count++;
	}
	*has_main =
		count && last + 1 < stack->depth && interp_is_in(perl.run, stack->pcs[last + 1]);
	return *has_main && !catches(walk, stack, last + 1) ? 0 : count;
}

/* Drops the functions of the innermost run. */
static void drop_first(struct perl_walk *walk, unsigned first)
{
	struct interp_places *places = walk->places;
	unsigned dropped = walk->first_places - first;

	for (unsigned i = first; i + dropped < places->count; i++) {
		places->place[i] = places->place[i + dropped];
		places->place[i].native--;
	}
	places->count -= dropped;
	walk->runs--;
}

/* True if the current operation is one that call_sv() makes for a call, in its native frame. */
static bool is_made_up(const struct perl_walk *walk)
{
	return walk->now.op >= walk->reader->stack_low && walk->now.op < walk->reader->stack_high;
}

/* Makes the number of runs that the contexts tell of that of native ones, without the `skipped`
 * innermost of these.  False: it cannot be. */
static bool settle(struct perl_walk *walk, unsigned first, unsigned natives, unsigned *skipped)
{
	*skipped = 0;
	if (walk->runs == natives)
		return true;
	if (walk->runs + 1 == natives && (walk->pending || !walk->now.op || is_made_up(walk))) {
		*skipped = 1; /* it has no call yet, or no longer */
		walk->pending = true;
		return true;
	}
	if (walk->runs != natives + 1 || walk->first_places > first + 1)
		return false;
	if (walk->idle > walk->first_is_idle && (!walk->first_is_idle || walk->now.op))
		return false; /* which of them is idle is not known */
	walk->pending |= !walk->first_is_idle;
	drop_first(walk, first);
	return true;
}

/* Replaces numbers of runs by native frames. */
static void place(const struct perl_walk *walk, const struct interp_stack *stack, unsigned first,
		  unsigned skipped)
{
	struct interp_places *places = walk->places;
	unsigned native = next_loop(stack, 0), run = 0;

	while (skipped--)
		native = next_loop(stack, last_of_run(walk, stack, native) + 1);
	for (unsigned i = first; i < places->count; i++) {
		for (; run < places->place[i].native; run++)
			native = next_loop(stack, last_of_run(walk, stack, native) + 1);
		places->place[i].native = native;
	}
}

MEMORY_RAW static bool read_interp(struct perl_walk *walk)
{
	/* Data of a loaded object.  NOLINTNEXTLINE(performance-no-int-to-ptr) */
	pthread_key_t key = *(const volatile pthread_key_t *)perl.key;
	const struct perl_interp *from;

	walk->interp = perl.get ? (uint64_t)perl.get(key) : 0;
	from = perl_read(walk, walk->interp, sizeof(*from));
	if (from)
		walk->now = *from;
	return from != NULL;
}

static enum interp_outcome walk(const struct interp_stack *stack, struct interp_reader *reader,
				struct interp_places *places)
{
	struct perl_walk walk = { .layout = perl.layout, .reader = reader, .places = places };
	unsigned first = places->count, natives, skipped;
	bool has_main;

	if (!perl.layout || next_loop(stack, 0) == stack->depth)
		return INTERP_NATIVE;
	if (!stack->complete)
		return INTERP_UNMERGED;
	if (!read_interp(&walk))
		return INTERP_NO_STATE;
	natives = count_runs(&walk, stack, &has_main);
	walk.first_places = first;
	if (!natives)
		return INTERP_UNMERGED;
	if (!perl_contexts_walk(&walk, has_main) || !settle(&walk, first, natives, &skipped))
		return INTERP_UNMERGED;
	place(&walk, stack, first, skipped);
	return walk.pending ? INTERP_PENDING : INTERP_MERGED;
}

const struct interp_runtime interp_perl = {
	.name = "Perl",
	.mark = "Perl_runops_standard",
	.start = start,
	.look = look,
	.walk = walk,
	.forget = forget,
};
