/*
 * A result is the memory itself where that is the thread's own stack, on which it stands and which
 * the unwinder has read, and a copy otherwise.
 *
 * The blocks that a walk asked for are a list, in which those of the last walk come first.  They
 * are found by address in a table of slots.  A walk that asks for more than the list has room for
 * keeps the last few of these.
 */
#include "runtime/sample/interp/interp.h"

#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/sys/poison.h"

#define ALIGNMENT  16
#define BLOCK	   ((uint64_t)INTERP_COPIES_BLOCK)
#define PAGE_BYTES 4096ULL
#define NO_BLOCK   UINT32_MAX

/* Blocks that are to be copied by one call. */
struct missing {
	uint64_t address[MEMORY_PIECES];
	unsigned count;
};

/* The slot of a block, or the free one where it belongs. */
static uint8_t *slot_of(struct interp_copies *copies, uint64_t address)
{
	unsigned at = (unsigned)(address * 0x9e3779b97f4a7c15ULL >> 32) % INTERP_COPIES_SLOTS;

	while (copies->slot[at] && copies->address[copies->slot[at] - 1] != address)
		at = (at + 1) % INTERP_COPIES_SLOTS;
	return &copies->slot[at];
}

static void enter(struct interp_copies *copies, unsigned number, uint64_t address, bool asked)
{
	copies->address[number] = address;
	if (number >= INTERP_COPIES_MAX)
		return;
	copies->asked[number] = asked;
	*slot_of(copies, address) = (uint8_t)(number + 1);
}

static void clear(struct interp_copies *copies)
{
	memset(copies->slot, 0, sizeof(copies->slot));
	memset(copies->address + INTERP_COPIES_MAX, 0,
	       sizeof(copies->address) - INTERP_COPIES_MAX * sizeof(*copies->address));
	copies->count = 0;
	copies->turn = 0;
}

/* Makes a list of what the last walk asked for, or an empty one if that is less than half of what
 * was copied at once. */
static void list_asked(struct interp_copies *copies)
{
	unsigned before = copies->count, wasted = 0;

	for (unsigned i = 0; i < copies->fetched; i++)
		wasted += !copies->asked[i];
	clear(copies);
	for (unsigned i = 0; i < before && wasted <= copies->fetched / 2U; i++)
		if (copies->asked[i])
			enter(copies, copies->count++, copies->address[i], false);
}

/* The pieces of one call that copies the list: neighbours are one piece. */
static unsigned pieces_make(struct interp_copies *copies)
{
	unsigned count = 0;

	for (unsigned i = 0; i < copies->count; i++) {
		uint64_t address = copies->address[i];

		if (i && address == copies->address[i - 1] + BLOCK && address % PAGE_BYTES) {
			copies->from[count - 1].iov_len += BLOCK;
			copies->to[count - 1].iov_len += BLOCK;
			continue;
		}
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		copies->from[count] = (struct iovec){ (void *)address, BLOCK };
		copies->to[count++] = (struct iovec){ copies->bytes[i], BLOCK };
	}
	return count;
}

/* Drops the blocks behind the first `count`. */
static void keep_first(struct interp_copies *copies, unsigned count)
{
	if (count == copies->count)
		return;
	clear(copies);
	for (unsigned i = 0; i < count; i++)
		enter(copies, copies->count++, copies->address[i], false);
}

/* Copies at once what the last walk asked for. */
static void fetch(struct interp_copies *copies)
{
	unsigned pieces;

	copies->is_begun = true;
	list_asked(copies);
	pieces = pieces_make(copies);
	if (pieces) {
		copies->calls++;
		keep_first(copies, (unsigned)(memory_copy_vector(copies->to, copies->from, pieces) /
					      BLOCK));
	}
	copies->fetched = copies->count;
}

/* The number of a block; NO_BLOCK: it was not copied yet. */
static uint32_t find(struct interp_copies *copies, uint64_t address)
{
	uint8_t number;

	if (!copies->is_begun)
		fetch(copies);
	number = *slot_of(copies, address);
	if (number) {
		copies->asked[number - 1] = true;
		return number - 1U;
	}
	if (copies->count < INTERP_COPIES_MAX)
		return NO_BLOCK;
	for (uint32_t i = INTERP_COPIES_MAX; i < INTERP_COPIES_MAX + INTERP_COPIES_MORE; i++)
		if (copies->address[i] == address)
			return i;
	return NO_BLOCK;
}

/* Notes a block if it is missing.  False: there is no room. */
static bool note(struct interp_copies *copies, struct missing *missing, uint64_t address)
{
	if (find(copies, address) != NO_BLOCK)
		return true;
	for (unsigned i = 0; i < missing->count; i++)
		if (missing->address[i] == address)
			return true;
	if (missing->count == MEMORY_PIECES)
		return false;
	missing->address[missing->count++] = address;
	return true;
}

/* The first of `count` places for blocks, one after the other. */
static unsigned places_take(struct interp_copies *copies, unsigned count)
{
	unsigned first = copies->count;

	if (first + count <= INTERP_COPIES_MAX) {
		copies->count = (uint16_t)(first + count);
		return first;
	}
	copies->count = INTERP_COPIES_MAX; /* the rest stays unused, and no walk asks for it */
	for (unsigned i = first; i < INTERP_COPIES_MAX; i++)
		copies->asked[i] = false;
	if (copies->turn + count > INTERP_COPIES_MORE)
		copies->turn = 0;
	first = INTERP_COPIES_MAX + copies->turn;
	copies->turn = (uint16_t)(copies->turn + count);
	return first;
}

/* Copies what is missing, all or nothing. */
static bool bring(struct interp_copies *copies, const struct missing *missing)
{
	unsigned first, count = missing->count;

	if (!count)
		return true;
	if (copies->calls++ >= INTERP_COPIES_CALLS)
		return false;
	first = places_take(copies, count);
	for (unsigned i = 0; i < count; i++)
		copies->address[first + i] = 0;
	if (!memory_copy_pieces(copies->bytes[first], missing->address, count, BLOCK)) {
		if (first < INTERP_COPIES_MAX)
			copies->count = (uint16_t)first;
		return false;
	}
	for (unsigned i = 0; i < count; i++)
		enter(copies, first + i, missing->address[i], true);
	return true;
}

/* Copies bytes of one block, which was brought; its place may have been another's turn since. */
static bool get_part(struct interp_copies *copies, uint64_t address, size_t bytes, void *to)
{
	uint32_t number = find(copies, address & ~(BLOCK - 1));

	if (number == NO_BLOCK)
		return memory_copy(to, address, bytes);
	memcpy(to, copies->bytes[number] + address % BLOCK, bytes);
	return true;
}

/* Copies `bytes` bytes, at most a block's.  False: they cannot be read. */
static bool get(struct interp_copies *copies, uint64_t address, size_t bytes, void *to)
{
	size_t room = BLOCK - address % BLOCK, part = bytes < room ? bytes : room;
	uint32_t number = find(copies, address & ~(BLOCK - 1));
	struct missing missing;

	if (number != NO_BLOCK && part == bytes) {
		memcpy(to, copies->bytes[number] + address % BLOCK, bytes);
		return true;
	}
	missing.count = 0;
	note(copies, &missing, address & ~(BLOCK - 1));
	if (part < bytes)
		note(copies, &missing, (address + part) & ~(BLOCK - 1));
	return bring(copies, &missing) && get_part(copies, address, part, to) &&
	       (part == bytes ||
		get_part(copies, address + part, bytes - part, (unsigned char *)to + part));
}

/* Has ready the blocks of `bytes` bytes, at most a block's, at each of `count` addresses: by one
 * call of the kernel, if they can be read. */
static void expect(struct interp_copies *copies, const uint64_t *address, unsigned count,
		   size_t bytes)
{
	struct missing missing = { .count = 0 };

	for (unsigned i = 0; i < count; i++)
		if (!note(copies, &missing, address[i] & ~(BLOCK - 1)) ||
		    !note(copies, &missing, (address[i] + bytes - 1) & ~(BLOCK - 1)))
			break;
	bring(copies, &missing);
}

/* Likewise the block of an address, and all below it in its page. */
static void expect_below(struct interp_copies *copies, uint64_t address)
{
	uint64_t block = address & ~(BLOCK - 1);
	struct missing missing = { .count = 0 };

	if (find(copies, block) != NO_BLOCK)
		return;
	for (uint64_t at = address & ~(PAGE_BYTES - 1); at <= block; at += BLOCK)
		note(copies, &missing, at);
	bring(copies, &missing);
}

void interp_read_begin(struct interp_reader *reader, uint64_t low, uint64_t high)
{
	reader->stack_low = low;
	reader->stack_high = high;
	reader->copied.is_begun = false;
	reader->copied.calls = 0;
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

	return get(&reader->copied, address, bytes, kept) ? kept : NULL;
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
		expect_below(&reader->copied, address);
	return interp_read(reader, address, bytes);
}

void interp_read_ahead(struct interp_reader *reader, const uint64_t *address, unsigned count,
		       size_t bytes)
{
	for (unsigned i = 0; i < count; i++)
		if (!is_possible(address[i], bytes))
			return;
	expect(&reader->copied, address, count, bytes);
}
