/*
 * Open addressing.  A slot is empty unless it is of the present epoch, so a new epoch forgets all
 * keys at once.  A larger array is complete before it is published.  The smaller ones stay mapped,
 * because a handler may still read them; together they are a third of the largest.
 */
#include "runtime/sample/store/script_table.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/poison.h"

#define LEVELS	     5
#define SLOTS_LEAST  512u
#define SLOTS(level) (SLOTS_LEAST << 2 * (level))
#define KEY_WORDS    (1 + SCRIPT_TABLE_PRINT_WORDS)
#define EPOCH_SHIFT  32

_Static_assert(SLOTS(LEVELS - 1) == 2 * SCRIPT_KEYS_MAX, "the largest array is at most half full");

struct slot {
	_Atomic uint64_t entry; /* epoch << EPOCH_SHIFT | number, stored after the key */
	_Atomic uint64_t key[KEY_WORDS];
};

/* W: the adding thread.  R: any */
static struct slot *_Atomic arrays[LEVELS];
static _Atomic uint32_t array_count; /* the last array is the one in use */
static _Atomic uint32_t epoch;
static uint32_t used; /* slots of the present epoch; W, R: the adding thread */

static size_t bytes_of(unsigned level)
{
	return SLOTS(level) * sizeof(struct slot);
}

void script_keys_start(void)
{
	uint32_t count = atomic_load_explicit(&array_count, memory_order_relaxed);

	if (!count)
		return; /* nor copy a page for it */
	atomic_store_explicit(&array_count, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++)
		sys_munmap(atomic_load_explicit(&arrays[i], memory_order_relaxed), bytes_of(i));
	used = 0;
}

static void words_of(const struct code_key *key, uint64_t *words)
{
	words[0] = key->address;
	for (unsigned i = 0; i < SCRIPT_TABLE_PRINT_WORDS; i++)
		words[1 + i] = key->print[i];
}

static uint32_t hash_of(const uint64_t *words)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < KEY_WORDS; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

/* Acquire: a reader that meets the key of a later epoch sees this epoch as ended. */
static bool is_key(const struct slot *slot, const uint64_t *words)
{
	for (unsigned i = 0; i < KEY_WORDS; i++)
		if (atomic_load_explicit(&slot->key[i], memory_order_acquire) != words[i])
			return false;
	return true;
}

uint32_t script_keys_find(const struct code_key *key)
{
	uint32_t now = atomic_load_explicit(&epoch, memory_order_acquire);
	uint32_t count = atomic_load_explicit(&array_count, memory_order_acquire);
	uint64_t words[KEY_WORDS];
	const struct slot *slots;

	if (!count)
		return 0;
	slots = atomic_load_explicit(&arrays[count - 1], memory_order_relaxed);
	words_of(key, words);
	for (uint32_t at = hash_of(words), left = SLOTS(count - 1); left; at++, left--) {
		const struct slot *slot = &slots[at & (SLOTS(count - 1) - 1)];
		uint64_t entry = atomic_load_explicit(&slot->entry, memory_order_acquire);

		if (entry >> EPOCH_SHIFT != now)
			return 0;
		if (is_key(slot, words))
			return atomic_load_explicit(&epoch, memory_order_relaxed) == now
				       ? (uint32_t)entry
				       : 0;
	}
	return 0;
}

static void put(struct slot *slots, uint32_t size, const uint64_t *words, uint64_t entry)
{
	uint32_t at = hash_of(words);

	while (atomic_load_explicit(&slots[at & (size - 1)].entry, memory_order_relaxed) >>
		       EPOCH_SHIFT ==
	       entry >> EPOCH_SHIFT)
		at++;
	for (unsigned i = 0; i < KEY_WORDS; i++) /* release: after the epoch; see is_key() */
		atomic_store_explicit(&slots[at & (size - 1)].key[i], words[i],
				      memory_order_release);
	atomic_store_explicit(&slots[at & (size - 1)].entry, entry, memory_order_release);
}

static void copy_all(struct slot *to, uint32_t to_size, const struct slot *from, uint32_t from_size,
		     uint32_t now)
{
	for (uint32_t i = 0; i < from_size; i++) {
		uint64_t entry = atomic_load_explicit(&from[i].entry, memory_order_relaxed);
		uint64_t words[KEY_WORDS];

		if (entry >> EPOCH_SHIFT != now)
			continue;
		for (unsigned k = 0; k < KEY_WORDS; k++)
			words[k] = atomic_load_explicit(&from[i].key[k], memory_order_relaxed);
		put(to, to_size, words, entry);
	}
}

static bool grow(uint32_t count, uint32_t now)
{
	void *memory;

	if (count == LEVELS || sys_mmap_apart(&memory, bytes_of(count), PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1))
		return false;
	if (count)
		copy_all(memory, SLOTS(count),
			 atomic_load_explicit(&arrays[count - 1], memory_order_relaxed),
			 SLOTS(count - 1), now);
	atomic_store_explicit(&arrays[count], memory, memory_order_relaxed);
	atomic_store_explicit(&array_count, count + 1, memory_order_release); /* publishes it */
	return true;
}

void script_keys_add(const struct code_key *key, uint32_t number)
{
	uint32_t count = atomic_load_explicit(&array_count, memory_order_relaxed);
	uint32_t now = atomic_load_explicit(&epoch, memory_order_relaxed);
	uint64_t words[KEY_WORDS];

	if (!now) /* new memory is zero: the slots of no epoch */
		atomic_store_explicit(&epoch, ++now, memory_order_relaxed);
	if (!count || used == SLOTS(count - 1) / 2) {
		if (grow(count, now)) {
			count++;
		} else if (!count) {
			return;
		} else {
			atomic_store_explicit(&epoch, ++now, memory_order_relaxed);
			used = 0;
		}
	}
	words_of(key, words);
	put(atomic_load_explicit(&arrays[count - 1], memory_order_relaxed), SLOTS(count - 1), words,
	    (uint64_t)now << EPOCH_SHIFT | number);
	used++;
}
