/* System calls in machine code: what is one, and what only has its bytes. */
#include <stdint.h>
#include <string.h>

#include "runtime/sample/elf/raw_calls.h"
#include "tests/support/unit.h"

#define BOTH (RAW_CALLS_SIGNALS | RAW_CALLS_EXEC)

#ifdef __x86_64__

/* Before and behind it is code that tells nothing. */
static unsigned found_in(const char *code, size_t bytes)
{
	uint8_t all[256];

	memset(all, 0x90, sizeof(all)); /* nop */
	memcpy(all + 100, code, bytes);
	return raw_calls_in(all, sizeof(all));
}

#define FOUND(code) found_in(code, sizeof(code) - 1)

#define SYSCALL	     "\x0f\x05"
#define MOV_R10_RCX  "\x49\x89\xca"
#define MOV_EAX(low) "\xb8" low "\0\0\0"

TEST(a_call_is_known_by_its_number)
{
	assert_int_equal(FOUND(MOV_EAX("\x0d") SYSCALL), RAW_CALLS_SIGNALS);
	assert_int_equal(FOUND(MOV_EAX("\x3b") SYSCALL), RAW_CALLS_EXEC);
	assert_int_equal(FOUND("\x6a\x0d\x58" SYSCALL), RAW_CALLS_SIGNALS);
	assert_int_equal(FOUND("\x48\xc7\xc0\x0d\0\0\0" SYSCALL), RAW_CALLS_SIGNALS);
	assert_int_equal(FOUND(MOV_EAX("\x01") MOV_R10_RCX SYSCALL), 0);
	assert_int_equal(FOUND("\x41" MOV_EAX("\x0d") SYSCALL), 0); /* to r8 */
}

TEST(a_number_that_is_a_variable_may_be_any)
{
	assert_int_equal(FOUND(MOV_R10_RCX SYSCALL), BOTH);
	assert_int_equal(FOUND(SYSCALL), 0); /* fewer than four arguments */
}

TEST(the_distance_of_a_jump_is_no_call)
{
	assert_int_equal(FOUND(MOV_R10_RCX "\x0f\x88" SYSCALL "\0\0"), 0);
	assert_int_equal(FOUND(MOV_R10_RCX "\xe8" SYSCALL "\x16\0"), 0);
	assert_int_equal(FOUND(MOV_R10_RCX "\xe9" SYSCALL "\xfe\xff"), 0);
	/* But a call may follow such bytes. */
	assert_int_equal(FOUND(MOV_R10_RCX "\xe8" SYSCALL "\x48\x3d\0\xf0"), BOTH);
	assert_int_equal(FOUND(MOV_R10_RCX "\x0f\x88" SYSCALL "\xc3\x90"), BOTH);
}

TEST(a_call_at_the_ends_of_the_code_is_read_within_it)
{
	static const uint8_t code[] = { 0xb8, 0x0d, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t jump[] = { 0x49, 0x89, 0xca, 0xe8, 0x0f, 0x05, 0x16 };

	assert_int_equal(raw_calls_in(code, sizeof(code)), RAW_CALLS_SIGNALS);
	assert_int_equal(raw_calls_in(code, sizeof(code) - 1), 0);
	assert_int_equal(raw_calls_in(code + 5, 2), 0);
	assert_int_equal(raw_calls_in(code, 0), 0);
	assert_int_equal(raw_calls_in(jump, sizeof(jump)), BOTH); /* unsure */
}

#else

static const uint32_t svc = 0xd4000001;

TEST(a_call_is_known_by_its_number)
{
	const uint32_t sigaction[] = { 0xd2800008 | 134 << 5, svc }; /* mov x8, #134 */
	const uint32_t execve[] = { 0x52800008 | 221 << 5, svc };    /* mov w8, #221 */
	const uint32_t write[] = { 0xd2800008 | 64 << 5, svc };

	assert_int_equal(raw_calls_in((const uint8_t *)sigaction, sizeof(sigaction)),
			 RAW_CALLS_SIGNALS);
	assert_int_equal(raw_calls_in((const uint8_t *)execve, sizeof(execve)), RAW_CALLS_EXEC);
	assert_int_equal(raw_calls_in((const uint8_t *)write, sizeof(write)), 0);
}

TEST(a_number_that_is_a_variable_may_be_any)
{
	const uint32_t code[] = { 0xd503201f, svc }; /* nop */

	assert_int_equal(raw_calls_in((const uint8_t *)code, sizeof(code)), BOTH);
	assert_int_equal(raw_calls_in((const uint8_t *)code, sizeof(code) - 1), 0);
}

#endif
