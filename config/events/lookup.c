/*
 * The command lends the lookups, because it may read files and load libraries.  A profiled program
 * has none: names that were looked up before the start come as text, in an environment variable.
 */
#include "config/events/lookup.h"

#include <errno.h>
#include <string.h>

#include "config/text/text.h"

static const struct lookup *lent;
static const char *encoded;

void lookup_use(const struct lookup *lookup)
{
	lent = lookup;
}

long lookup_read(const char *path, char *text, size_t bytes)
{
	return lent ? lent->read(path, text, bytes) : -ENOSYS;
}

int lookup_list(const char *directory, int (*each)(const char *name, void *context), void *context)
{
	return lent && lent->list ? lent->list(directory, each, context) : -ENOSYS;
}

void lookup_encoded(const char *text)
{
	encoded = text;
}

static const char *read_hex(const char *text, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;

	for (*number = 0; *text && (digit = strchr(digits, *text)); text++)
		*number = *number << 4 | (uint64_t)(digit - digits);
	return text;
}

/* "4:c0:0:0" */
static int read_code(const char *text, struct lookup_code *code)
{
	uint64_t *const fields[] = { &code->config, &code->config1, &code->config2 };
	uint64_t type;

	text = read_hex(text, &type);
	code->type = (uint32_t)type;
	for (size_t i = 0; i < 3; i++) {
		if (*text++ != ':')
			return -EINVAL;
		text = read_hex(text, fields[i]);
	}
	return *text && *text != ',' ? -EINVAL : 0;
}

int lookup_encode(const char *name, size_t length, struct lookup_code *code)
{
	char copy[LOOKUP_NAME_MAX];
	struct text line = text_into(copy, sizeof(copy));

	for (const char *entry = encoded; entry && *entry; entry += *entry == ',') {
		if (strncmp(entry, name, length) == 0 && entry[length] == '=')
			return read_code(entry + length + 1, code);
		entry += strcspn(entry, ",");
	}
	if (!lent || !lent->encode)
		return -ENOSYS;
	if (length >= sizeof(copy))
		return -ENOENT;
	text_add_bytes(&line, name, length);
	return lent->encode(copy, code);
}

const char *lookup_nearest(const char *name, size_t length)
{
	char copy[LOOKUP_NAME_MAX];
	struct text line = text_into(copy, sizeof(copy));

	if (!lent || !lent->nearest)
		return NULL;
	text_add_bytes(&line, name, length);
	return lent->nearest(copy);
}
