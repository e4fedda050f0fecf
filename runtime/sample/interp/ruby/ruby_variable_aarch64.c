/*
 * The accessor's instructions name a pair of words in the object: a function of the loader, which
 * the accessor calls, and what that is given.  For objects that are there from the start it is the
 * variable's distance from the thread pointer (TLS descriptors, ELF for the Arm 64-bit
 * Architecture).  An object that is loaded later has a block in each thread, and is left alone.
 */

#include <stddef.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/adrp_aarch64.h"
#include "runtime/sample/interp/ruby/ruby.h"
#include "runtime/sample/sys/poison.h"

#define WORDS 16

#define IS_THREAD(word) (((word)&0xffffffe0) == 0xd53bd040) /* mrs x, tpidr_el0 */
#define IS_LOAD(word)	(((word)&0xffc00000) == 0xf9400000) /* ldr x, [x, #number] */
#define IS_CALL(word)	(((word)&0xfffffc1f) == 0xd63f0000) /* blr x */
#define IS_READ(word)	(((word)&0xffe0fc1f) == 0xf8606800) /* ldr x0, [x, x] */
#define IS_TEST(word)	(((word)&0xff00001f) == 0xb4000000) /* cbz x0, … */
#define READS_FRAME	0xf9400800U			    /* ldr x0, [x0, #16] */

static size_t static_bytes; /* above each thread pointer, of objects that were there at the start */
static const uint64_t *guard; /* what libc mixes into addresses; NULL: not known */

const uint16_t ruby_variable_jump_at = 88;

void ruby_variable_start(void)
{
	void (*bounds)(size_t * bytes, size_t * align);
	size_t align;

	*(void **)&bounds = loader_libc_symbol("_dl_get_tls_static_info");
	if (bounds)
		bounds(&static_bytes, &align);
	guard = loader_libc_symbol("__pointer_chk_guard");
}

static bool read_distance(uint64_t pair, struct ruby_variable *variable)
{
	*variable = (struct ruby_variable){ 0 };
	return memory_copy(&variable->offset, pair + sizeof(uint64_t), sizeof(uint64_t)) &&
	       variable->offset < static_bytes;
}

bool ruby_variable_decode(uint64_t function, struct ruby_variable *variable)
{
	uint32_t words[WORDS];
	uint64_t page = 0, pair = 0;
	bool thread = false, called = false;

	if (!memory_copy(words, function, sizeof(words)))
		return false;
	for (unsigned i = 0; i + 2 < WORDS; i++) {
		uint32_t word = words[i];

		if (IS_THREAD(word))
			thread = true;
		else if (adrp_is(word) && !page)
			page = adrp_page(word, function + i * sizeof(word));
		else if (IS_CALL(word))
			called = true;
		else if (IS_LOAD(word) && page && !pair)
			pair = page + (uint64_t)(word >> 10 & 0xfff) * 8;
		else if (IS_READ(word))
			return thread && called && pair && IS_TEST(words[i + 1]) &&
			       words[i + 2] == READS_FRAME && read_distance(pair, variable);
	}
	return false;
}

uint64_t ruby_variable_address(const struct ruby_variable *variable, struct interp_reader *reader)
{
	(void)reader;
	return (uint64_t)(uintptr_t)__builtin_thread_pointer() + variable->offset;
}

uint64_t ruby_variable_jump(uint64_t word)
{
	return guard ? word ^ *guard : 0;
}
