/*
 * The parts of the CPython runtime (interp_runtime.h): what is known of a loaded interpreter, the
 * state of a thread, the identity of a function, and the two ways to find the frames.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/spool/format_code.h"

/* How the frames of a version are linked. */
enum cpython_frames {
	CPYTHON_OBJECTS, /* 3.9, 3.10: one object a frame, and one run of the loop a frame */
	CPYTHON_CFRAMES, /* 3.11: each run of the loop has a _PyCFrame on the native stack */
	CPYTHON_BOTH,	 /* 3.12: that, and an entry frame */
	CPYTHON_ENTRIES, /* 3.13, 3.14: each run of the loop has an entry frame on the native stack
			  */
};

#define CPYTHON_OWNER_GENERATOR 1  /* of a frame */
#define CPYTHON_CODE_UNIT	2  /* bytes of an instruction */
#define CPYTHON_FRAME_SLOT	8  /* bytes of a local variable */
#define CPYTHON_TYPE		8  /* object: its type */
#define CPYTHON_SIZE		16 /* object of variable size, str, bytes: its length */
#define CPYTHON_HASH		24 /* str, bytes */
#define CPYTHON_STR_STATE	32
#define CPYTHON_BYTES_DATA	32
#define CPYTHON_STATE_NEXT	8   /* thread state: the next one of its interpreter */
#define CPYTHON_STATE_INTERP	16  /* thread state: the interpreter that it belongs to */
#define CPYTHON_STATE_BYTES	192 /* of a thread state, enough for all that is read of it */
#define CPYTHON_CODE_BYTES	144 /* of a code object */
#define CPYTHON_TYPE_MEMBERS	240 /* type: its members … */
#define CPYTHON_MEMBER_BYTES	40  /* … each has its name first … */
#define CPYTHON_MEMBER_OFFSET	16  /* … and its offset here */

/* Where a minor version keeps what a walk needs.  Offsets are in bytes, of the processor that this
 * is compiled for.  They hold for builds with the global lock: a free-threaded build has other
 * structures. */
struct cpython_layout {
	unsigned minor;
	enum cpython_frames frames;
	enum spool_lines lines;

	/* _PyRuntime */
	uint16_t finalizing;   /* the state of the thread that ends the interpreter */
	uint16_t key;	       /* {int initialised; pthread_key_t key;} of a thread's own state */
	uint16_t current;      /* the state that holds the lock; 0: there is none */
	uint16_t interpreters; /* the newest interpreter; the main one is the word behind */

	/* PyInterpreterState */
	uint16_t collecting;  /* int: the garbage collector runs */
	uint16_t next_interp; /* the next older interpreter; 0 in the oldest one */
	uint16_t threads;     /* its newest thread state; not below next_interp */

	/* PyThreadState */
	uint16_t head; /* the innermost frame or _PyCFrame */
	uint16_t thread;
	uint16_t status; /* byte with `active`, from 3.12 on */

	/* _PyCFrame */
	uint16_t cframe_frame, cframe_previous;

	/* _PyInterpreterFrame, or PyFrameObject */
	uint16_t code, previous, pc, marker, owner;
	uint16_t generator_frame; /* in a generator object */
	uint16_t frame_bytes;	  /* that are read of it */
	uint16_t specials;	  /* bytes before the local variables */
	uint8_t marker_value;	  /* at `marker`: the loop was entered with this frame; until 3.10,
				   * the frame executes */
	uint8_t pc_unit;	  /* pc is a number of these, not an address; 0: an address */
	uint8_t code_tag;	  /* bits of the pointer to the code that are not part of it */
	uint8_t status_attached;  /* bits in `status`: this thread holds the lock */

	/* PyCodeObject */
	uint16_t first_line, file, name, qualified, table, start;
	uint16_t locals, stack; /* ints: the numbers of slots in a frame */
	uint16_t version;	/* uint32: another for each code object made; 0: there is none */

	/* PyUnicodeObject */
	uint16_t ascii_data, compact_data;
};

/* Whether cpython.cold and cpython.collector are known. */
enum cpython_parts { CPYTHON_PARTS_UNKNOWN, CPYTHON_PARTS_SOUGHT, CPYTHON_PARTS_KNOWN };

/* A loaded interpreter.  W: cpython_look(), before it is published.  R: walks. */
struct cpython {
	const struct cpython_layout *layout;
	uint64_t start, end; /* its mappings */
	uint64_t runtime;    /* _PyRuntime */
	uint64_t code_type, str_type, bytes_type;
	uint64_t none;		       /* None */
	struct interp_range collect;   /* PyGC_Collect; empty: not known */
	struct interp_range collector; /* what PyGC_Collect calls to collect; likewise */
	struct interp_range eval;      /* _PyEval_EvalFrameDefault … */
	struct interp_range cold;      /* … and its part that lies elsewhere */
	_Atomic uint32_t parts; /* an enum cpython_parts; `cold` and `collector` belong to it */
	/* Distance of a _PyCFrame from its native frame's CFA, the same in all runs of the loop; 0:
	 * not known yet.  W, R: walks */
	_Atomic uint32_t distance;
};

/* The calling thread's state. */
struct cpython_state {
	uint64_t address;
	uint64_t head;	 /* the innermost frame or _PyCFrame */
	uint64_t interp; /* PyInterpreterState */
	bool attached;	 /* it holds the interpreter's lock, or 3.12 is swapping it in or out */
	bool ending;	 /* it ends the interpreter */
};

/* One walk. */
struct cpython_walk {
	struct cpython *python;
	const struct interp_stack *stack;
	struct interp_reader *reader;
	struct interp_places *places;
	struct cpython_state state;
	unsigned native; /* native frames below this one have their functions */
	unsigned steps;	 /* frames so far */
	bool held;	 /* what is reached now is certainly live */
	bool full;	 /* there is no room for further functions */
	bool unsure;	 /* the innermost run may have functions that were not found */
};

#define CPYTHON_STEPS_MAX \
	20000 /* frames of a walk: more than a stack keeps, as all lead to its end */
#define CPYTHON_OTHERS_MAX 8
#define CPYTHON_NO_FRAME   0xffffffffu

/* Learn what the object publishes: fill in *python.  Returns NULL, or a static text that says why
 * it cannot be used.  Context: init, signal. */
const char *cpython_look(struct cpython *python, const struct interp_object *object);

/* Find the parts of the code that no symbol tells.  False: another thread does, or unwinds now; ask
 * again.  Context: init, signal. */
bool cpython_parts_find(struct cpython *python);

/* Find libc's functions that tell a thread's own state.  Context: init. */
void cpython_state_start(void);

/* Get the calling thread's state, read without trust in it.  False: it has none, or the interpreter
 * is ending.  Context: signal. */
bool cpython_state_find(struct cpython *python, struct interp_reader *reader,
			struct cpython_state *state);

/* Returns the address of the state that holds the lock, until 3.11; 0: none.  Another thread may
 * take or give it at any moment, unless the state is this thread's.  Context: signal. */
uint64_t cpython_state_current(const struct cpython *python);

/* True if there are several interpreters.  Context: signal. */
bool cpython_state_has_others(const struct cpython *python);

/* Get the calling thread's states besides walk->state that have frames, at most
 * CPYTHON_OTHERS_MAX.  Nothing of them is certain: another thread may end their interpreters.
 * Returns how many.  Context: signal. */
unsigned cpython_state_others(const struct cpython_walk *walk, struct cpython_state *others);

/* Note a function of a frame: its code object, and what the frame holds at layout->pc.  False: that
 * cannot be.  The place that is added is not complete until cpython_code_resolve().
 * Context: signal. */
bool cpython_code_take(struct cpython_walk *walk, uint64_t code, uint64_t at);

/* Give the places from `first` on their pc; frames that stand for no function of the program go.
 * False: one is not a frame.  Context: signal. */
bool cpython_code_resolve(struct cpython_walk *walk, unsigned first);

/* True if this is a code object, and a frame that is at `at` is in its code.  Context: signal. */
bool cpython_code_is(const struct cpython_walk *walk, uint64_t code, uint64_t at);

/* Returns the number of slots behind the first part of a frame, 0 if this is no code object.
 * Context: signal. */
uint32_t cpython_code_slots(const struct cpython_walk *walk, uint64_t code);

/* Find the frame that called one which may have been entered just now, and may not name it yet:
 * *caller, 0 for the outermost frame.  False: it is not certain.  3.11 and 3.12.  Context: signal.
 */
bool cpython_call_caller(const struct cpython_walk *walk, uint64_t frame, uint64_t *caller);

/* Find the functions of one state from walk->native outward, by address: 3.11 and later.
 * Context: signal. */
enum interp_outcome cpython_frames_walk(struct cpython_walk *walk);

/* Find the functions of all states of the thread: 3.9 and 3.10.  Context: signal. */
enum interp_outcome cpython_objects_walk(struct cpython_walk *walk);

static inline bool cpython_is_eval(const struct cpython *python, uint64_t pc)
{
	return interp_is_in(python->eval, pc) || interp_is_in(python->cold, pc);
}

/* Returns the first native frame of the loop from `from` on, before `end`; CPYTHON_NO_FRAME: there
 * is none. */
static inline unsigned cpython_eval_find(const struct cpython_walk *walk, unsigned from,
					 unsigned end)
{
	for (unsigned i = from; i < end; i++)
		if (cpython_is_eval(walk->python, walk->stack->pcs[i]))
			return i;
	return CPYTHON_NO_FRAME;
}

static inline bool cpython_is_on_stack(const struct cpython_walk *walk, uint64_t address)
{
	return address - walk->reader->stack_low <
	       walk->reader->stack_high - walk->reader->stack_low;
}

#if defined(__aarch64__)
#define CPYTHON_REGISTERS 31
#else
#define CPYTHON_REGISTERS 15
#endif

/* Get the general registers of interrupted code that may hold an address.  Context: signal. */
static inline void cpython_registers(const ucontext_t *context, uint64_t *registers)
{
#if defined(__aarch64__)
	__builtin_memcpy(registers, context->uc_mcontext.regs,
			 CPYTHON_REGISTERS * sizeof(*registers));
#else
	__builtin_memcpy(registers, context->uc_mcontext.gregs,
			 CPYTHON_REGISTERS * sizeof(*registers));
#endif
}

/* Fields of something that was read, in the machine's byte order. */
MEMORY_RAW static inline uint64_t cpython_word(const void *from, unsigned offset)
{
	uint64_t value;

	__builtin_memcpy(&value, (const char *)from + offset, sizeof(value));
	return value;
}

MEMORY_RAW static inline uint32_t cpython_half(const void *from, unsigned offset)
{
	uint32_t value;

	__builtin_memcpy(&value, (const char *)from + offset, sizeof(value));
	return value;
}

MEMORY_RAW static inline uint8_t cpython_byte(const void *from, unsigned offset)
{
	return ((const uint8_t *)from)[offset];
}

/*
 * What no symbol of an interpreter tells, but its code does: the part of the loop that the compiler
 * put elsewhere because it is seldom executed, where the loop jumps to, and the function that
 * collects garbage, which PyGC_Collect() calls.
 */

#define CPYTHON_JUMP_BYTES 20 /* that are looked at to decode something */

/* Decode a jump to an address in the code, which calls nothing.  `code` has CPYTHON_JUMP_BYTES
 * bytes.  On a machine whose instructions differ in length, bytes within one may look like a jump.
 * Context: any. */
bool cpython_jump_decode(const uint8_t *code, uint64_t address, uint64_t *target);

/* Likewise, a call of a function of the same object.  Context: any. */
bool cpython_jump_decode_call(const uint8_t *code, uint64_t address, uint64_t *target);

/* Likewise, an instruction that loads the address of data.  Context: any. */
bool cpython_jump_decode_data(const uint8_t *code, uint64_t address, uint64_t *target);

/* The distance of two instructions, or of what may be one.  Context: any. */
unsigned cpython_jump_step(void);

/* Call `each` for every address outside a range of code, but in its object, that the code in it
 * leads to, as `decode` says, which is one of the above.  Context: init, signal. */
void cpython_jump_each(const struct cpython *python, struct interp_range range,
		       bool (*decode)(const uint8_t *code, uint64_t address, uint64_t *target),
		       void (*each)(uint64_t target, void *context), void *context);

/* Find the function that collects garbage; an empty range: it cannot be told.  False: another
 * thread unwinds now; ask again.  Context: init, signal. */
bool cpython_collector_find(const struct cpython *python, struct interp_range *collector);

/* Find the part of python->eval that lies elsewhere in the object; an empty range: there is none,
 * or it cannot be told.  False likewise.  Context: init, signal. */
bool cpython_cold_find(const struct cpython *python, struct interp_range *cold);

#endif
