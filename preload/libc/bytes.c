/*
 * Functions of <string.h> under their own names, hidden.  All references of this library end here,
 * including those that the compiler makes.  Any other preloaded library can replace libc's
 * functions, and its code would then run in our handler.
 *
 * Law: none calls another.  The compiler must not recognise a loop as one of these functions and
 * replace it by a call of itself: OPAQUE hides from the compiler what the loop does.
 */
#include "preload/libc/bytes.h"

#include <stdbool.h>
#include <stdint.h>

#define OPAQUE(variable) __asm__ volatile("" : "+r"(variable))

/* Eight bytes at any address. */
struct word {
	uint64_t value;
} __attribute__((packed, may_alias));

/* Four words at a time, because records and counts are copied and cleared for each sample. */
void *bytes_copy(void *restrict to, const void *restrict from, size_t size)
{
	const char *source = from;
	char *at = to;

	for (; size >= 32; size -= 32, at += 32, source += 32) {
		const struct word *words = (const struct word *)source;
		uint64_t a = words[0].value, b = words[1].value;
		uint64_t c = words[2].value, d = words[3].value;

		((struct word *)at)[0].value = a;
		((struct word *)at)[1].value = b;
		((struct word *)at)[2].value = c;
		((struct word *)at)[3].value = d;
		OPAQUE(source);
	}
	for (; size >= 8; size -= 8, at += 8, source += 8) {
		((struct word *)at)->value = ((const struct word *)source)->value;
		OPAQUE(source);
	}
	for (; size; size--) {
		*at++ = *source++;
		OPAQUE(source);
	}
	return to;
}

void *bytes_move(void *to, const void *from, size_t size)
{
	const char *source = (const char *)from + size;

	if ((uintptr_t)to - (uintptr_t)from >= size) {
		char *at = to;

		source = from;
		for (; size; size--) {
			*at++ = *source++;
			OPAQUE(source);
		}
		return to;
	}
	for (char *at = (char *)to + size; at > (char *)to;) {
		*--at = *--source;
		OPAQUE(source);
	}
	return to;
}

void *bytes_set(void *to, int byte, size_t size)
{
	uint64_t word = (unsigned char)byte * 0x0101010101010101ULL;
	char *at = to;

	for (; size >= 32; size -= 32, at += 32) {
		for (unsigned i = 0; i < 4; i++)
			((struct word *)at)[i].value = word;
		OPAQUE(at);
	}
	for (; size >= 8; size -= 8, at += 8) {
		((struct word *)at)->value = word;
		OPAQUE(at);
	}
	for (; size; size--) {
		*at++ = (char)byte;
		OPAQUE(at);
	}
	return to;
}

int bytes_compare(const void *left, const void *right, size_t size)
{
	const unsigned char *a = left, *b = right;

	for (; size; size--, a++, b++) {
		OPAQUE(a);
		if (*a != *b)
			return *a - *b;
	}
	return 0;
}

void *bytes_find(const void *bytes, int byte, size_t size)
{
	const unsigned char *at = bytes;

	for (; size; size--, at++) {
		OPAQUE(at);
		if (*at == (unsigned char)byte)
			return (void *)(uintptr_t)at;
	}
	return NULL;
}

size_t bytes_length(const char *text)
{
	const char *at = text;

	while (*at) {
		at++;
		OPAQUE(at);
	}
	return (size_t)(at - text);
}

size_t bytes_length_most(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && text[length]) {
		length++;
		OPAQUE(length);
	}
	return length;
}

int bytes_compare_text(const char *left, const char *right)
{
	for (; *left && *left == *right; left++, right++)
		OPAQUE(left);
	return (unsigned char)*left - (unsigned char)*right;
}

int bytes_compare_most(const char *left, const char *right, size_t most)
{
	for (; most && *left && *left == *right; most--, left++, right++)
		OPAQUE(left);
	return most ? (unsigned char)*left - (unsigned char)*right : 0;
}

char *bytes_first(const char *text, int byte)
{
	for (;; text++) {
		OPAQUE(text);
		if (*text == (char)byte)
			return (char *)(uintptr_t)text;
		if (!*text)
			return NULL;
	}
}

char *bytes_last(const char *text, int byte)
{
	const char *found = NULL;

	for (;; text++) {
		OPAQUE(text);
		if (*text == (char)byte)
			found = text;
		if (!*text)
			return (char *)(uintptr_t)found;
	}
}

/* Number of bytes at the start of `text` that are (or are not) in `among`. */
static size_t span(const char *text, const char *among, bool wanted)
{
	const char *at = text;

	for (; *at; at++) {
		const char *one = among;

		while (*one && *one != *at) {
			one++;
			OPAQUE(one);
		}
		if ((*one != 0) != wanted)
			break;
	}
	return (size_t)(at - text);
}

size_t bytes_span(const char *text, const char *among)
{
	return span(text, among, true);
}

size_t bytes_span_not(const char *text, const char *among)
{
	return span(text, among, false);
}

char *bytes_find_text(const char *text, const char *wanted)
{
	for (;; text++) {
		const char *at = text, *one = wanted;

		for (; *one && *one == *at; one++, at++)
			OPAQUE(at);
		if (!*one)
			return (char *)(uintptr_t)text;
		if (!*text)
			return NULL;
	}
}

char *bytes_first_of(const char *text, const char *among)
{
	const char *found = text + span(text, among, false);

	return *found ? (char *)(uintptr_t)found : NULL;
}

char *bytes_copy_text(char *restrict to, const char *restrict from)
{
	char *at = to;

	for (; *from; at++, from++) {
		*at = *from;
		OPAQUE(at);
	}
	*at = '\0';
	return to;
}

void *bytes_find_bytes(const void *bytes, size_t size, const void *wanted, size_t wanted_size)
{
	const char *text = bytes, *one = wanted;

	for (; size >= wanted_size; size--, text++) {
		size_t same = 0;

		while (same < wanted_size && text[same] == one[same]) {
			same++;
			OPAQUE(same);
		}
		if (same == wanted_size)
			return (void *)(uintptr_t)text;
	}
	return NULL;
}
