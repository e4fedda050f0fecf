/* Where a thread-local variable lies is decoded from the code that returns it. */

#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/cpython_tls.h"
#include "tests/support/unit.h"

#define ALONE	    __attribute__((noinline, no_sanitize("address", "undefined"), optimize("O2")))
#define MODEL(name) __attribute__((tls_model(name)))

static __thread void *before[3];
static MODEL("local-exec") __thread void *executable;
MODEL("initial-exec") __thread void *initial;
MODEL("global-dynamic") __thread void *dynamic;

ALONE static void *get_executable(void)
{
	return executable;
}

ALONE static void *get_initial(void)
{
	return initial;
}

ALONE static void *get_dynamic(void)
{
	return dynamic;
}

ALONE static void *get_none(void)
{
	return NULL;
}

int unit_begin(void **state)
{
	(void)state;
	memory_start();
	executable = initial = dynamic = before;
	return 0;
}

static bool find(void *(*get)(void), int64_t *offset)
{
	uint8_t code[CPYTHON_TLS_CODE];
	struct cpython_tls tls;

	assert_true(memory_copy(code, (uint64_t)(uintptr_t)get, sizeof(code)));
	cpython_tls_decode(code, (uint64_t)(uintptr_t)get, &tls);
	return cpython_tls_offset(&tls, offset);
}

static void check(void *(*get)(void), void **variable)
{
	int64_t offset = 0;

	assert_ptr_equal(get(), before);
	assert_true(find(get, &offset));
	assert_int_equal(offset, (char *)variable - (char *)__builtin_thread_pointer());
}

TEST(a_variable_of_the_program_is_found)
{
	check(get_executable, &executable);
}

TEST(a_variable_of_an_object_that_is_there_from_the_start_is_found)
{
	check(get_initial, &initial);
}

TEST(a_variable_that_could_be_in_any_object_is_found)
{
	check(get_dynamic, &dynamic);
}

TEST(other_code_gives_no_place)
{
	int64_t offset;

	assert_null(get_none());
	assert_false(find(get_none, &offset));
}
