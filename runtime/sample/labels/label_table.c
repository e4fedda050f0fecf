/*
 * A set is its last label and the set below that.  All changes happen under the code table's lock,
 * because texts of labels and of functions share their place in the spool.  The sets and texts that
 * have a number are complete; the indexes by content are the lock holder's.
 *
 * `steps` keeps the latest changes from set to set.  Its two words are written by any thread at any
 * moment, so one of them tells whether they belong together.
 */
#include "runtime/sample/labels/label_table.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/sample/store/script_new.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/store/hash_index.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/format_log.h"
#include "runtime/sample/sys/poison.h"

#define STEPS	    4096 /* a power of two */
#define ROOM_SHARE  8	 /* labels and their texts take at most this part of the spool */
#define POOL_LEVELS 12
#define POOL_NONE   UINT32_MAX

/* Items that never move, in memory of our own that grows: any thread may read an item while another
 * one adds some.  Level n begins at index least * (2^n - 1).  Items that would lie in two levels
 * begin with the second one. */
struct pool {
	uint32_t item_bytes; /* of one item */
	uint32_t least;	     /* items of the first level; each further one has twice as many */
	_Atomic uint32_t used;
	void *_Atomic level[POOL_LEVELS];
};

static unsigned level_of(const struct pool *pool, uint32_t index)
{
	return 31 - (unsigned)__builtin_clz(index / pool->least + 1);
}

static uint32_t start_of(const struct pool *pool, unsigned level)
{
	return pool->least * ((1U << level) - 1);
}

static void *memory_of(const struct pool *pool, unsigned level)
{
	return atomic_load_explicit(&pool->level[level], memory_order_acquire);
}

static void *pool_at(const struct pool *pool, uint32_t index)
{
	unsigned level = level_of(pool, index);

	return (char *)memory_of(pool, level) +
	       (size_t)(index - start_of(pool, level)) * pool->item_bytes;
}

/* Takes `count` items that lie side by side and are zero.  Returns the first one's index, or
 * POOL_NONE: no room. */
static uint32_t pool_take(struct pool *pool, uint32_t count)
{
	uint32_t index = atomic_load_explicit(&pool->used, memory_order_relaxed);
	unsigned level = level_of(pool, index);
	void *memory;

	if (index + count > start_of(pool, level + 1))
		index = start_of(pool, ++level);
	if (level >= POOL_LEVELS || count > pool->least << level)
		return POOL_NONE;
	if (!memory_of(pool, level)) {
		size_t bytes = (size_t)pool->item_bytes * (pool->least << level);

		if (sys_mmap_apart(&memory, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1))
			return POOL_NONE;
		atomic_store_explicit(&pool->level[level], memory, memory_order_release);
	}
	atomic_store_explicit(&pool->used, index + count, memory_order_release);
	return index;
}

struct text {
	uint64_t hash;
	uint32_t at; /* in `bytes` */
	uint32_t count;
	struct spool_text stored; /* in the spool of this generation */
	uint32_t generation;
	uint32_t unused;
};

struct set {
	uint32_t below;
	uint32_t key; /* a text, like the value */
	uint32_t value;
	uint32_t depth;		 /* number of labels */
	_Atomic uint64_t stored; /* generation << 32 | number in its spool */
};

struct step {
	_Atomic uint64_t check; /* the hash of what was asked, ^ result */
	_Atomic uint64_t result;
};

static struct spool_alloc *spool;
static uint32_t generation = 1; /* of spools.  W: fork child */
static uint64_t stored_bytes;	/* in the present one */
static bool is_changing;	/* the indexes.  A fork's child drops what was half changed */
static struct pool sets = { .item_bytes = sizeof(struct set), .least = 128 };
static struct pool texts = { .item_bytes = sizeof(struct text), .least = 128 };
static struct pool bytes = { .item_bytes = 1, .least = 4096 };
static struct hash_index set_index, text_index;
static struct step steps[STEPS];

void label_table_start(struct spool_alloc *new_spool)
{
	/* each is stored only if it changes: a fork's child then copies no page */
	if (spool != new_spool)
		spool = new_spool;
	if (!atomic_load_explicit(&sets.used, memory_order_relaxed))
		return;
	generation++;
	stored_bytes = 0;
	if (!is_changing)
		return;
	hash_index_clear(&set_index);
	hash_index_clear(&text_index);
	is_changing = false;
}

bool label_table_is_used(void)
{
	return spool;
}

static struct set *set_at(uint32_t set)
{
	return pool_at(&sets, set);
}

static struct text *text_at(uint32_t text)
{
	return pool_at(&texts, text);
}

bool label_table_has(uint32_t set)
{
	return set && set < atomic_load_explicit(&sets.used, memory_order_acquire);
}

uint32_t label_table_number(uint32_t set)
{
	uint64_t stored =
		set ? atomic_load_explicit(&set_at(set)->stored, memory_order_acquire) : 0;

	return stored >> 32 == generation ? (uint32_t)stored : 0;
}

static uint64_t step_hash(uint32_t set, const struct label_text *key,
			  const struct label_text *value)
{
	return code_mix(code_mix(code_mix(0x9ae16a3b2f90404fULL, set), key->hash), value->hash);
}

bool label_table_find(uint32_t set, const struct label_text *key, const struct label_text *value,
		      uint32_t *found)
{
	uint64_t hash = step_hash(set, key, value);
	const struct step *step = &steps[hash & (STEPS - 1)];
	uint64_t result = atomic_load_explicit(&step->result, memory_order_acquire);

	*found = (uint32_t)result;
	return hash && (atomic_load_explicit(&step->check, memory_order_acquire) ^ result) == hash;
}

static void keep_step(uint64_t hash, uint32_t result)
{
	struct step *step = &steps[hash & (STEPS - 1)];

	atomic_store_explicit(&step->check, hash ^ result, memory_order_release);
	atomic_store_explicit(&step->result, result, memory_order_release);
}

static bool has_room(uint64_t more)
{
	uint64_t size = atomic_load_explicit(&spool->size_bytes, memory_order_relaxed);

	return stored_bytes + more <= size / ROOM_SHARE;
}

static uint32_t text_number(const struct label_text *from)
{
	uint64_t hash = from->hash | !from->hash;
	uint32_t number = hash_index_find(&text_index, hash), at;
	struct text *text;

	if (number)
		return number;
	if (!has_room(from->count) || !hash_index_has_room(&text_index))
		return 0;
	at = pool_take(&bytes, from->count);
	number = pool_take(&texts, 1);
	if (at == POOL_NONE || number == POOL_NONE)
		return 0;
	text = text_at(number);
	*text = (struct text){ .hash = hash, .at = at, .count = from->count };
	memcpy(pool_at(&bytes, at), from->bytes, from->count);
	hash_index_add(&text_index, hash, number);
	return number;
}

static bool store_text(uint32_t number, struct spool_text *stored)
{
	struct text *text = text_at(number);

	if (text->generation != generation) {
		if (!has_room(text->count) ||
		    !script_store_text(pool_at(&bytes, text->at), text->count, text->hash,
				       &text->stored))
			return false;
		stored_bytes += text->count;
		text->generation = generation;
	}
	*stored = text->stored;
	return true;
}

static uint32_t store_set(uint32_t number)
{
	struct set *set = set_at(number);
	struct spool_label label = { .below = label_table_number(set->below) };
	uint32_t stored;

	if (!has_room(sizeof(label)) || !store_text(set->key, &label.key) ||
	    !store_text(set->value, &label.value))
		return 0;
	stored = script_store_label(&label);
	if (!stored)
		return 0;
	stored_bytes += sizeof(label);
	atomic_store_explicit(&set->stored, (uint64_t)generation << 32 | stored,
			      memory_order_release);
	return stored;
}

static uint32_t store_all(uint32_t set)
{
	uint32_t missing[SPOOL_LABEL_SET_MAX], count = 0, stored = 0;

	for (; set && count < SPOOL_LABEL_SET_MAX; set = set_at(set)->below) {
		stored = label_table_number(set);
		if (stored)
			break;
		missing[count++] = set;
	}
	while (count) {
		stored = store_set(missing[--count]);
		if (!stored)
			return 0;
	}
	return stored;
}

static uint32_t set_with(uint32_t below, uint32_t key, uint32_t value)
{
	uint64_t hash =
		code_mix(code_mix(0xc3a5c85c97cb3127ULL, below), (uint64_t)key << 32 | value);
	uint32_t number, depth = below ? set_at(below)->depth : 0;

	hash |= !hash;
	number = hash_index_find(&set_index, hash);
	if (!number) {
		if (depth == SPOOL_LABEL_SET_MAX || !has_room(sizeof(struct spool_label)) ||
		    !hash_index_has_room(&set_index))
			return 0;
		number = pool_take(&sets, 1);
		if (number == POOL_NONE)
			return 0;
		*set_at(number) = (struct set){ below, key, value, depth + 1, 0 };
		hash_index_add(&set_index, hash, number);
	}
	return store_all(number) ? number : 0;
}

static uint32_t label_of(uint32_t set, uint32_t key)
{
	while (set && set_at(set)->key != key)
		set = set_at(set)->below;
	return set;
}

/* Takes a label out of a set, together with those above it, which are put back. */
static uint32_t set_without(uint32_t set, uint32_t label, bool *lacking)
{
	uint32_t above[SPOOL_LABEL_SET_MAX], count = 0, rest = set_at(label)->below, with;

	for (; set != label && count < SPOOL_LABEL_SET_MAX; set = set_at(set)->below)
		above[count++] = set;
	while (count) {
		const struct set *of = set_at(above[--count]);

		with = set_with(rest, of->key, of->value);
		if (with)
			rest = with;
		else
			*lacking = true;
	}
	return rest;
}

static uint32_t make(uint32_t set, const struct label_text *key, const struct label_text *value,
		     bool *lacking)
{
	uint32_t key_number = text_number(key);
	uint32_t value_number = value->count && key_number ? text_number(value) : 0;
	uint32_t label = label_of(set, key_number), with;

	if (label && value_number && set_at(label)->value == value_number)
		return set;
	if (label)
		set = set_without(set, label, lacking);
	if (!value->count)
		return set;
	with = value_number ? set_with(set, key_number, value_number) : 0;
	if (with)
		return with;
	*lacking = true;
	return set;
}

/* Number 0 is nothing, in every list. */
static bool prepare(void)
{
	return atomic_load_explicit(&sets.used, memory_order_relaxed) ||
	       (pool_take(&texts, 1) != POOL_NONE && pool_take(&sets, 1) != POOL_NONE);
}

static bool begin(bool patiently)
{
	if (!script_table_lock(patiently))
		return false;
	is_changing = true;
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}

static void end(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	is_changing = false;
	script_table_unlock();
}

uint32_t label_table_make(uint32_t set, const struct label_text *key,
			  const struct label_text *value, bool *lacking)
{
	uint32_t result = set;

	*lacking = true;
	if (!begin(true))
		return set;
	if (prepare()) {
		*lacking = false;
		result = make(set, key, value, lacking);
		if (result && !store_all(result)) /* a fork's child may have had it already */
			*lacking = true;
		if (!*lacking)
			keep_step(step_hash(set, key, value), result);
	}
	end();
	return result;
}

uint32_t label_table_store(uint32_t set, bool patiently)
{
	uint32_t stored;

	if (!set || !begin(patiently))
		return 0;
	stored = store_all(set);
	end();
	return stored;
}
