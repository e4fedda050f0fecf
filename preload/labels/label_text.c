/*
 * The kernel copies the texts, both of a label by one call: the program, or another thread of it,
 * may unmap or protect their pages at any instant.  Nothing that is known of a page outlives a
 * call.
 */
#include "preload/labels/label_text.h"

#include <string.h>
#include <sys/uio.h>

#include "runtime/sample/elf/memory.h"

#define PAGE_BYTES 4096UL

/* The bytes up to the end of the page, at most what a text and its NUL may have. */
static size_t part_of(const struct label_source *source, size_t from)
{
	size_t page = PAGE_BYTES - ((uintptr_t)source->from + from) % PAGE_BYTES;
	size_t left = source->max + 1 - from;

	return page < left ? page : left;
}

/* Returns the start of the character that `at` is in, or an earlier place if it is no UTF-8. */
static uint32_t cut(const char *text, uint32_t at)
{
	for (unsigned i = 0; i < 3 && at && ((unsigned char)text[at] & 0xc0) == 0x80; i++)
		at--;
	return at;
}

/* Goes on behind the first `had` bytes, which were copied, to the end of the text. */
static bool finish(const struct label_source *source, size_t had, struct label_text *text)
{
	size_t count = strnlen(source->into, had), part;

	while (count == had && had <= source->max) {
		part = part_of(source, had);
		if (!memory_copy(source->into + had, (uintptr_t)source->from + had, part))
			return false;
		had += part;
		count += strnlen(source->into + count, part);
	}
	if (count > source->max)
		count = cut(source->into, source->max);
	*text = (struct label_text){ source->into, (uint32_t)count,
				     label_table_hash(source->into, (uint32_t)count) };
	return true;
}

bool label_text_read(const struct label_source *key, const struct label_source *value,
		     struct label_text *key_text, struct label_text *value_text)
{
	size_t key_part = part_of(key, 0), value_part = part_of(value, 0);
	const struct iovec to[] = { { key->into, key_part }, { value->into, value_part } };
	const struct iovec from[] = { { (void *)(uintptr_t)key->from, key_part },
				      { (void *)(uintptr_t)value->from, value_part } };
	size_t copied = memory_copy_vector(to, from, 2);

	return finish(key, copied < key_part ? 0 : key_part, key_text) &&
	       finish(value, copied < key_part + value_part ? 0 : value_part, value_text);
}
