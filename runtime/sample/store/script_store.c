/*
 * Bytes and entries are complete before the count of their chunk is released, and a chunk is
 * complete before it is linked.  So whoever reads the spool, at any moment of this process or after
 * its death, finds whole functions whose texts are all there.  A text that finds no room half way
 * leaves bytes to which nothing refers.
 */
#include "runtime/sample/store/script_table.h"

#include <string.h>

#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/poison.h"

#define CHUNK_ROOM   (SPOOL_CHUNK_BYTES - SPOOL_CHUNK_HEAD)
#define ROOM_SHARE   4 /* functions and labels take at most this part of the spool */
#define ROOMY_SHARE  8 /* long texts, this part */
#define NUMBER_MAX   262144u
#define LABELS_MAX   (1u << 30)
#define RECENT_TEXTS 2048 /* a power of two */
#define SHARED_LEAST 2	  /* a text of one byte is not worth a place among the recent ones */

struct list {
	struct spool_chunk *chunk; /* the last; NULL: none */
	uint64_t chunks;
};

struct recent {
	uint64_t hash;
	struct spool_text text;
};

static struct spool_alloc *spool;
static struct list texts, codes, labels;
static uint64_t text_bytes;		     /* in the list of texts */
static uint32_t code_numbers, label_numbers; /* in their lists */
static bool is_full;			     /* something found no room, and never will */
static struct recent recent[RECENT_TEXTS];

void script_store_start(struct spool_alloc *new_spool)
{
	spool = new_spool;
	if (!texts.chunk && !codes.chunk && !labels.chunk && !is_full)
		return; /* nor copy pages for it */
	texts = codes = labels = (struct list){ 0 };
	text_bytes = code_numbers = label_numbers = 0;
	is_full = false;
	memset(recent, 0, sizeof(recent));
}

static bool is_within(unsigned share)
{
	uint64_t size = atomic_load_explicit(&spool->size_bytes, memory_order_relaxed);

	return (texts.chunks + codes.chunks + labels.chunks + 1) * SPOOL_CHUNK_BYTES <=
	       size / share;
}

bool script_store_is_roomy(void)
{
	return is_within(ROOMY_SHARE);
}

bool script_store_is_full(void)
{
	return is_full;
}

static bool add_chunk(struct list *list, _Atomic uint64_t *first, enum spool_chunk_kind kind)
{
	_Atomic uint64_t *link = list->chunk ? &list->chunk->next : first;
	struct spool_chunk *chunk;

	if (!is_within(ROOM_SHARE)) {
		is_full = true;
		return false;
	}
	chunk = spool_alloc_take(spool, kind, false);
	if (!chunk)
		return false;
	chunk->number = list->chunks++;
	atomic_store_explicit(link, spool_alloc_offset(spool, chunk),
			      memory_order_release); /* pairs with the reader's acquire */
	list->chunk = chunk;
	return true;
}

static uint32_t count_of(const struct spool_chunk *chunk)
{
	return atomic_load_explicit(&chunk->count, memory_order_relaxed);
}

static bool append(const char *bytes, size_t count)
{
	while (count) {
		uint32_t used = texts.chunk ? count_of(texts.chunk) : CHUNK_ROOM;
		size_t part = CHUNK_ROOM - used;

		if (!part) {
			if (!add_chunk(&texts, &spool->header->first_text, SPOOL_CHUNK_TEXTS))
				return false;
			continue;
		}
		if (part > count)
			part = count;
		memcpy((char *)texts.chunk + SPOOL_CHUNK_HEAD + used, bytes, part);
		atomic_store_explicit(&texts.chunk->count, used + (uint32_t)part,
				      memory_order_release); /* publishes the bytes */
		text_bytes += part;
		bytes += part;
		count -= part;
	}
	return true;
}

bool script_store_text(const char *bytes, size_t count, uint64_t hash, struct spool_text *text)
{
	struct recent *known = &recent[hash & (RECENT_TEXTS - 1)];
	uint64_t at = text_bytes;

	if (count >= SHARED_LEAST && known->hash == hash && known->text.bytes == count) {
		*text = known->text;
		return true;
	}
	if (at + count > UINT32_MAX) {
		is_full = true;
		return false;
	}
	if (!append(bytes, count))
		return false;
	*text = (struct spool_text){ .at = (uint32_t)at, .bytes = (uint32_t)count };
	if (count >= SHARED_LEAST)
		*known = (struct recent){ hash, *text };
	return true;
}

/* Publishes an entry of a list whose chunks hold `capacity` of them. */
static bool add_entry(struct list *list, _Atomic uint64_t *first, enum spool_chunk_kind kind,
		      const void *entry, size_t bytes)
{
	const uint32_t capacity = (uint32_t)(CHUNK_ROOM / bytes);
	uint32_t count = list->chunk ? count_of(list->chunk) : capacity;

	if (count == capacity) {
		if (!add_chunk(list, first, kind))
			return false;
		count = 0;
	}
	memcpy((char *)list->chunk + SPOOL_CHUNK_HEAD + count * bytes, entry, bytes);
	atomic_store_explicit(&list->chunk->count, count + 1,
			      memory_order_release); /* publishes the entry */
	return true;
}

uint32_t script_store_code(const struct spool_code *code)
{
	if (code_numbers == NUMBER_MAX) {
		is_full = true;
		return 0;
	}
	if (!add_entry(&codes, &spool->header->first_code, SPOOL_CHUNK_CODES, code, sizeof(*code)))
		return 0;
	return ++code_numbers;
}

uint32_t script_store_label(const struct spool_label *label)
{
	if (label_numbers == LABELS_MAX || !add_entry(&labels, &spool->header->first_label,
						      SPOOL_CHUNK_LABELS, label, sizeof(*label)))
		return 0;
	return ++label_numbers;
}
