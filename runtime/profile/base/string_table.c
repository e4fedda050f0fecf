/*
 * Texts lie in blocks that never move.  An array of pointers maps number to text.  A hash map maps
 * text to number, with two independent 64-bit hashes as key.  Texts that agree in both hashes are
 * compared, and chained if they differ.
 */
#include "runtime/profile/base/string_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/profile/base/grow.h"

#define BLOCK_BYTES 65536

struct string_table_block {
	struct string_table_block *next;
	char bytes[];
};

struct string_table_text {
	const char *bytes;
	size_t length;
	uint32_t next; /* another text with the same hashes; 0: none */
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

void string_table_free(struct string_table *strings)
{
	while (strings->blocks) {
		struct string_table_block *next = strings->blocks->next;

		free(strings->blocks);
		strings->blocks = next;
	}
	free(strings->texts);
	map_free(&strings->map);
	*strings = (struct string_table){ 0 };
}

static char *room(struct string_table *strings, size_t bytes)
{
	size_t block_bytes = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
	struct string_table_block *block;

	if (strings->blocks && bytes <= strings->block_left) {
		strings->block_left -= bytes;
		return strings->blocks->bytes + strings->block_left;
	}
	block = malloc(sizeof(*block) + block_bytes);
	if (!block)
		return NULL;
	if (strings->blocks && block_bytes == bytes) {
		/* A large text gets its own block behind the current one, which still has room. */
		block->next = strings->blocks->next;
		strings->blocks->next = block;
		return block->bytes;
	}
	block->next = strings->blocks;
	strings->blocks = block;
	strings->block_left = block_bytes - bytes;
	return block->bytes + strings->block_left;
}

static uint32_t append(struct string_table *strings, const char *text, size_t length)
{
	char *copy;

	if (!grow(&strings->texts, strings->count, sizeof(*strings->texts)))
		return 0;
	copy = room(strings, length + 1);
	if (!copy)
		return 0;
	memcpy(copy, text, length);
	copy[length] = '\0';
	strings->texts[strings->count++] =
		(struct string_table_text){ .bytes = copy, .length = length };
	return strings->count;
}

uint32_t string_table_intern(struct string_table *strings, const char *text, size_t length)
{
	uint32_t *head, number;

	if (!strings->seed && getrandom(&strings->seed, sizeof(strings->seed), GRND_NONBLOCK) < 0)
		strings->seed = (uintptr_t)strings;
	head = map_at(&strings->map, hash(text, length, strings->seed),
		      hash(text, length, ~strings->seed));
	if (!head)
		return 0;
	for (number = *head; number; number = strings->texts[number - 1].next)
		if (strings->texts[number - 1].length == length &&
		    !memcmp(strings->texts[number - 1].bytes, text, length))
			return number;
	number = append(strings, text, length);
	if (!number)
		return 0;
	strings->texts[number - 1].next = *head;
	*head = number;
	return number;
}

const char *string_table_text(const struct string_table *strings, uint32_t number)
{
	return number && number <= strings->count ? strings->texts[number - 1].bytes : "";
}

size_t string_table_length(const struct string_table *strings, uint32_t number)
{
	return number && number <= strings->count ? strings->texts[number - 1].length : 0;
}
