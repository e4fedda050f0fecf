/* PHP's calls are read in the thread that runs PHP: a frame that was only guessed may show its loop
 * in another one.  The interpreter is made up, and makes no call. */

#include <pthread.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "tests/support/unit.h"

static char loop[64];
static uint64_t globals[256];

WRAP(bool, interp_object_symbol, const struct interp_object *object, const char *name,
     uint64_t *address, uint64_t *bytes)
{
	bool is_loop = !strcmp(name, "execute_ex");

	(void)object;
	*address = (uint64_t)(uintptr_t)(is_loop ? (void *)loop : (void *)globals);
	*bytes = is_loop ? sizeof(loop) : sizeof(globals);
	return is_loop || !strcmp(name, "executor_globals") ||
	       !strcmp(name, "zend_fiber_switch_context");
}

UNIT(setup)
{
	const struct interp_object object = { 0 };
	const char *why = NULL;

	memory_start();
	return interp_php.look(&object, &why) ? 0 : -1;
}

static enum interp_outcome walk(bool complete)
{
	static ucontext_t context;
	uint64_t pcs[1] = { (uint64_t)(uintptr_t)loop }, sps[2] = { 0 };
	struct interp_stack stack = { .pcs = pcs,
				      .sps = sps,
				      .depth = 1,
				      .context = &context,
				      .ends = complete,
				      .complete = complete };
	struct interp_places places = { 0 };
	static struct interp_reader reader;

	interp_read_begin(&reader, 0, 0);
	return interp_php.walk(&stack, &reader, &places);
}

/* What another thread sees, with a guessed stack and then with a whole one. */
static struct {
	enum interp_outcome guessed, whole;
} other;

static void *be_other(void *unused)
{
	other.guessed = walk(false);
	other.whole = walk(true);
	return unused;
}

static void run_other(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, be_other, NULL), 0);
	pthread_join(thread, NULL);
}

TEST(a_guessed_stack_of_another_thread_is_left_alone)
{
	assert_int_equal(walk(true), INTERP_PENDING);
	assert_int_equal(walk(false), INTERP_PENDING);
	run_other();
	assert_int_equal(other.guessed, INTERP_NO_STATE);
	assert_int_equal(other.whole, INTERP_PENDING);
	assert_int_equal(walk(false), INTERP_NO_STATE); /* PHP is the other's now */
}

TEST(until_a_whole_stack_is_seen_any_thread_may_be_php_s)
{
	assert_int_equal(walk(false), INTERP_PENDING);
	run_other();
	assert_int_equal(other.guessed, INTERP_PENDING);
}
