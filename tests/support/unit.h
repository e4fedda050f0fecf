/*
 * A cmocka program.  TEST(name) { … } is one of its cases, which run in the order of the file;
 * TEST_OF(struct fixture *f, name) { … } is one that has what unit_setup() left in *state.
 * UNIT(setup) { … } defines unit_setup() where that leaves nothing, and likewise the others.
 * WRAP(int, name, int number) { … } is called instead of name(), which is __real_name() then
 * (--wrap in tests.mk).  unit.c has its main().  libc's usual headers come along.
 */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <stdarg.h>

#include "tests/support/libc.h"

#include <cmocka.h>

#define TEST(name)                                                \
	static void name(void **state);                           \
	__attribute__((constructor)) static void add_##name(void) \
	{                                                         \
		unit_add(__LINE__, #name, name);                  \
	}                                                         \
	static void name(__attribute__((unused)) void **state)

#define TEST_OF(fixture, name)          \
	static void name##_of(fixture); \
	TEST(name)                      \
	{                               \
		name##_of(*state);      \
	}                               \
	static void name##_of(fixture)

#define WRAP(type, name, ...)            \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

#define UNIT(part) int unit_##part(__attribute__((unused)) void **state)

/* The case defined in that line of the program's source.  Context: before main(). */
void unit_add(int line, const char *name, CMUnitTestFunction run);

/* Of a program that has it: called before the first case; not 0 fails them all. */
int unit_begin(void **state) __attribute__((weak));

/* Of a program that has them: called before and after each case, with the case's `state`. */
int unit_setup(void **state) __attribute__((weak));
int unit_teardown(void **state) __attribute__((weak));

#endif
