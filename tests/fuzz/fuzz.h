/* Shared by fuzz targets: what must hold, the input as a text or a file, and headers of libc. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <sys/random.h>

#include "tests/support/libc.h"

#define CHECK(condition)                                                                          \
	do {                                                                                      \
		if (!(condition)) {                                                               \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

#define NAMES_ADDRESSES 8

/* In user space and the kernel's, at their ends and in the middle. */
static const uint64_t names_addresses[NAMES_ADDRESSES] = {
	0, 1, 0x1000, 0x1fff, 0x401000, 0xffffffff81000010, 0xffffffffc0000000, UINT64_MAX,
};

/* In place of libc's: with the same input the same code runs, so what is found once is found again.
 */
ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
	(void)flags;
	memset(buffer, 0x5a, length);
	return (ssize_t)length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input with a zero behind it, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* The input as a file. */
static inline FILE *fuzz_file(const void *data, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");

	CHECK(file);
	return file;
}

/* A file in memory of this size, which begins with these bytes; there is one at a time. */
static inline int fuzz_fd(const void *data, size_t bytes, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	CHECK(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, bytes, 0) == (ssize_t)bytes &&
	      !ftruncate(fd, (off_t)size));
	return fd;
}

/* The path of that file, which holds the input. */
static inline const char *fuzz_path(const uint8_t *data, size_t size)
{
	static char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fuzz_fd(data, size, size));
	return path;
}

/* Neither XML nor a line of text has other control characters. */
static inline void check_characters(const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		CHECK((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
}

/* Brackets outside of strings are pairs.  Returns where the first of them is closed. */
static inline size_t check_json(const char *text, size_t bytes)
{
	size_t closed = 0;
	long depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < bytes; i++) {
		CHECK((unsigned char)text[i] >= ' ' || text[i] == '\n');
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (text[i] == '{' || text[i] == '[') -
				 (text[i] == '}' || text[i] == ']');
		CHECK(depth >= 0);
		if (!depth && !closed)
			closed = i + 1;
	}
	CHECK(!depth && !quoted);
	return closed;
}

/* Reads every byte of it. */
static inline void names_use(const char *name)
{
	CHECK(!name || strlen(name) < (size_t)1 << 30);
}

#endif
