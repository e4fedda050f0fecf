/*
 * Calling an accessor could bind symbols or allocate thread-local memory, so its instructions are
 * read instead.  They name the variable in one of three ways: by the arguments of __tls_get_addr(),
 * by a fixed distance from the thread pointer, or by such a distance in the GOT.  In the first case
 * the loader's vector of blocks (tls, "dynamic thread vector") says where the block is.
 */

#include <string.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/ruby/ruby.h"
#include "runtime/sample/sys/poison.h"

#define CODE_BYTES    64
#define VECTOR	      8	   /* in the thread's own block: the loader's vector */
#define GUARD	      0x30 /* and what libc mixes into addresses (pointer guard) */
#define GUARD_TURN    17
#define BLOCK_NOT_YET UINT64_MAX /* the loader allocates it at the first use */

const uint16_t ruby_variable_jump_at = 56;

static size_t static_bytes; /* below each thread pointer, of objects that were there at the start */

struct code {
	unsigned char bytes[CODE_BYTES];
	uint64_t address;
	unsigned at;
};

static bool skip(struct code *code, const char *bytes, unsigned count)
{
	if (code->at + count > CODE_BYTES || memcmp(code->bytes + code->at, bytes, count) != 0)
		return false;
	code->at += count;
	return true;
}

/* The 32-bit operand at the current position. */
static int64_t operand(struct code *code)
{
	int32_t value = 0;

	if (code->at + sizeof(value) <= CODE_BYTES)
		memcpy(&value, code->bytes + code->at, sizeof(value));
	code->at += sizeof(value);
	return value;
}

/* The address that an operand relative to the next instruction gives. */
static uint64_t target(struct code *code)
{
	int64_t distance = operand(code);

	return code->address + code->at + (uint64_t)distance;
}

static bool skip_call(struct code *code)
{
	skip(code, "\x66", 1);
	skip(code, "\x66", 1);
	if (!skip(code, "\x48\xe8", 2) && !skip(code, "\xe8", 1) &&
	    !skip(code, "\x48\xff\x15", 3) && !skip(code, "\xff\x15", 2))
		return false;
	operand(code);
	return true;
}

/* lea pair(%rip),%rdi; call __tls_get_addr; mov distance(%rax),%rax */
static bool decode_call(struct code *code, struct ruby_variable *variable)
{
	uint64_t pair[2];

	skip(code, "\x66", 1);
	if (!skip(code, "\x48\x8d\x3d", 3) || !memory_copy(pair, target(code), sizeof(pair)) ||
	    !skip_call(code))
		return false;
	*variable = (struct ruby_variable){ pair[0], pair[1] };
	if (skip(code, "\x48\x8b\x00", 3))
		return pair[0] != 0;
	if (skip(code, "\x48\x8b\x80", 3))
		variable->offset += (uint64_t)operand(code);
	else if (skip(code, "\x48\x8b\x40", 3))
		variable->offset += code->bytes[code->at++];
	else
		return false;
	return pair[0] != 0;
}

/* mov %fs:distance,%rax, or the distance from a register that was loaded before */
static bool decode_distance(struct code *code, struct ruby_variable *variable)
{
	uint64_t distance;

	if (skip(code, "\x64\x48\x8b\x04\x25", 5)) {
		*variable = (struct ruby_variable){ 0, (uint64_t)operand(code) };
		return true;
	}
	if (skip(code, "\x48\xc7\xc0", 3))
		distance = (uint64_t)operand(code);
	else if (!skip(code, "\x48\x8b\x05", 3) ||
		 !memory_copy(&distance, target(code), sizeof(distance)))
		return false;
	*variable = (struct ruby_variable){ 0, distance };
	return skip(code, "\x64\x48\x8b\x00", 4);
}

static uint64_t thread_pointer(void)
{
	return (uint64_t)(uintptr_t)__builtin_thread_pointer();
}

void ruby_variable_start(void)
{
	void (*bounds)(size_t * bytes, size_t * align);
	size_t align;

	*(void **)&bounds = loader_libc_symbol("_dl_get_tls_static_info");
	if (bounds)
		bounds(&static_bytes, &align);
}

/* The blocks of objects that are there at the start lie at one distance from all threads' thread
 * pointers.  Others are allocated for each thread. */
static void fix(struct ruby_variable *variable)
{
	uint64_t vector, block;

	if (!variable->module || !memory_copy(&vector, thread_pointer() + VECTOR, 8) ||
	    !memory_copy(&block, vector + 16 * variable->module, 8))
		return;
	if (thread_pointer() - block <= static_bytes)
		*variable =
			(struct ruby_variable){ 0, block + variable->offset - thread_pointer() };
}

bool ruby_variable_decode(uint64_t function, struct ruby_variable *variable)
{
	struct code code = { .address = function };
	unsigned start;

	if (!memory_copy(code.bytes, function, CODE_BYTES))
		return false;
	skip(&code, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
	skip(&code, "\x48\x83\xec\x08", 4); /* sub $8,%rsp */
	start = code.at;
	if (!decode_call(&code, variable)) {
		code.at = start;
		if (!decode_distance(&code, variable))
			return false;
	}
	/* test %rax,%rax; jz …; mov 16(%rax),%rax: the context's control frame */
	if (!skip(&code, "\x48\x85\xc0\x74", 4))
		return false;
	code.at++;
	if (!skip(&code, "\x48\x8b\x40\x10", 4))
		return false;
	fix(variable);
	return true;
}

static uint64_t word_at(struct interp_reader *reader, uint64_t address)
{
	const void *word = interp_read(reader, address, sizeof(uint64_t));

	return word ? ruby_word(word, 0) : 0;
}

uint64_t ruby_variable_address(const struct ruby_variable *variable, struct interp_reader *reader)
{
	uint64_t thread = thread_pointer();
	uint64_t vector, block;

	if (!variable->module)
		return thread + variable->offset;
	vector = word_at(reader, thread + VECTOR);
	if (variable->module > word_at(reader, vector - 16))
		return 0;
	block = word_at(reader, vector + 16 * variable->module);
	return block && block != BLOCK_NOT_YET ? block + variable->offset : 0;
}

uint64_t ruby_variable_jump(uint64_t word)
{
	uint64_t guard = ruby_word(__builtin_thread_pointer(), GUARD);

	return (word >> GUARD_TURN | word << (64 - GUARD_TURN)) ^ guard;
}
