/* Output patterns.  The value of a placeholder never adds a directory. */
#include "config/settings/pattern.h"

#include <errno.h>
#include <string.h>

#include "config/settings/env.h"
#include "config/text/text.h"

#define VARIABLE_MAX 256

/* Length in bytes of the placeholder at the '%' at `at`; 0 if there is none. */
static size_t placeholder(const char *pattern, size_t at)
{
	const char *close;

	if (pattern[at + 1] && strchr("pehtn%", pattern[at + 1]))
		return 2;
	if (pattern[at + 1] != '{')
		return 0;
	close = strchr(pattern + at, '}');
	if (!close)
		return 0;
	return (size_t)(close - (pattern + at)) + 1;
}

int pattern_check(const char *pattern, struct complaint *complaint)
{
	struct scan scan = { .text = pattern, .complaint = complaint };
	size_t length = strlen(pattern);

	if (length == 0)
		return scan_expected(&scan, "name");
	for (size_t at = 0; at < length; at++) {
		size_t step;

		if (pattern[at] != '%')
			continue;
		step = placeholder(pattern, at);
		if (step == 0 && pattern[at + 1] == '{')
			return scan_refuse_at(&scan, at, 2, " is never closed");
		if (step == 0)
			return scan_refuse_at(&scan, at, pattern[at + 1] ? 2 : 1,
					      " is not a placeholder; write %% for %");
		if (step == 3)
			return scan_refuse_at(&scan, at, step, " names no variable");
		if (step >= VARIABLE_MAX + 3)
			return scan_refuse_at(&scan, at, step, " has a name longer than 255 bytes");
		at += step - 1;
	}
	if (pattern[length - 1] == '/')
		return scan_refuse(&scan, length - 1, "the last ", "/", 1,
				   " leaves the file without a name");
	return 0;
}

/* Append a value as part of one path component. */
static void add_value(struct text *line, const char *value)
{
	size_t from = line->used;

	text_add(line, value ? value : "");
	for (; from < line->used; from++) {
		if (line->bytes[from] == '/')
			line->bytes[from] = '_';
	}
}

static void add_variable(struct text *line, const char *name, size_t length,
			 char *const *environment)
{
	char copy[VARIABLE_MAX];

	if (environment && text_copy_bytes(copy, sizeof(copy), name, length))
		add_value(line, env_get(environment, copy));
}

static void add_placeholder(struct text *line, const char *text, size_t step,
			    const struct pattern_values *values)
{
	switch (text[1]) {
	case 'p':
		text_number(line, values->pid);
		break;
	case 'e':
		add_value(line, values->executable);
		break;
	case 'h':
		add_value(line, values->host);
		break;
	case 't':
		text_number(line, values->seconds);
		break;
	case 'n':
		text_number(line, values->sequence);
		break;
	case '{':
		add_variable(line, text + 2, step - 3, values->environment);
		break;
	default:
		text_add(line, "%");
		break;
	}
}

int pattern_resolve(const char *pattern, const struct pattern_values *values, char *out,
		    size_t bytes)
{
	struct text line;

	if (bytes == 0)
		return -ENAMETOOLONG;
	line = text_into(out, bytes);
	for (size_t at = 0; pattern[at];) {
		size_t step = pattern[at] == '%' ? placeholder(pattern, at) : 0;

		if (step) {
			add_placeholder(&line, pattern + at, step, values);
			at += step;
		} else {
			text_add_bytes(&line, pattern + at, 1);
			at++;
		}
	}
	/* a full buffer cannot be told from a cut one, so one byte is never used */
	return line.used == bytes - 1 ? -ENAMETOOLONG : 0;
}
