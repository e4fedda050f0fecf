/*
 * The command lends the lookups, because it may read files and load libraries.  A profiled program
 * has none: names that were looked up before the start come as text, in an environment variable.
 */
#include "config/events/lookup.h"

#include <errno.h>
#include <string.h>

#include "config/text/scan.h"
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

bool lookup_number(const char *path, uint64_t *number)
{
	char text[32];
	struct complaint unused;
	struct scan scan = { .text = text, .complaint = &unused };

	return lookup_read(path, text, sizeof(text)) > 0 && !scan_digits(&scan, number);
}

int lookup_list(const char *directory, int (*each)(const char *name, void *context), void *context)
{
	return lent && lent->list ? lent->list(directory, each, context) : -ENOSYS;
}

void lookup_encoded(const char *text)
{
	encoded = text;
}

/* "4:c0:0:0" */
static int read_code(const char *text, struct lookup_code *code)
{
	uint64_t *const fields[] = { &code->config, &code->config1, &code->config2 };
	uint64_t type;

	text += scan_hex(text, &type);
	code->type = (uint32_t)type;
	for (size_t i = 0; i < 3; i++) {
		if (*text++ != ':')
			return -EINVAL;
		text += scan_hex(text, fields[i]);
	}
	return *text && *text != ',' ? -EINVAL : 0;
}

int lookup_encode(const char *name, size_t length, struct lookup_code *code)
{
	char copy[LOOKUP_NAME_MAX];

	for (const char *entry = encoded; entry && *entry; entry += *entry == ',') {
		if (strncmp(entry, name, length) == 0 && entry[length] == '=')
			return read_code(entry + length + 1, code);
		entry += strcspn(entry, ",");
	}
	if (!lent || !lent->encode)
		return -ENOSYS;
	return text_copy_bytes(copy, sizeof(copy), name, length) ? lent->encode(copy, code)
								 : -ENOENT;
}

const char *lookup_nearest(const char *name, size_t length)
{
	char copy[LOOKUP_NAME_MAX];

	if (!lent || !lent->nearest)
		return NULL;
	text_copy_bytes(copy, sizeof(copy), name, length);
	return lent->nearest(copy);
}
