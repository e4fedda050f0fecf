/*
 * The calling thread's state in CPython, from the pthread key under which the interpreter keeps it.
 * The interpreter is never called.  A state that does not hold the interpreter's lock may be freed
 * by the thread that ends the interpreter, so it is copied by the kernel, and believed only if it
 * names this thread and the interpreter is not ending.
 */
#include <pthread.h>
#include <stddef.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/interp/cpython.h"

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

/* The thread's own state, from the key; 0: none. */
static uint64_t state_own(const struct cpython *python)
{
	uint64_t key = runtime_word(python, python->layout->key);

	if ((uint32_t)key != 1 || !libc.get)
		return 0;
	return (uint64_t)libc.get((pthread_key_t)(key >> 32));
}

/* Read a state that may be anything.  False: it is not this thread's. */
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

/* Until 3.11 one word tells who holds the lock.  In a subinterpreter it names another state than
 * the key does. */
static bool state_find_current(const struct cpython *python, struct interp_reader *reader,
			       uint64_t own, struct cpython_state *state)
{
	uint64_t current = runtime_word(python, python->layout->current);

	if (current && current == own)
		reader->quiet = true;
	else if (state_read(python, reader, current, state) &&
		 runtime_word(python, python->layout->current) == current)
		own = current;
	state->attached = own && own == current;
	reader->quiet = state->attached;
	return state_read(python, reader, own, state);
}

bool cpython_state_find(const struct cpython *python, struct interp_reader *reader,
			struct cpython_state *state)
{
	uint64_t own = state_own(python);
	uint64_t finalizing;

	if (!libc.self)
		return false;
	if (python->layout->current ? !state_find_current(python, reader, own, state)
				    : !state_read(python, reader, own, state))
		return false;
	/* Asked last: what was read before it was set was still there. */
	finalizing = runtime_word(python, python->layout->finalizing);
	if (finalizing && finalizing != state->address)
		return false;
	reader->quiet = state->attached;
	return true;
}
