/*
 * Texts lie in blocks that never move; a table of pointers gives number to text, and a hash
 * map gives text to number: by two independent hashes of 64 bits.  Texts that agree in both
 * are compared, and chained when they differ after all.
 */
#include "runtime/fold/base/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/fold/base/map.h"

#define BLOCK_BYTES 65536

struct block {
	struct block *next;
	char bytes[];
};

struct text {
	const char *bytes;
	size_t length;
	uint32_t next; /* another text with the same hashes; 0: none */
};

struct names {
	struct map *map;
	struct text *texts; /* [0] is unused */
	uint32_t count;
	uint32_t capacity;
	struct block *blocks;
	size_t block_left;
	uint64_t seed;
};

static uint64_t hash(const char *text, size_t length, uint64_t seed)
{
	uint64_t h = seed ^ (length * 0x9e3779b97f4a7c15ULL);

	for (size_t i = 0; i < length; i++) {
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ULL;
		h ^= h >> 29;
	}
	return h;
}

struct names *names_new(void)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->map = map_new();
	if (!names->map) {
		free(names);
		return NULL;
	}
	if (getrandom(&names->seed, sizeof(names->seed), GRND_NONBLOCK) < 0)
		names->seed = (uintptr_t)names;
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	while (names->blocks) {
		struct block *next = names->blocks->next;

		free(names->blocks);
		names->blocks = next;
	}
	free(names->texts);
	map_free(names->map);
	free(names);
}

static char *room(struct names *names, size_t bytes)
{
	size_t block_bytes = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
	struct block *block;

	if (names->blocks && bytes <= names->block_left) {
		names->block_left -= bytes;
		return names->blocks->bytes + names->block_left;
	}
	block = malloc(sizeof(*block) + block_bytes);
	if (!block)
		return NULL;
	if (names->blocks && block_bytes == bytes) {
		/* A block of its own goes behind the current one, which still has room. */
		block->next = names->blocks->next;
		names->blocks->next = block;
		return block->bytes;
	}
	block->next = names->blocks;
	names->blocks = block;
	names->block_left = block_bytes - bytes;
	return block->bytes + names->block_left;
}

static uint32_t append(struct names *names, const char *text, size_t length)
{
	char *copy;

	if (names->count + 1 >= names->capacity) {
		uint32_t capacity = names->capacity ? names->capacity * 2 : 256;
		struct text *texts = reallocarray(names->texts, capacity, sizeof(*texts));

		if (!texts)
			return 0;
		names->texts = texts;
		names->capacity = capacity;
	}
	copy = room(names, length + 1);
	if (!copy)
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	names->texts[++names->count] = (struct text){ .bytes = copy, .length = length };
	return names->count;
}

uint32_t names_intern(struct names *names, const char *text, size_t length)
{
	uint32_t *head = map_at(names->map, hash(text, length, names->seed),
				hash(text, length, ~names->seed));
	uint32_t number;

	if (!head)
		return 0;
	for (number = *head; number; number = names->texts[number].next)
		if (names->texts[number].length == length &&
		    !memcmp(names->texts[number].bytes, text, length))
			return number;
	number = append(names, text, length);
	if (!number)
		return 0;
	names->texts[number].next = *head;
	*head = number;
	return number;
}

const char *names_text(const struct names *names, uint32_t number)
{
	return number && number <= names->count ? names->texts[number].bytes : "";
}

size_t names_length(const struct names *names, uint32_t number)
{
	return number && number <= names->count ? names->texts[number].length : 0;
}

uint32_t names_count(const struct names *names)
{
	return names->count;
}
