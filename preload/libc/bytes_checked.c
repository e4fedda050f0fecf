/*
 * Functions of bytes.h that know the size of their destination.  If it is too small, the process
 * ends before anything is overwritten, as with libc's own functions.
 */
#include "preload/libc/bytes.h"

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
