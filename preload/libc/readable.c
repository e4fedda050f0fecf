/* Asks the kernel once for each page, without copying anything. */
#include "preload/libc/readable.h"

#include <stdint.h>

#include "runtime/sample/elf/memory.h"

#define PAGE_BYTES 4096
#define NOT_YET	   1 /* no page has this address */

/* *seen is the last page that was found readable.  The next byte is nearly always on it too. */
static bool see(uintptr_t *seen, const void *at)
{
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE_BYTES - 1);

	if (page == *seen)
		return true;
	if (!memory_is_readable(page))
		return false;
	*seen = page;
	return true;
}

bool readable_bytes(const void *at, size_t bytes)
{
	uintptr_t seen = NOT_YET;

	for (size_t i = 0; i < bytes; i++)
		if (!see(&seen, (const char *)at + i))
			return false;
	return true;
}

static bool string(uintptr_t *seen, const char *text)
{
	do {
		if (!see(seen, text))
			return false;
	} while (*text++);
	return true;
}

bool readable_string(const char *text)
{
	uintptr_t seen = NOT_YET;

	return string(&seen, text);
}

bool readable_strings(char *const list[])
{
	uintptr_t seen = NOT_YET, strings = NOT_YET;

	for (;; list++) {
		if (!see(&seen, list) || !see(&seen, (const char *)(list + 1) - 1))
			return false;
		if (!*list)
			return true;
		if (!string(&strings, *list))
			return false;
	}
}
