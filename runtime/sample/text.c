#include "runtime/sample/text.h"

#include <errno.h>
#include <string.h>

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

#define ERRNO_NAMES(X)                                                                         \
	X(EACCES)                                                                              \
	X(EPERM)                                                                               \
	X(ENOENT)                                                                              \
	X(ENOSYS)                                                                              \
	X(EINVAL)                                                                              \
	X(E2BIG)                                                                               \
	X(EMFILE)                                                                              \
	X(ENFILE)                                                                              \
	X(ENOSPC)                                                                              \
	X(ENODEV)                                                                              \
	X(EOPNOTSUPP)                                                                          \
	X(EBUSY)                                                                               \
	X(ENOMEM)                                                                              \
	X(EROFS) X(ENOTDIR) X(ELOOP) X(EFBIG) X(EDQUOT) X(EIO) X(EFAULT) X(EINTR) X(EAGAIN)    \
		X(ESRCH) X(EEXIST) X(ENAMETOOLONG) X(EBADF) X(ENXIO) X(EOVERFLOW) X(ETIMEDOUT) \
			X(ENODATA) X(ETIME)

const char *text_errno(int err)
{
#define ERRNO_CASE(name) \
	case name:       \
		return #name;
	switch (err < 0 ? -err : err) {
		ERRNO_NAMES(ERRNO_CASE)
	default:
		return NULL;
	}
}

bool text_copy(char *to, size_t size, const char *from)
{
	struct text text = text_into(to, size);

	text_add(&text, from);
	return !text.cut;
}
