/*
 * The code is followed from the frame's address until it returns: past calls, past conditional
 * jumps as if they were not taken, and along unconditional jumps.  Where the path reaches code that
 * was seen before or that is not understood, it goes back to the last conditional jump and takes
 * it.
 *
 * In run-time compiled code, a jump to an unknown destination may leave the function as well: an
 * interpreter's code for one operation jumps to that for the next.  Where no path returns, the
 * first such jump counts as the return.
 *
 * The stack pointer is tracked as a distance from the present value of rsp or rbp.  So is rbp, or
 * the stack slot that it will be loaded from.
 */
#include "runtime/sample/unwind/unwind_return_x86_64.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_ask.h"

#define KEY_BITS	 (3ULL << 46) /* in no address of a process and no verdict on a call */
#define INSTRUCTIONS_MAX 2000
#define JUMPS_MAX	 32
#define CODE_BYTES	 1024 /* each read is a system call: most functions are shorter */

enum from { FROM_SP, FROM_FP, FROM_NOWHERE };

struct place {
	enum from from;
	int64_t delta;
};

struct state {
	uint64_t pc;
	struct place sp;
	struct place fp;
	bool fp_loaded; /* it will be loaded from the word at `fp` */
};

struct path {
	const struct unwind_walk *walk;
	struct state now;
	struct state later[JUMPS_MAX]; /* conditional jumps not taken */
	uint64_t seen[JUMPS_MAX];      /* targets of jumps that were taken */
	struct state left;	       /* at the first jump to an unknown destination */
	bool has_left;
	unsigned later_count;
	unsigned seen_count;
	uint64_t code_at;
	unsigned code_bytes;
	uint8_t code[CODE_BYTES];
};

/* Reads the code at an address, up to the end of its block if an instruction may end before.  The
 * next block may be that of a page that is not mapped. */
static void read_block(struct path *path, uint64_t pc)
{
	unsigned room = (unsigned)(UNWIND_MEMORY_BLOCK - pc % UNWIND_MEMORY_BLOCK);
	unsigned bytes = room < CODE_BYTES && room >= UNWIND_INSTRUCTION_MAX ? room : CODE_BYTES;

	path->code_at = pc;
	path->code_bytes = bytes;
	if (unwind_ask_code(path->walk, path->code, pc, bytes))
		return;
	path->code_bytes =
		room < bytes && unwind_ask_code(path->walk, path->code, pc, room) ? room : 0;
}

static bool read_code(struct path *path, struct unwind_instruction *found)
{
	uint64_t inside = path->now.pc - path->code_at;

	if (inside < path->code_bytes &&
	    unwind_decode(path->code + inside, path->code_bytes - (unsigned)inside, found))
		return true;
	read_block(path, path->now.pc);
	return unwind_decode(path->code, path->code_bytes, found);
}

static bool take_later(struct path *path)
{
	if (!path->later_count)
		return false;
	path->now = path->later[--path->later_count];
	return true;
}

static bool jump(struct path *path, uint64_t target)
{
	for (unsigned i = 0; i < path->seen_count; i++)
		if (path->seen[i] == target)
			return take_later(path);
	if (path->seen_count == JUMPS_MAX)
		return take_later(path);
	path->seen[path->seen_count++] = target;
	path->now.pc = target;
	return true;
}

static void may_jump(struct path *path, uint64_t target)
{
	if (path->later_count == JUMPS_MAX)
		return;
	path->later[path->later_count] = path->now;
	path->later[path->later_count++].pc = target;
}

/* Ends the path at a jump to an unknown destination. */
static bool leave(struct path *path)
{
	if (!path->has_left)
		path->left = path->now;
	path->has_left = true;
	return take_later(path);
}

static void popped(struct state *now, bool into_fp)
{
	if (into_fp) {
		now->fp = now->sp;
		now->fp_loaded = true;
	}
	now->sp.delta += 8;
}

/* Makes a place that rbp holds the new value of rsp. */
static struct place from_fp(const struct state *now, int64_t delta)
{
	return (struct place){ now->fp_loaded ? FROM_NOWHERE : now->fp.from,
			       now->fp.delta + delta };
}

/* Follows push and pop in all forms, and leave.  Operations have the numbers of Intel's tables; rsp
 * is 4, rbp 5. */
static bool follow_push(struct state *now, const struct unwind_instruction *in)
{
	unsigned operation = in->operation, middle = in->modrm >> 3 & 7;

	if ((operation & 0xf8) == 0x50 || operation == 0x68 || operation == 0x6a ||
	    operation == 0x9c || (operation == 0xff && middle == 6)) {
		now->sp.delta -= 8;
		return true;
	}
	if (operation == 0xc9)
		now->sp = from_fp(now, 0);
	else if ((operation & 0xf8) != 0x58 && operation != 0x8f && operation != 0x9d)
		return false;
	popped(now, operation == 0xc9 || (operation == 0x5d && !(in->rex & 1)));
	return true;
}

/* Follows mov and lea into rsp, and mov from rsp into rbp. */
static void follow_move(struct state *now, const struct unwind_instruction *in)
{
	bool loads = in->operation != 0x89; /* the register in the middle is written, not read */
	unsigned middle = (in->modrm >> 3 & 7U) | (in->rex & 4U) << 1;
	unsigned last = (in->modrm & 7U) | (in->rex & 1U) << 3;
	bool is_lea = in->operation == 0x8d, registers = in->modrm >> 6 == 3;
	unsigned to = loads ? middle : last, from = loads ? last : middle;

	if (!loads && !registers)
		return;
	if (to == 5 && from == 4 && registers && !is_lea) {
		now->fp = now->sp;
		now->fp_loaded = false;
	} else if (to != 4) {
		return;
	} else if (is_lea && last == 4 && in->sib == 0x24 && !(in->rex & 2)) {
		now->sp.delta += in->offset;
	} else if (from == 5 && (is_lea ? in->modrm >> 6 : registers)) {
		now->sp = from_fp(now, in->offset);
	} else {
		now->sp.from = FROM_NOWHERE;
	}
}

/* Follows arithmetic with an immediate: add and sub change rsp, cmp changes nothing. */
static void follow_number(struct state *now, const struct unwind_instruction *in)
{
	unsigned middle = in->modrm >> 3 & 7;

	if ((in->modrm & 0xc7) != 0xc4 || (in->rex & 1) || middle == 7)
		return;
	if (middle == 0)
		now->sp.delta += in->value;
	else if (middle == 5)
		now->sp.delta -= in->value;
	else
		now->sp.from = FROM_NOWHERE;
}

static void follow_stack(struct state *now, const struct unwind_instruction *in)
{
	if (follow_push(now, in))
		return;
	if (in->operation == 0x89 || in->operation == 0x8b || in->operation == 0x8d)
		follow_move(now, in);
	else if (in->operation == 0x81 || in->operation == 0x83)
		follow_number(now, in);
}

/* Follows one instruction.  Returns false if the path ends here, or if the function returns
 * (*found). */
static bool step(struct path *path, bool *found)
{
	struct unwind_instruction in;
	uint64_t target;

	if (path->now.sp.from == FROM_NOWHERE || !read_code(path, &in))
		return take_later(path);
	path->now.pc += in.bytes;
	target = path->now.pc + (uint64_t)in.value;
	if (in.map == 1 && (in.operation & 0xf0) == 0x80)
		may_jump(path, target);
	if (in.map)
		return true;
	*found = in.operation == 0xc3 || in.operation == 0xc2;
	if (*found)
		return false;
	if (in.operation == 0xe9 || in.operation == 0xeb)
		return jump(path, target);
	if (in.operation == 0xff && (in.modrm >> 3 & 6) == 4)
		return leave(path);
	if (in.operation == 0xcc || in.operation == 0xf4)
		return take_later(path); /* int3, hlt */
	if ((in.operation & 0xf0) == 0x70)
		may_jump(path, target);
	else
		follow_stack(&path->now, &in);
	return true;
}

/* Returns the slot of the caller's frame pointer.  A place below the present stack pointer has not
 * been pushed yet: there rbp is unchanged.  If rbp points right below the return address in the
 * end, the code has made that frame, however it restores rbp: V8's does so by a load. */
static int64_t frame_slot(const struct state *end)
{
	bool is_pair = end->fp.from == end->sp.from && end->fp.delta == end->sp.delta - 8;

	if (!end->fp_loaded && end->fp.from == FROM_FP && !end->fp.delta)
		return RULE_SLOT_SAME;
	if (!end->fp_loaded && !is_pair)
		return RULE_SLOT_LOST;
	if (end->fp.from == FROM_SP && end->fp.delta < 0)
		return RULE_SLOT_SAME;
	if (end->fp.from != end->sp.from || !rule_slot_fits(end->fp.delta))
		return RULE_SLOT_LOST;
	return end->fp.delta / 8;
}

/* Encodes the slot of the return address, relative to the stack or frame pointer, as a rule. */
static uint64_t as_rule(const struct state *end)
{
	if (end->sp.from == FROM_NOWHERE || !rule_offset_fits(end->sp.delta) || (end->sp.delta & 7))
		return rule_make(RULE_RETURN, 0, RULE_SLOT_SAME, FROM_NOWHERE);
	return rule_make(RULE_RETURN, end->sp.delta, frame_slot(end), end->sp.from);
}

static void begin(struct path *path, const struct unwind_walk *walk, uint64_t pc)
{
	memset(path, 0, offsetof(struct path, code));
	path->walk = walk;
	path->now.pc = pc;
	path->now.fp.from = FROM_FP;
}

static uint64_t find(const struct unwind_walk *walk, uint64_t pc)
{
	struct path path;
	bool found = false;

	begin(&path, walk, pc);
	for (unsigned i = 0; i < INSTRUCTIONS_MAX; i++)
		if (!step(&path, &found))
			break;
	if (!found && path.has_left)
		path.now = path.left;
	else if (!found)
		path.now.sp.from = FROM_NOWHERE;
	return as_rule(&path.now);
}

static uint64_t rule_of(struct unwind_walk *walk, uint64_t pc)
{
	uint64_t key = pc ^ KEY_BITS;
	uint64_t rule = rule_table_find(key, walk->generation);

	if (rule_type(rule) == RULE_RETURN)
		return rule;
	if (!unwind_ask_has_room(walk))
		return rule_make(RULE_RETURN, 0, RULE_SLOT_SAME, FROM_NOWHERE);
	rule = find(walk, pc);
	unwind_ask_keep(walk, key, rule);
	return rule;
}

MEMORY_RAW uint64_t unwind_return_slot(struct unwind_walk *walk, uint64_t *frame)
{
	uint64_t rule = rule_of(walk, walk->since ? walk->pc + 1 : walk->pc);
	uint64_t base = rule_other(rule) == FROM_SP ? walk->sp : walk->fp;
	uint64_t slot = base + (uint64_t)rule_offset(rule);
	uint64_t saved = base + (uint64_t)(rule_frame(rule) * 8);

	if (rule_other(rule) == FROM_NOWHERE || slot < walk->sp ||
	    !unwind_range_holds(&walk->range, slot))
		return 0;
	*frame = walk->fp;
	if (rule_frame(rule) != RULE_SLOT_SAME)
		*frame = rule_frame(rule) != RULE_SLOT_LOST &&
					 unwind_range_holds(&walk->range, saved)
				 ? unwind_range_load(saved)
				 : 0;
	return slot;
}

bool unwind_return_begun(const struct unwind_walk *walk, uint64_t entry, uint64_t pc, int64_t bytes)
{
	struct unwind_instruction in;
	struct path path;
	bool found = false;

	begin(&path, walk, entry);
	while (path.now.pc < pc) {
		uint64_t next;

		if (!read_code(&path, &in))
			return false;
		next = path.now.pc + in.bytes;
		if (!step(&path, &found) || path.now.pc != next)
			return false; /* it has jumped or returned */
	}
	return path.now.pc == pc && path.now.sp.from == FROM_SP && path.now.sp.delta == -bytes;
}
