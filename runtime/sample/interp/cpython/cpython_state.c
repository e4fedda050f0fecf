/*
 * The calling thread's state in CPython, from the pthread key under which the interpreter keeps it.
 * The interpreter is never called.  A state may be freed by the thread that ends the interpreter,
 * so it is believed only if it names this thread and the interpreter is not ending.
 */
#include <pthread.h>
#include <stddef.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/sys/poison.h"

#define INTERPRETERS_MAX 32
#define STATES_MAX	 64 /* of all interpreters */

static struct {
	void *(*get)(pthread_key_t key);
	pthread_t (*self)(void);
} libc;

void cpython_state_start(void)
{
	*(void **)&libc.get = loader_libc_symbol("pthread_getspecific");
	*(void **)&libc.self = loader_libc_symbol("pthread_self");
}

/* A word of _PyRuntime, which another thread may be writing. */
MEMORY_RAW static uint64_t runtime_word(const struct cpython *python, unsigned offset)
{
	/* Data of a loaded object.  NOLINTNEXTLINE(performance-no-int-to-ptr) */
	return *(const volatile uint64_t *)(python->runtime + offset);
}

/* True if there is a key: the interpreter is neither beginning nor gone. */
static bool is_started(const struct cpython *python)
{
	return (uint32_t)runtime_word(python, python->layout->key) == 1 && libc.get && libc.self;
}

/* The thread's own state, from the key; 0: none. */
static uint64_t state_own(const struct cpython *python)
{
	uint64_t key = runtime_word(python, python->layout->key);

	return (uint64_t)libc.get((pthread_key_t)(key >> 32));
}

/* Read a state, which may be anything.  False: it is not this thread's.
 * Until 3.11 it may be gone although it seems to be current: a key may outlive its state, whose
 * memory becomes another thread's. */
static bool state_read(const struct cpython *python, struct interp_reader *reader, uint64_t address,
		       struct cpython_state *state)
{
	const struct cpython_layout *layout = python->layout;
	const void *from = address ? interp_read(reader, address, CPYTHON_STATE_BYTES) : NULL;

	if (!from || cpython_word(from, layout->thread) != (uint64_t)libc.self())
		return false;
	state->address = address;
	state->head = cpython_word(from, layout->head);
	state->interp = cpython_word(from, CPYTHON_STATE_INTERP);
	if (layout->status)
		state->attached =
			(cpython_byte(from, layout->status) & layout->status_attached) != 0;
	return true;
}

uint64_t cpython_state_current(const struct cpython *python)
{
	return runtime_word(python, python->layout->current);
}

bool cpython_state_has_others(const struct cpython *python)
{
	unsigned newest = python->layout->interpreters;

	return runtime_word(python, newest) != runtime_word(python, newest + sizeof(uint64_t));
}

/* Add the thread's states of one interpreter, from `address` on; `steps` counts all. */
static unsigned others_add(const struct cpython_walk *walk, uint64_t interp, uint64_t address,
			   unsigned *steps, struct cpython_state *others, unsigned count)
{
	while (address && count < CPYTHON_OTHERS_MAX && (*steps)++ < STATES_MAX) {
		struct cpython_state *state = &others[count];
		const void *from = interp_read(walk->reader, address, CPYTHON_STATE_BYTES);

		if (!from || cpython_word(from, CPYTHON_STATE_INTERP) != interp)
			break;
		*state = (struct cpython_state){ .address = address, .interp = interp };
		state->head = cpython_word(from, walk->python->layout->head);
		if (state->head && address != walk->state.address &&
		    cpython_word(from, walk->python->layout->thread) == (uint64_t)libc.self())
			count++;
		address = cpython_word(from, CPYTHON_STATE_NEXT);
	}
	return count;
}

unsigned cpython_state_others(const struct cpython_walk *walk, struct cpython_state *others)
{
	const struct cpython_layout *layout = walk->python->layout;
	uint64_t interp = runtime_word(walk->python, layout->interpreters);
	unsigned threads = layout->threads - layout->next_interp;
	unsigned steps = 0, count = 0;

	for (unsigned i = 0; interp && i < INTERPRETERS_MAX; i++) {
		const void *from = interp_read(walk->reader, interp + layout->next_interp,
					       threads + sizeof(uint64_t));
		uint64_t next;

		if (!from)
			break;
		next = cpython_word(from, 0);
		count = others_add(walk, interp, cpython_word(from, threads), &steps, others,
				   count);
		interp = next;
	}
	return count;
}

bool cpython_state_find(struct cpython *python, struct interp_reader *reader,
			struct cpython_state *state)
{
	uint64_t own, finalizing;

	if (!is_started(python))
		return false;
	own = state_own(python);
	/* Until 3.11 one word tells who holds the lock.  In a subinterpreter it names another state
	 * than the key does.  That one may be run by another thread, although it names this one: a
	 * state names the thread that made it.  So it is taken for this thread's only
	 * where the stack tells. */
	if (python->layout->current)
		state->attached = own && own == cpython_state_current(python);
	if (!state_read(python, reader, own, state))
		return false;
	/* Asked last: what was read before it was set was still there. */
	finalizing = runtime_word(python, python->layout->finalizing);
	if (finalizing && finalizing != state->address)
		return false;
	state->ending = finalizing;
	return true;
}
