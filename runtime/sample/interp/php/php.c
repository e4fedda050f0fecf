/*
 * PHP 8.1 to 8.4 without threads (NTS): the chain of calls that `executor_globals` publishes, and
 * the native frames of execute_ex(), the engine's loop.
 *
 * One run of the loop executes a call that C made, marked as such in the chain, and all that PHP
 * code calls from there.  Who calls the loop needs the call's address after it, so it lies in the
 * loop's native frame (a saved register) or in its caller's; of a generator, the generator's
 * address.  That pairs runs with native frames.  A native frame without a call is a run that ends:
 * the chain is shortened first, and destructors may run then.  A call without a native frame is
 * about to begin.
 *
 * Only one thread runs PHP: the one with the loop on its stack.  A stack in which a frame is a
 * guess may show the loop in another thread, while PHP's own changes the chain.
 */
#include "runtime/sample/interp/php/php.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/sys/poison.h"

#define CURRENT	    488	   /* executor_globals.current_execute_data, 8.1 to 8.4 */
#define WINDOW_MAX  1024   /* bytes of a native frame that are searched */
#define CHAIN_MAX   20000  /* calls in a chain */
#define WORDS_MAX   500000 /* that a thorough pass compares */
#define SITES	    8	   /* that call the loop: C code has three */
#define FRAME_BYTES sizeof(struct php_frame)

/* By php_version_id() / 100; checked against the headers of each version. */
static const struct {
	uint32_t version;
	struct php_layout layout;
} layouts[] = {
	{ 801, { .last = 68, .opcodes = 72, .file = 144, .first_line = 152 } },
	{ 802, { .last = 80, .opcodes = 88, .file = 152, .first_line = 160 } },
	{ 803, { .last = 76, .opcodes = 80, .file = 144, .first_line = 152 } },
	{ 804, { .last = 96, .opcodes = 104, .file = 168, .first_line = 176 } },
};

/* W: look(), forget(), while no walk runs. */
static struct {
	const struct php_layout *layout;
	struct interp_range loop;
	uint64_t current;
	_Atomic uint64_t site[SITES]; /* that call the loop; 0: none yet.  W, R: walks */
	_Atomic uint64_t thread;      /* thread pointer of the one that runs PHP; likewise */
} php;

/* One walk. */
struct walk {
	const struct interp_stack *stack;
	struct interp_reader *reader;
	struct interp_places *places;
	unsigned first_place;
	unsigned native; /* next native frame to look at */
	bool is_plain;	 /* no frame of the loop was passed over */
	bool thorough;	 /* a call's frame is the outermost that holds it */
	unsigned words;	 /* compared so */
	uint64_t register_frame, register_opline;
};

/* A run of the loop in the chain: the calls from `head` to the one that C made. */
struct run {
	uint64_t head;
	unsigned calls;
	uint64_t mark; /* what its native frame or that one's caller holds; 0: the chain is over */
	uint64_t next;
};

/* php_version_id() is there since 8.3.  Fibers came with 8.1, and observers of classes with 8.2. */
static bool find_version(const struct interp_object *object, uint32_t *version)
{
	unsigned char code[PHP_VERSION_CODE_BYTES];
	uint64_t at, bytes;

	if (interp_object_symbol(object, "php_version_id", &at, &bytes)) {
		if (!memory_copy(code, at, sizeof(code)) || !php_version_decode(code, version))
			return false;
		*version /= 100;
		return true;
	}
	if (!interp_object_symbol(object, "zend_fiber_switch_context", &at, &bytes))
		*version = 0;
	else if (interp_object_symbol(object, "zend_observer_class_linked_register", &at, &bytes))
		*version = 802;
	else
		*version = 801;
	return true;
}

static bool look(const struct interp_object *object, const char **why)
{
	uint64_t at, bytes;
	struct interp_range loop;
	uint32_t version = 0;
	unsigned i = 0;

	if (!interp_object_range(object, "execute_ex", &loop))
		return false;
	if (!interp_object_symbol(object, "executor_globals", &at, &bytes)) {
		*why = "is built for threads (ZTS)";
		return false;
	}
	if (!find_version(object, &version)) {
		*why = "has a version that is not known";
		return false;
	}
	while (i < sizeof(layouts) / sizeof(*layouts) && layouts[i].version != version)
		i++;
	if (i == sizeof(layouts) / sizeof(*layouts) || bytes < CURRENT + sizeof(uint64_t)) {
		*why = "is not of versions 8.1 to 8.4";
		return false;
	}
	php.layout = &layouts[i].layout;
	php.loop = loop;
	php.current = at + CURRENT;
	atomic_store_explicit(&php.thread, 0, memory_order_relaxed);
	for (i = 0; i < SITES; i++)
		atomic_store_explicit(&php.site[i], 0, memory_order_relaxed);
	return true;
}

static void forget(void)
{
	php.layout = NULL;
}

/* Reads a call.  False: it cannot be read. */
MEMORY_RAW static bool read_frame(struct interp_reader *reader, uint64_t at,
				  struct php_frame *frame)
{
	const struct php_frame *from = at % 8 ? NULL : interp_read(reader, at, FRAME_BYTES);

	if (!from)
		return false;
	*frame = *from;
	return true;
}

/* What a call that needs a closer look is. */
enum call_kind {
	CALL_INNER,  /* the loop went on with it, or it is a C function's */
	CALL_TOP,    /* C called the loop for it */
	CALL_BOTTOM, /* of a fiber: what called the fiber is on another native stack */
	CALL_UNKNOWN,
};

MEMORY_RAW static enum call_kind kind_of(struct interp_reader *reader,
					 const struct php_frame *frame)
{
	bool top = frame->info & PHP_CALL_TOP, bottom = !frame->info && !frame->opline;
	const uint64_t *function;

	if (!frame->function || !(top || bottom))
		return CALL_INNER;
	function = interp_read(reader, frame->function, 2 * sizeof(*function));
	if (!function)
		return CALL_UNKNOWN;
	if ((uint8_t)function[0] != PHP_TYPE_INTERNAL)
		return top ? CALL_TOP : CALL_INNER;
	return bottom && !function[1] ? CALL_BOTTOM : CALL_INNER;
}

/* Finds the next run from run->next on.  False: the chain cannot be followed. */
static bool next_run(struct interp_reader *reader, struct run *run, unsigned *left)
{
	struct php_frame frame;

	*run = (struct run){ .head = run->next };
	for (uint64_t at = run->head; at; at = frame.caller) {
		if (!(*left)-- || !read_frame(reader, at, &frame))
			return false;
		run->calls++;
		switch (kind_of(reader, &frame)) {
		case CALL_INNER:
			continue;
		case CALL_TOP:
			run->mark = frame.info & PHP_CALL_GENERATOR ? frame.result : at;
			run->next = frame.caller;
			return run->mark != 0;
		case CALL_BOTTOM:
			return true;
		case CALL_UNKNOWN:
			return false;
		}
	}
	return true;
}

MEMORY_RAW static bool has_word(struct walk *walk, uint64_t low, uint64_t high, uint64_t word)
{
	if (low % 8 || high <= low)
		return false;
	for (uint64_t at = low; at < high && at - low < WINDOW_MAX; at += INTERP_READ_MAX) {
		size_t bytes = high - at < INTERP_READ_MAX ? high - at : INTERP_READ_MAX;
		const uint64_t *words = interp_read(walk->reader, at, bytes);

		walk->words += walk->thorough ? (unsigned)(bytes / 8) : 0;
		for (size_t i = 0; words && i < bytes / 8; i++)
			if (words[i] == word)
				return true;
	}
	return false;
}

/* True if the native frame's caller holds the word: in a register that the frame saved, or in its
 * own frame. */
static bool holds(struct walk *walk, unsigned native, uint64_t word)
{
	const struct interp_stack *stack = walk->stack;
	uint64_t low = stack->sps[native], high = stack->sps[native + 1];

	if (high - low > php_saved_bytes)
		low = high - php_saved_bytes; /* what it saved is at its high end */
	if (has_word(walk, low, high, word))
		return true;
	return native + 2 <= stack->depth &&
	       has_word(walk, stack->sps[native + 1], stack->sps[native + 2], word);
}

static bool is_site(uint64_t pc)
{
	for (unsigned i = 0; i < SITES; i++)
		if (atomic_load_explicit(&php.site[i], memory_order_relaxed) == pc)
			return true;
	return false;
}

/* Remembers where the loop is called.  Two threads may lose one. */
static void learn_site(uint64_t pc)
{
	unsigned i = 0;

	if (is_site(pc))
		return;
	while (i < SITES && atomic_load_explicit(&php.site[i], memory_order_relaxed))
		i++;
	if (i < SITES)
		atomic_store_explicit(&php.site[i], pc, memory_order_relaxed);
}

/* True if the native frame is the loop's.  Compilers put unlikely parts of it elsewhere, and code
 * that is compiled at run time takes over its frame: then its caller is code that has called the
 * loop before. */
static bool is_loop(const struct interp_stack *stack, unsigned native)
{
	if (interp_is_in(php.loop, stack->pcs[native]))
		return true;
	return native + 1 < stack->depth && is_site(stack->pcs[native + 1]);
}

/* Returns the loop's first native frame from `native` on, or the depth if there is none. */
static unsigned next_loop(const struct interp_stack *stack, unsigned native)
{
	while (native < stack->depth && !is_loop(stack, native))
		native++;
	return native;
}

/* Returns the native frame that runs the run, or the depth if there is none. */
static unsigned find_native(struct walk *walk, const struct run *run)
{
	const struct interp_stack *stack = walk->stack;
	unsigned first = next_loop(stack, walk->native), found = stack->depth;

	/* the leaf's frame may not have a caller that is known */
	if (!first && walk->register_frame == run->head)
		return 0;
	for (unsigned i = first; i < stack->depth; i = next_loop(stack, i + 1)) {
		if (!holds(walk, i, run->mark))
			continue;
		found = i;
		if (!walk->thorough)
			break;
	}
	if (found != first)
		walk->is_plain = false;
	else if (stack->complete && found + 1 < stack->depth)
		learn_site(stack->pcs[found + 1]);
	return found;
}

/* False: there is no room for more functions. */
static bool place(const struct walk *walk, const struct run *run, uint32_t native)
{
	uint64_t at = run->head;
	struct php_frame frame;

	for (unsigned i = 0; i < run->calls && read_frame(walk->reader, at, &frame); i++) {
		bool is_saved = walk->native || i; /* its opline */
		uint64_t opline =
			!is_saved && at == walk->register_frame ? walk->register_opline : 0;
		uint64_t pc = php_function_pc(walk->reader, php.layout, &frame, opline);

		if (pc && !interp_place_add(walk->places, native, pc))
			return false;
		at = frame.caller;
	}
	return true;
}

/* Pairs all runs of the chain from `head` on. */
static enum interp_outcome pair(struct walk *walk, uint64_t head)
{
	enum interp_outcome outcome = INTERP_MERGED;
	struct run run = { .next = head };
	unsigned left = CHAIN_MAX, depth = walk->stack->depth;

	walk->native = 0;
	walk->places->count = walk->first_place;
	for (bool first = true;; first = false) {
		unsigned native;

		if (!next_run(walk->reader, &run, &left) || walk->words > WORDS_MAX)
			return INTERP_UNMERGED;
		if (!run.mark)
			break;
		native = find_native(walk, &run);
		if (native == depth && first && run.calls == 1) {
			outcome = INTERP_PENDING;
			continue;
		}
		if (native == depth)
			return walk->stack->ends || !walk->native ? INTERP_UNMERGED : outcome;
		if (!walk->native && next_loop(walk->stack, 0) < native)
			outcome = INTERP_PENDING;
		if (!place(walk, &run, native))
			return outcome;
		walk->native = native + 1;
	}
	if (!walk->native)
		return INTERP_PENDING;
	return next_loop(walk->stack, walk->native) < depth ? INTERP_UNMERGED : outcome;
}

/* Usually each of the loop's native frames holds a call, in the same order.  Where a run is ending,
 * its frames may hold calls further out, but frames never hold calls that came later. */
static enum interp_outcome pair_twice(struct walk *walk, uint64_t head)
{
	enum interp_outcome outcome;

	walk->is_plain = true;
	outcome = pair(walk, head);
	if (outcome != INTERP_UNMERGED && walk->is_plain)
		return outcome;
	walk->thorough = true;
	return pair(walk, head);
}

/* True if another thread runs PHP: a stack without a guess shows which one does. */
static bool is_others(bool complete)
{
	uint64_t own = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	uint64_t known = atomic_load_explicit(&php.thread, memory_order_relaxed);

	if (complete && known != own)
		atomic_store_explicit(&php.thread, own, memory_order_relaxed);
	return !complete && known && known != own;
}

MEMORY_RAW static enum interp_outcome
walk(const struct interp_stack *stack, struct interp_reader *reader, struct interp_places *places)
{
	struct walk walk = { .stack = stack, .reader = reader, .places = places };
	const uint64_t *current;

	if (!php.layout || next_loop(stack, 0) == stack->depth)
		return INTERP_NATIVE;
	if (is_others(stack->complete))
		return INTERP_NO_STATE;
	current = interp_read(reader, php.current, sizeof(*current));
	if (!current)
		return INTERP_UNMERGED;
	walk.first_place = places->count;
	php_registers(stack->context, &walk.register_frame, &walk.register_opline);
	return pair_twice(&walk, *current);
}

const struct interp_runtime interp_php = {
	.name = "PHP",
	.mark = "execute_ex",
	.look = look,
	.walk = walk,
	.forget = forget,
};
