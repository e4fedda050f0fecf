/* Columns are found by a search in the JSON text, which the tests' names do not confuse. */
#include "tests/support/page_columns.h"

#include <zlib.h>

static int digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* Returns the bytes that a text stands for, or NULL; *size is how many. */
static unsigned char *decode(const char *text, size_t length, size_t *size)
{
	unsigned char *bytes = malloc(length + 1);
	size_t made = 0;
	uint32_t bits = 0;
	size_t i = 0;

	for (; i < length && digit(text[i]) >= 0; i++) {
		bits = bits << 6 | (uint32_t)digit(text[i]);
		if (i % 4 != 0)
			bytes[made++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
	}
	*size = made;
	if (length % 4 == 0 && length - i <= 2 && strspn(text + i, "=") >= length - i)
		return bytes;
	free(bytes);
	return NULL;
}

static bool inflate_all(struct page_columns *page, unsigned char *packed, size_t bytes)
{
	z_stream stream = { .next_in = packed, .avail_in = (uInt)bytes };
	size_t room = 1 << 16;
	int status;

	if (inflateInit2(&stream, -15) != Z_OK)
		return false;
	do {
		room *= 2;
		page->bytes = realloc(page->bytes, room + 1);
		stream.next_out = page->bytes + stream.total_out;
		stream.avail_out = (uInt)(room - stream.total_out);
		status = inflate(&stream, Z_NO_FLUSH);
	} while (status == Z_OK && !stream.avail_out);
	page->size = stream.total_out;
	page->bytes[page->size] = '\0';
	inflateEnd(&stream);
	return status == Z_STREAM_END && !stream.avail_in;
}

bool page_columns_read(struct page_columns *page, const char *text, size_t length)
{
	size_t bytes;
	uint32_t json;
	unsigned char *packed;
	bool good;

	*page = (struct page_columns){ .bytes = NULL };
	packed = decode(text, length, &bytes);
	good = packed && inflate_all(page, packed, bytes);
	free(packed);
	if (!good || page->size < sizeof(json))
		return false;
	memcpy(&json, page->bytes, sizeof(json));
	if (json > page->size - sizeof(json))
		return false;
	page->json = strndup((const char *)page->bytes + sizeof(json), json);
	page->start = (sizeof(json) + json + 7) / 8 * 8;
	return strlen(page->json) == json && page->start <= page->size;
}

void page_columns_free(struct page_columns *page)
{
	free(page->bytes);
	free(page->json);
}

/* Returns the place of a column's first value, or NULL. */
static const unsigned char *find(const struct page_columns *page, const char *name, char type[8],
				 size_t *count)
{
	const char *columns = strstr(page->json, "\"columns\":{");
	unsigned long long offset;
	char key[32], kind[5];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":[", name);
	at = columns ? strstr(columns, key) : NULL;
	*count = 0;
	type[0] = '\0';
	if (!at)
		return NULL;
	if (sscanf(at + strlen(key), "\"%4[a-z0-9]\",%llu,%zu]", kind, &offset, count) != 3 ||
	    offset % 8 || offset > page->size - page->start)
		abort();
	snprintf(type, 8, "%s", kind);
	return page->bytes + page->start + offset;
}

static size_t width(const char *type)
{
	return !strncmp(type, "u8", 2)	  ? 1
	       : !strncmp(type, "u16", 3) ? 2
	       : !strncmp(type, "u32", 3) ? 4
					  : 8;
}

size_t page_columns_type(const struct page_columns *page, const char *name, char type[8])
{
	size_t count;
	const unsigned char *at = find(page, name, type, &count);

	if (at && count > (size_t)(page->bytes + page->size - at) / width(type))
		abort();
	return count;
}

static double number(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;
	double real;

	memcpy(&value, at, bytes);
	if (bytes < 8)
		return (double)value;
	memcpy(&real, &value, sizeof(real));
	return real;
}

double page_columns_value(const struct page_columns *page, const char *name, size_t row)
{
	char type[8];
	size_t count;
	const unsigned char *at = find(page, name, type, &count);
	size_t bytes = width(type);
	double sum = 0;

	if (!at)
		return 0;
	if (page_columns_type(page, name, type) <= row)
		abort();
	if (type[strlen(type) - 1] != 'd')
		return number(at + row * bytes, bytes);
	for (size_t i = 0; i <= row; i++)
		sum += number(at + i * bytes, bytes);
	return (double)(uint32_t)(uint64_t)sum;
}
