/*
 * A result is the memory itself where it is sure to stay for the rest of the walk, and a copy
 * otherwise.
 */
#include "runtime/sample/interp/interp_read.h"

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/rules/unwind_abi.h"
#include "runtime/sample/sys/poison.h"

#define PAGE_BYTES 4096ULL

void interp_read_begin(struct interp_reader *reader, uint64_t low, uint64_t high)
{
	reader->stack_low = low;
	reader->stack_high = high;
	reader->quiet = false;
	reader->below_at = 0;
	reader->copies = 0;
	interp_copies_begin(&reader->copied);
	for (unsigned i = 0; i < INTERP_READ_PAGES; i++)
		reader->page[i] = 0;
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

static const void *there(uint64_t address)
{
	return (const void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* A handler's time is limited: no walk copies for ever. */
static bool may_copy(struct interp_reader *reader)
{
	return reader->copies++ < INTERP_READ_COPIES;
}

static const void *copy(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	unsigned char *kept;
	const void *copied;

	if (!may_copy(reader))
		return NULL;
	if (interp_copies_get(&reader->copied, address, bytes, &copied))
		return copied;
	kept = reader->kept[reader->next++ % INTERP_READ_KEPT];
	return memory_copy(kept, address, bytes) ? kept : NULL;
}

/* Each page has one place where it is remembered. */
static bool probe(struct interp_reader *reader, uint64_t page)
{
	uint64_t *seen = &reader->page[page / PAGE_BYTES % INTERP_READ_PAGES];

	if (*seen == page)
		return true;
	if (!memory_is_readable(page))
		return false;
	*seen = page;
	return true;
}

const void *interp_read(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	uint64_t page = address & ~(PAGE_BYTES - 1);
	uint64_t last = (address + bytes - 1) & ~(PAGE_BYTES - 1);

	if (!is_possible(address, bytes))
		return NULL;
	if (is_stack(reader, address, bytes))
		return there(address);
	if (!reader->quiet)
		return copy(reader, address, bytes);
	return probe(reader, page) && (last == page || probe(reader, last)) ? there(address) : NULL;
}

const void *interp_read_held(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	if (!is_possible(address, bytes))
		return NULL;
	if (reader->quiet || is_stack(reader, address, bytes))
		return there(address);
	return copy(reader, address, bytes);
}

/* Copies [start, end).  False: it cannot be read. */
static bool copy_below(struct interp_reader *reader, uint64_t start, uint64_t end)
{
	const void *copied;

	reader->below_at = 0;
	if (!may_copy(reader))
		return false;
	if (!interp_copies_get(&reader->copied, start, end - start, &copied))
		copied = memory_copy(reader->below_own, start, end - start) ? reader->below_own
									    : NULL;
	reader->below = copied;
	reader->below_at = copied ? start : 0;
	reader->below_end = end;
	return copied;
}

/* What is copied begins with a page, where memory may begin. */
const void *interp_read_below(struct interp_reader *reader, uint64_t address, size_t bytes)
{
	uint64_t start = address & ~(PAGE_BYTES - 1), end = address + bytes;

	if (!is_possible(address, bytes))
		return NULL;
	if (reader->quiet || is_stack(reader, address, bytes))
		return interp_read(reader, address, bytes);
	if (end - start > INTERP_READ_BELOW)
		start = end - INTERP_READ_BELOW;
	if ((!reader->below_at || address < reader->below_at || end > reader->below_end) &&
	    !copy_below(reader, start, end))
		return NULL;
	return reader->below + (address - reader->below_at);
}

const void *interp_read_pieces(struct interp_reader *reader, unsigned part, const uint64_t *address,
			       unsigned count, size_t bytes)
{
	for (unsigned i = 0; i < count; i++)
		if (!is_possible(address[i], bytes))
			return NULL;
	if (count * bytes > INTERP_READ_PIECES || !may_copy(reader))
		return NULL;
	if (interp_copies_put(&reader->copied, reader->pieces[part], address, count, bytes) ||
	    memory_copy_pieces(reader->pieces[part], address, count, bytes))
		return reader->pieces[part];
	return NULL;
}
