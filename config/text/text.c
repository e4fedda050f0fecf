/* One length check, in text_add_bytes(), bounds everything that is appended. */
#include "config/text/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define DISTANCE_MAX 63 /* bytes that text_distance() compares */

struct text text_into(char *bytes, size_t size)
{
	bytes[0] = '\0';
	return (struct text){ .bytes = bytes, .size = size };
}

void text_add_bytes(struct text *text, const char *more, size_t count)
{
	size_t room = text->size - 1 - text->used;

	if (count > room) {
		text->cut = true;
		count = room;
	}
	memcpy(text->bytes + text->used, more, count);
	text->used += count;
	text->bytes[text->used] = '\0';
}

void text_add(struct text *text, const char *more)
{
	text_add_bytes(text, more, strlen(more));
}

static void add_list(struct text *text, const char *first, va_list more)
{
	for (; first; first = va_arg(more, const char *))
		text_add(text, first);
}

void text_add_all(struct text *text, const char *first, ...)
{
	va_list more;

	va_start(more, first);
	add_list(text, first, more);
	va_end(more);
}

static void add_in_base(struct text *text, uint64_t number, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	text_add_bytes(text, digits + at, sizeof(digits) - at);
}

void text_number(struct text *text, uint64_t number)
{
	add_in_base(text, number, 10);
}

void text_hex(struct text *text, uint64_t number)
{
	add_in_base(text, number, 16);
}

void text_escaped(struct text *text, const char *more, size_t length, size_t limit)
{
	static const char hex[] = "0123456789abcdef";
	size_t shown = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)more[i];
		char escape[4] = { '\\', 'x', hex[byte >> 4], hex[byte & 15] };
		size_t width = byte >= 0x20 && byte < 0x7f ? 1 : sizeof(escape);

		if (shown + width > limit) {
			text_add(text, "...");
			return;
		}
		text_add_bytes(text, width == 1 ? more + i : escape, width);
		shown += width;
	}
}

#define NAMED(number)           \
	{                       \
		number, #number \
	}

static const struct {
	int number;
	const char *name;
} errors[] = {
	NAMED(EACCES),	   NAMED(EPERM),  NAMED(ENOENT),    NAMED(ENOSYS),    NAMED(EINVAL),
	NAMED(E2BIG),	   NAMED(EMFILE), NAMED(ENFILE),    NAMED(ENOSPC),    NAMED(ENODEV),
	NAMED(EOPNOTSUPP), NAMED(EBUSY),  NAMED(ENOMEM),    NAMED(EROFS),     NAMED(ENOTDIR),
	NAMED(ELOOP),	   NAMED(EFBIG),  NAMED(EDQUOT),    NAMED(EIO),	      NAMED(EFAULT),
	NAMED(EINTR),	   NAMED(EAGAIN), NAMED(ESRCH),	    NAMED(EEXIST),    NAMED(ENAMETOOLONG),
	NAMED(EBADF),	   NAMED(ENXIO),  NAMED(EOVERFLOW), NAMED(ETIMEDOUT), NAMED(ENODATA),
	NAMED(ETIME),
};

const char *text_errno(int err)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].number == (err < 0 ? -err : err))
			return errors[i].name;
	return NULL;
}

bool text_copy_bytes(char *to, size_t size, const char *from, size_t count)
{
	struct text text = text_into(to, size);

	text_add_bytes(&text, from, count);
	return !text.cut;
}

bool text_make(char *to, size_t size, const char *first, ...)
{
	struct text text = text_into(to, size);
	va_list more;

	va_start(more, first);
	add_list(&text, first, more);
	va_end(more);
	return !text.cut;
}

bool text_copy(char *to, size_t size, const char *from)
{
	return text_copy_bytes(to, size, from, strlen(from));
}

uint64_t text_to_number(const char *digits, unsigned base, const char **end)
{
	uint64_t value = 0;

	for (;; digits++) {
		if (*digits >= '0' && *digits <= '9')
			value = value * base + (uint64_t)(*digits - '0');
		else if (base == 16 && *digits >= 'a' && *digits <= 'f')
			value = value * base + (uint64_t)(*digits - 'a' + 10);
		else
			break;
	}
	if (end)
		*end = digits;
	return value;
}

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/* The restricted Damerau-Levenshtein distance.  It needs three rows of the table only. */
unsigned text_distance(const char *one, size_t one_length, const char *other, size_t other_length)
{
	unsigned char row[3][DISTANCE_MAX + 1];
	unsigned char *before = row[0];
	unsigned char *last = row[1];
	unsigned char *now = row[2];

	if (one_length > DISTANCE_MAX)
		one_length = DISTANCE_MAX;
	if (other_length > DISTANCE_MAX)
		other_length = DISTANCE_MAX;
	for (size_t j = 0; j <= other_length; j++)
		now[j] = (unsigned char)j;
	for (size_t i = 1; i <= one_length; i++) {
		unsigned char *free_row = before;

		before = last;
		last = now;
		now = free_row;
		now[0] = (unsigned char)i;
		for (size_t j = 1; j <= other_length; j++) {
			bool same = one[i - 1] == other[j - 1];
			unsigned cost = least(last[j] + 1u, now[j - 1] + 1u);

			cost = least(cost, last[j - 1] + (same ? 0u : 1u));
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] &&
			    one[i - 2] == other[j - 1])
				cost = least(cost, before[j - 2] + 1u);
			now[j] = (unsigned char)cost;
		}
	}
	return now[other_length];
}
