/*
 * Ruby's functions, paired with native frames by address.
 *
 * Every activation of vm_exec() keeps a tag in its native frame, and the tag holds the address in
 * vm_exec() that jumps arrive at.  So the chain of tags gives the native frame of each activation.
 * Each runs the control frames down to one with the flag FINISH.  Activations and runs are paired
 * from the outermost on, because only the innermost can be incomplete: a run is pushed shortly
 * before its tag, and popped shortly before it; and after a jump, runs without a tag are left until
 * their frames are dropped.
 *
 * vm_exec() is seldom exported.  Its arrival address is learnt from the first stack in which it
 * calls vm_exec_core(), which in turn is the function that holds Ruby's instructions.
 */
#include <stdatomic.h>

#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/interp/ruby/ruby.h"
#include "runtime/sample/sys/poison.h"

#define FRAMES_MAX 200000
#define TAGS_MAX   20000
#define TRIES_MAX  64 /* to learn where vm_exec() is; then only one walk in so many tries */

/* The object that was looked at.  W: look.  R: walks */
static struct {
	const struct ruby_layout *layout;
	struct ruby_variable variable;
	uint64_t start, end;
} ruby;

/* W: any walk that does not know them yet, `arrival` last; all learn the same.  R: walks */
static struct {
	_Atomic uint64_t low, high; /* of vm_exec_core() */
	_Atomic uint32_t jumps;	    /* enum ruby_jumps */
	_Atomic uint64_t arrival;   /* in vm_exec(), as tags have it; 0: not known yet */
	_Atomic uint32_t tries;	    /* W: each walk that does not know it */
} learnt;

struct walk {
	const struct interp_stack *stack;
	struct interp_places *places;
	struct ruby_frames frames;
	struct ruby_code_walk code;
	enum ruby_jumps jumps;
	uint64_t arrival, low, high;
	struct ruby_tag tag; /* of the current activation */
	uint32_t native;     /* its native frame */
	uint32_t frame;	     /* the next control frame */
};

static bool look(const struct interp_object *object, const char **why)
{
	uint32_t version[3];
	uint64_t address, bytes;

	if (!interp_object_symbol(object, "ruby_api_version", &address, &bytes) ||
	    bytes != sizeof(version) || !memory_copy(version, address, sizeof(version)))
		return false;
	ruby.layout = ruby_layout_find(version[0], version[1]);
	if (!ruby.layout) {
		*why = "of this version is not known";
		return false;
	}
	if (!interp_object_symbol(object, "rb_current_receiver", &address, &bytes) ||
	    !ruby_variable_decode(address, &ruby.variable)) {
		*why = "of this build is not known";
		return false;
	}
	if (interp_object_symbol(object, "rb_cObject", &address, &bytes))
		ruby_class_start(address);
	ruby.start = object->start;
	ruby.end = object->end;
	return true;
}

static void forget(void)
{
	atomic_store_explicit(&learnt.arrival, 0, memory_order_relaxed);
	atomic_store_explicit(&learnt.tries, 0, memory_order_relaxed);
	ruby_code_forget();
}

static bool is_core(const struct walk *walk, uint32_t native)
{
	return walk->stack->pcs[native] - walk->low < walk->high - walk->low;
}

/* Returns true with the innermost tag of a native frame, or of the one that called it. */
static bool find_tag(struct walk *walk, uint32_t native, struct ruby_tag *tag)
{
	uint32_t last = native + 2 < walk->stack->depth ? native + 2 : walk->stack->depth;
	uint64_t at = walk->frames.tag;

	for (uint32_t i = 0; at && i < TAGS_MAX; i++, at = tag->outer) {
		if (!ruby_tag_get(walk->frames.reader, walk->jumps, at, tag))
			return false;
		if (at >= walk->stack->sps[native])
			return at < walk->stack->sps[last];
	}
	return false;
}

/* Finds the tag of vm_exec(), which calls vm_exec_core(). */
static bool find_vm_exec(struct walk *walk)
{
	struct ruby_tag tag;

	for (uint32_t i = 0; i < walk->stack->depth; i++) {
		uint64_t target;

		if (!is_core(walk, i) || !find_tag(walk, i, &tag))
			continue;
		target = walk->jumps == RUBY_JUMPS_LIBC ? ruby_variable_jump(tag.arrival)
							: tag.arrival;
		if (target - ruby.start >= ruby.end - ruby.start)
			continue;
		walk->arrival = tag.arrival;
		return true;
	}
	return false;
}

/* Gets the bounds of the native function that an address lies in, from its object's unwind
 * information: where a function ends is where the next one begins.  False: there is none, or
 * another thread unwinds now. */
static bool function_bounds(uint64_t address, uint64_t *low, uint64_t *high)
{
	struct unwind_entry entry = { 0 };
	struct unwind_module *module;
	bool found;

	if (!unwind_lock_try())
		return false;
	module = unwind_module_find(address);
	found = module && unwind_module_entry(module, address, &entry);
	unwind_lock_release();
	*low = entry.start;
	*high = entry.next;
	return found && address < entry.next;
}

/* Learns where vm_exec() and vm_exec_core() are, if the stack shows it. */
static bool learn(struct walk *walk, uint64_t iseq)
{
	uint32_t tries = atomic_fetch_add_explicit(&learnt.tries, 1, memory_order_relaxed);
	uint64_t code;

	if (tries > TRIES_MAX && tries % TRIES_MAX)
		return false;
	code = ruby_code_first(walk->frames.reader, iseq);
	if (code - ruby.start >= ruby.end - ruby.start ||
	    !function_bounds(code, &walk->low, &walk->high))
		return false;
	for (walk->jumps = 0; walk->jumps < RUBY_JUMPS_KINDS; walk->jumps++) {
		if (!find_vm_exec(walk))
			continue;
		atomic_store_explicit(&learnt.low, walk->low, memory_order_relaxed);
		atomic_store_explicit(&learnt.high, walk->high, memory_order_relaxed);
		atomic_store_explicit(&learnt.jumps, walk->jumps, memory_order_relaxed);
		/* pairs with the load in recall() */
		atomic_store_explicit(&learnt.arrival, walk->arrival, memory_order_release);
		return true;
	}
	return false;
}

/* Fills in what earlier walks have learnt. */
static void recall(struct walk *walk)
{
	walk->arrival = atomic_load_explicit(&learnt.arrival, memory_order_acquire);
	walk->jumps = atomic_load_explicit(&learnt.jumps, memory_order_relaxed);
	walk->low = atomic_load_explicit(&learnt.low, memory_order_relaxed);
	walk->high = atomic_load_explicit(&learnt.high, memory_order_relaxed);
}

/* Finds the newest function of the program; 0: there is none. */
static uint64_t newest_function(struct walk *walk)
{
	struct ruby_frame frame;

	for (uint32_t i = 0; i < walk->frames.count; i++) {
		if (!ruby_frames_get(&walk->frames, i, &frame))
			return 0;
		if (!frame.is_native)
			return frame.iseq;
	}
	return 0;
}

/* Counts activations of vm_exec(); false: the chain of tags cannot be read. */
static bool count_activations(struct walk *walk, uint32_t *count)
{
	struct ruby_tag tag = { .outer = walk->frames.tag };

	*count = 0;
	for (uint32_t i = 0; tag.outer; i++) {
		if (i == TAGS_MAX ||
		    !ruby_tag_get(walk->frames.reader, walk->jumps, tag.outer, &tag))
			return false;
		*count += tag.arrival == walk->arrival;
	}
	return true;
}

static bool count_runs(struct walk *walk, uint32_t *count)
{
	struct ruby_frame frame;

	*count = 0;
	if (walk->frames.count > FRAMES_MAX)
		return false;
	for (uint32_t i = 0; i < walk->frames.count; i++) {
		if (!ruby_frames_get(&walk->frames, i, &frame))
			return false;
		*count += frame.begins_run;
	}
	return true;
}

/* Goes on to the next outer activation. */
static bool next_activation(struct walk *walk)
{
	do {
		if (!walk->tag.outer ||
		    !ruby_tag_get(walk->frames.reader, walk->jumps, walk->tag.outer, &walk->tag))
			return false;
	} while (walk->tag.arrival != walk->arrival);
	return true;
}

/* Finds the native frame of the current activation.  False: there is none, or a frame of
 * vm_exec_core() before it belongs to no activation.  The leaf may be such a frame: one that
 * returns, or that only says where its instructions are. */
static bool find_native(struct walk *walk)
{
	const struct interp_stack *stack = walk->stack;

	for (; walk->native + 1 < stack->depth; walk->native++) {
		if (walk->tag.address < stack->sps[walk->native + 1])
			return walk->tag.address >= stack->sps[walk->native];
		if (walk->native && is_core(walk, walk->native) &&
		    walk->native + 2 < stack->depth &&
		    walk->tag.address >= stack->sps[walk->native + 2])
			return false;
	}
	return false;
}

/* Skips the frames of the innermost runs. */
static bool skip_runs(struct walk *walk, uint32_t count)
{
	struct ruby_frame frame;

	for (; count; walk->frame++) {
		if (!ruby_frames_get(&walk->frames, walk->frame, &frame))
			return false;
		count -= frame.begins_run;
	}
	return true;
}

/* Adds the functions of a run.  One that lies above a method in C without beginning a run is being
 * pushed by that method: it is dropped, and *pending grows. */
static bool add_run(struct walk *walk, uint32_t *pending)
{
	uint32_t native = walk->native, first = walk->places->count;
	struct ruby_frame frame = { 0 };
	uint64_t pc;

	if (native && is_core(walk, native - 1))
		native--;
	for (; !frame.begins_run && walk->frame < walk->frames.count; walk->frame++) {
		if (!ruby_frames_get(&walk->frames, walk->frame, &frame))
			return false;
		if (frame.is_native) {
			*pending += walk->places->count > first;
			walk->places->count = first;
			continue;
		}
		if (!ruby_code_pc(&walk->frames, &frame, &walk->code, &pc))
			return false;
		if (!interp_place_add(walk->places, native, pc)) {
			walk->frame = walk->frames.count; /* the outermost are cut */
			return true;
		}
	}
	return frame.begins_run;
}

/* Pairs the activations with the runs. */
static enum interp_outcome pair(struct walk *walk, uint32_t activations, uint32_t runs)
{
	uint32_t pending = activations != runs;

	walk->tag.outer = walk->frames.tag;
	if (runs > activations && !skip_runs(walk, runs - activations))
		return INTERP_UNMERGED;
	if (activations > runs && !next_activation(walk))
		return INTERP_UNMERGED;
	for (uint32_t i = 0; i < runs && i < activations && walk->frame < walk->frames.count; i++) {
		uint32_t before = pending;

		if (!next_activation(walk))
			return INTERP_UNMERGED;
		if (!find_native(walk)) {
			if (!walk->stack->complete && walk->native + 1 >= walk->stack->depth)
				break; /* further out than the frames that were found */
			return i ? INTERP_UNMERGED : INTERP_NO_STATE;
		}
		if (!add_run(walk, &pending) || (i && pending > before))
			return INTERP_UNMERGED;
	}
	return pending ? INTERP_PENDING : INTERP_MERGED;
}

static enum interp_outcome walk_stack(const struct interp_stack *stack,
				      struct interp_reader *reader, struct interp_places *places)
{
	struct walk walk = { .stack = stack, .places = places };
	uint64_t variable = ruby_variable_address(&ruby.variable, reader);
	uint32_t activations, runs;

	recall(&walk);
	if (!variable || !ruby_frames_open(ruby.layout, reader, variable, &walk.frames))
		return INTERP_NO_STATE;
	if (!walk.arrival) {
		uint64_t iseq = newest_function(&walk);

		if (!iseq || !learn(&walk, iseq))
			return iseq ? INTERP_NO_STATE : INTERP_MERGED;
	}
	if (!count_activations(&walk, &activations) || !count_runs(&walk, &runs) ||
	    activations > runs + 1)
		return INTERP_UNMERGED;
	return pair(&walk, activations, runs);
}

const struct interp_runtime interp_ruby = {
	.name = "Ruby",
	.mark = "ruby_api_version",
	.start = ruby_variable_start,
	.look = look,
	.walk = walk_stack,
	.forget = forget,
};
