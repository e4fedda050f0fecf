/* Shared by fuzz targets that read bytes as a table of names. */
#ifndef TESTS_FUZZ_NAME_TABLES_H
#define TESTS_FUZZ_NAME_TABLES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_ADDRESSES 8

/* In user space and the kernel's, at their ends and in the middle. */
static const uint64_t names_addresses[NAMES_ADDRESSES] = {
	0, 1, 0x1000, 0x1fff, 0x401000, 0xffffffff81000010, 0xffffffffc0000000, UINT64_MAX,
};

/* Reads every byte of it. */
static inline void names_use(const char *name)
{
	if (name && strlen(name) > (size_t)1 << 30)
		abort();
}

/* The input as a file; it is not empty. */
static inline FILE *names_file(const uint8_t *data, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");

	if (!file)
		abort();
	return file;
}

#endif
