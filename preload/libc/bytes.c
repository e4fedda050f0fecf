/*
 * Functions of <string.h>, hidden: the assembler names bind libc's names in the sources, and those
 * that the compiler uses by itself, to them.  Any other preloaded library can replace libc's
 * functions, and its code would then run in our handler.
 *
 * Law: none but those at the end calls another.  The compiler must not recognise a loop as one of
 * these functions and replace it by a call of itself: OPAQUE hides from it what the loop does.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* string(3) and bstring(3) describe them.  Context of all: any, signal included. */
void *bytes_copy(void *restrict to, const void *restrict from, size_t size) __asm__("memcpy");
void *bytes_move(void *to, const void *from, size_t size) __asm__("memmove");
void *bytes_set(void *to, int byte, size_t size) __asm__("memset");
int bytes_compare(const void *left, const void *right, size_t size) __asm__("memcmp");
void *bytes_find(const void *bytes, int byte, size_t size) __asm__("memchr");
size_t bytes_length(const char *text) __asm__("strlen");
size_t bytes_length_most(const char *text, size_t most) __asm__("strnlen");
int bytes_compare_text(const char *left, const char *right) __asm__("strcmp");
int bytes_compare_most(const char *left, const char *right, size_t most) __asm__("strncmp");
char *bytes_first(const char *text, int byte) __asm__("strchr");
char *bytes_last(const char *text, int byte) __asm__("strrchr");
size_t bytes_span(const char *text, const char *among) __asm__("strspn");
size_t bytes_span_not(const char *text, const char *among) __asm__("strcspn");
char *bytes_find_text(const char *text, const char *wanted) __asm__("strstr");
char *bytes_first_of(const char *text, const char *among) __asm__("strpbrk");
char *bytes_copy_text(char *restrict to, const char *restrict from) __asm__("strcpy");
void *bytes_find_bytes(const void *bytes, size_t size, const void *wanted,
		       size_t wanted_size) __asm__("memmem");

/* The functions that compilers call in place of these with -D_FORTIFY_SOURCE, where `room` is
 * the known size of `to`, and the one that clang calls for a comparison with 0. */
void *bytes_copy_within(void *restrict to, const void *restrict from, size_t size,
			size_t room) __asm__("__memcpy_chk");
void *bytes_move_within(void *to, const void *from, size_t size,
			size_t room) __asm__("__memmove_chk");
void *bytes_set_within(void *to, int byte, size_t size, size_t room) __asm__("__memset_chk");
char *bytes_copy_text_within(char *restrict to, const char *restrict from,
			     size_t room) __asm__("__strcpy_chk");
char *bytes_append_within(char *restrict to, const char *restrict from,
			  size_t room) __asm__("__strcat_chk");
int bytes_differ(const void *left, const void *right, size_t size) __asm__("bcmp");

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

/* If the destination is too small, the process ends before anything is overwritten, as with libc's
 * own functions. */
static void check(size_t size, size_t room)
{
	if (size > room)
		__builtin_trap();
}

void *bytes_copy_within(void *restrict to, const void *restrict from, size_t size, size_t room)
{
	check(size, room);
	return bytes_copy(to, from, size);
}

void *bytes_move_within(void *to, const void *from, size_t size, size_t room)
{
	check(size, room);
	return bytes_move(to, from, size);
}

void *bytes_set_within(void *to, int byte, size_t size, size_t room)
{
	check(size, room);
	return bytes_set(to, byte, size);
}

char *bytes_copy_text_within(char *restrict to, const char *restrict from, size_t room)
{
	size_t size = bytes_length(from) + 1;

	check(size, room);
	return bytes_copy(to, from, size);
}

char *bytes_append_within(char *restrict to, const char *restrict from, size_t room)
{
	size_t length = bytes_length(to), size = bytes_length(from) + 1;

	check(length, room);
	check(size, room - length);
	bytes_copy(to + length, from, size);
	return to;
}

int bytes_differ(const void *left, const void *right, size_t size)
{
	return bytes_compare(left, right, size);
}
