/*
 * A result is the memory itself where that is the thread's own stack, on which it stands and which
 * the unwinder has read, and a copy otherwise.
 */
#include "runtime/sample/interp/interp_read.h"

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/sys/poison.h"

#define ALIGNMENT 16

void interp_read_begin(struct interp_reader *reader, uint64_t low, uint64_t high)
{
	reader->stack_low = low;
	reader->stack_high = high;
	interp_copies_begin(&reader->copied);
}

bool interp_read_is_whole(const struct interp_reader *reader)
{
	return reader->copied.calls <= INTERP_COPIES_CALLS;
}

static bool is_possible(uint64_t address, size_t bytes)
{
	return bytes && bytes <= INTERP_READ_MAX && address >= MEMORY_LOWEST &&
	       address <= UNWIND_HIGHEST_CODE - bytes;
}

static bool is_stack(const struct interp_reader *reader, uint64_t address, size_t bytes)
{
	return address >= reader->stack_low && address < reader->stack_high &&
	       bytes <= reader->stack_high - address;
}

static const void *copy(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	unsigned char *kept = reader->kept[reader->next++ % INTERP_READ_KEPT] + address % ALIGNMENT;

	return interp_copies_get(&reader->copied, address, bytes, kept) ? kept : NULL;
}

const void *interp_read(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	if (!is_possible(address, bytes))
		return NULL;
	if (is_stack(reader, address, bytes))
		return (const void *)address; /* NOLINT(performance-no-int-to-ptr) */
	return copy(reader, address, bytes);
}

const void *interp_read_below(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	if (is_possible(address, bytes) && !is_stack(reader, address, bytes))
		interp_copies_expect_below(&reader->copied, address);
	return interp_read(reader, address, bytes);
}

void interp_read_ahead(struct interp_reader *reader, const uint64_t *address, unsigned count,
		       size_t bytes)
{
	for (unsigned i = 0; i < count; i++)
		if (!is_possible(address[i], bytes))
			return;
	interp_copies_expect(&reader->copied, address, count, bytes);
}
