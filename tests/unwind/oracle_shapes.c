/*
 * Frames of unusual shape: variable length, realigned, many saved registers, tail calls, a
 * call that does not return as the last instruction; and recursion.  Built several times: optimised
 * by the compiler at hand, and unoptimised, with frame pointers, and without unwind information (as
 * ORACLE_SHAPES=oracle_plain and so on).
 */
#include <stdarg.h>

#include "tests/unwind/oracle.h"
#include "tests/support/libc.h"

#ifndef ORACLE_SHAPES
#define ORACLE_SHAPES oracle_shapes
#endif

#define JOIN(name, more)    name##more
#define BELOW(name)	    JOIN(name, _below)
#define ORACLE_SHAPES_BELOW BELOW(ORACLE_SHAPES)

void ORACLE_SHAPES(void *argument);
void ORACLE_SHAPES_BELOW(unsigned levels, void (*function)(void));

static volatile unsigned sink;
static jmp_buf back;

typedef float wide __attribute__((vector_size(32)));

static __attribute__((noinline)) unsigned leaf(unsigned value)
{
	return value * 3 + sink;
}

static __attribute__((noinline)) unsigned variable_length(unsigned size)
{
	volatile unsigned char room[size];

	memset((void *)room, 1, size);
	return leaf(room[size - 1]);
}

static __attribute__((noinline)) unsigned realigned(unsigned value)
{
	volatile _Alignas(64) unsigned char room[192];

	for (unsigned i = 0; i < sizeof(room); i++)
		room[i] = (unsigned char)value;
	return leaf(room[value % 192]) + variable_length(value % 50 + 1);
}

/* gcc needs another register than rbp here: a variable length in a realigned frame. */
static __attribute__((noinline)) unsigned realigned_variable(unsigned size)
{
	volatile _Alignas(64) unsigned char room[64];
	volatile unsigned char more[size];

	room[size % 64] = 3;
	more[size / 2] = 4;
	return realigned(room[size % 64] + more[size / 2]);
}

static __attribute__((noinline, target("avx"))) unsigned vectors(unsigned value)
{
	volatile wide values = { (float)value, 2, 3, 4, 5, 6, 7, 8 };
	wide doubled = values * 2;

	return leaf((unsigned)doubled[3]) + realigned_variable(value % 30 + 2);
}

static __attribute__((noinline)) unsigned many(unsigned a, unsigned b, unsigned c, unsigned d,
					       unsigned e, unsigned f, unsigned g, unsigned h)
{
	unsigned x = leaf(a) + leaf(b);
	unsigned y = leaf(c) + leaf(d);
	unsigned z = leaf(e) + leaf(f);

	return x * y + z * leaf(g) + leaf(h) + a * b + c * d + e * f;
}

static __attribute__((noinline)) unsigned tail(unsigned value)
{
	return leaf(value + 1);
}

static __attribute__((noinline)) unsigned variadic(unsigned count, ...)
{
	unsigned sum = 0;
	va_list list;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, unsigned);
	va_end(list);
	return leaf(sum);
}

static __attribute__((noinline, noreturn)) void leave(void)
{
	sink++;
	oracle_end(); /* a jump to elsewhere has a case of its own */
	longjmp(back, 1);
}

static __attribute__((noinline)) void never_returns(unsigned value)
{
	if (value)
		leave();
	sink += leaf(value);
}

void ORACLE_SHAPES(void *argument)
{
	(void)argument;
	for (unsigned i = 0; i < 10; i++) {
		sink += many(i, 2, 3, 4, 5, 6, 7, 8) + tail(i) + variadic(3, i, 2U, 3U);
		sink += realigned(i) + realigned_variable(i + 2) + variable_length(i + 1);
		if (__builtin_cpu_supports("avx"))
			sink += vectors(i);
	}
	if (!setjmp(back))
		never_returns(1);
}

/* Calls the function that many frames further down. */
void ORACLE_SHAPES_BELOW(unsigned levels, void (*function)(void))
{
	volatile unsigned char room[24];

	room[levels % sizeof(room)] = 1;
	if (!levels)
		function();
	else if (levels % 3)
		ORACLE_SHAPES_BELOW(levels - 1, function);
	else
		sink += leaf(levels), ORACLE_SHAPES_BELOW(levels - 1, function);
	sink += room[levels % sizeof(room)];
}
