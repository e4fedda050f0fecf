/*
 * The pieces that a walk asked for are a list, in which the next walk's come first.  They are found
 * by address in a table of slots.
 */
#include "runtime/sample/interp/interp_copies.h"

#include <string.h>

#include "runtime/sample/elf/memory.h"

#define ALIGNED(bytes) (((uint32_t)(bytes) + 15) & ~15U)

void interp_copies_begin(struct interp_copies *copies)
{
	copies->is_begun = false;
}

static unsigned slot_of(uint64_t address)
{
	return (unsigned)(address * 0x9e3779b97f4a7c15ULL >> 32) % INTERP_COPIES_SLOTS;
}

/* Returns the slot of a piece, or the free one where it belongs. */
static uint8_t *find(struct interp_copies *copies, uint64_t address, size_t bytes)
{
	for (unsigned at = slot_of(address);; at = (at + 1) % INTERP_COPIES_SLOTS) {
		uint8_t number = copies->slot[at];
		const struct interp_piece *piece = number ? &copies->piece[number - 1] : NULL;

		if (!piece || (piece->address == address && piece->bytes == bytes))
			return &copies->slot[at];
	}
}

static bool has_room(const struct interp_copies *copies, unsigned count, size_t bytes)
{
	return copies->count + count <= INTERP_COPIES_MAX &&
	       copies->used + count * ALIGNED(bytes) <= INTERP_COPIES_BYTES;
}

/* Adds a piece whose bytes are, or will be, behind those of the others. */
static void add(struct interp_copies *copies, uint64_t address, size_t bytes, bool asked)
{
	copies->piece[copies->count++] = (struct interp_piece){ .address = address,
								.bytes = (uint16_t)bytes,
								.at = (uint16_t)copies->used,
								.asked = asked };
	copies->used += ALIGNED(bytes);
	*find(copies, address, bytes) = (uint8_t)copies->count;
}

/* Drops pieces from the end until all have been copied. */
static void keep_copied(struct interp_copies *copies, size_t copied)
{
	size_t bytes = 0;
	unsigned count = 0;

	for (; count < copies->count; count++) {
		bytes += copies->piece[count].bytes;
		if (bytes > copied)
			break;
	}
	if (count == copies->count)
		return;
	memset(copies->slot, 0, sizeof(copies->slot));
	copies->count = 0;
	copies->used = 0;
	for (unsigned i = 0; i < count; i++)
		add(copies, copies->piece[i].address, copies->piece[i].bytes, false);
}

/* Makes a list of what the last walk asked for.  Returns how much of what it copied at once it did
 * not ask for. */
static unsigned list_asked(struct interp_copies *copies)
{
	unsigned before = copies->count, wasted = 0;

	memset(copies->slot, 0, sizeof(copies->slot));
	copies->count = 0;
	copies->used = 0;
	for (unsigned i = 0; i < before; i++) {
		const struct interp_piece piece = copies->piece[i];

		if (piece.asked)
			add(copies, piece.address, piece.bytes, false);
		else
			wasted += i < copies->fetched;
	}
	return wasted;
}

/* Copies at once what the last walk asked for. */
static void fetch(struct interp_copies *copies)
{
	unsigned wasted = list_asked(copies);

	copies->is_begun = true;
	copies->is_useless = wasted > copies->fetched / 2U;
	if (copies->is_useless) {
		memset(copies->slot, 0, sizeof(copies->slot));
		copies->count = 0;
		copies->used = 0;
	}
	for (unsigned i = 0; i < copies->count; i++) {
		const struct interp_piece *piece = &copies->piece[i];

		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		copies->from[i] = (struct iovec){ (void *)piece->address, piece->bytes };
		copies->to[i] = (struct iovec){ copies->bytes + piece->at, piece->bytes };
	}
	keep_copied(copies, copies->count
				    ? memory_copy_vector(copies->to, copies->from, copies->count)
				    : 0);
	copies->fetched = copies->count;
}

/* Returns the piece; NULL if there is none yet. */
static struct interp_piece *known(struct interp_copies *copies, uint64_t address, size_t bytes)
{
	uint8_t number;

	if (!copies->is_begun)
		fetch(copies);
	number = *find(copies, address, bytes);
	if (!number)
		return NULL;
	copies->piece[number - 1].asked = true;
	return &copies->piece[number - 1];
}

bool interp_copies_get(struct interp_copies *copies, uint64_t address, size_t bytes,
		       const void **copy)
{
	const struct interp_piece *piece = known(copies, address, bytes);
	unsigned char *to = copies->bytes + copies->used;

	if (piece) {
		*copy = copies->bytes + piece->at;
		return true;
	}
	if (!has_room(copies, 1, bytes))
		return false;
	*copy = memory_copy(to, address, bytes) ? to : NULL;
	if (*copy)
		add(copies, address, bytes, true);
	return true;
}

/* Copies the pieces that are not there yet.  False: one cannot be read, or there is no room. */
static bool get_missing(struct interp_copies *copies, const uint64_t *address, unsigned count,
			size_t bytes)
{
	uint64_t missing[MEMORY_PIECES];
	unsigned number = 0, same;

	for (unsigned i = 0; i < count; i++) {
		if (known(copies, address[i], bytes))
			continue;
		for (same = 0; same < number && missing[same] != address[i]; same++)
			;
		if (same == number)
			missing[number++] = address[i];
	}
	if (!number)
		return true;
	if (!has_room(copies, number, bytes) ||
	    !memory_copy_pieces(copies->bytes + copies->used, missing, number, bytes))
		return false;
	for (unsigned i = 0; i < number; i++)
		add(copies, missing[i], bytes, true);
	return true;
}

bool interp_copies_put(struct interp_copies *copies, void *to, const uint64_t *address,
		       unsigned count, size_t bytes)
{
	if (count > MEMORY_PIECES || !get_missing(copies, address, count, bytes))
		return false;
	for (unsigned i = 0; i < count; i++)
		memcpy((unsigned char *)to + i * bytes,
		       copies->bytes + known(copies, address[i], bytes)->at, bytes);
	return true;
}
