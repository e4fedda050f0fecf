/*
 * Every byte of a name goes through decode(), and only characters that decode() accepts are
 * written.
 */
#include "runtime/profile/base/safe_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT 0xfffd

struct range {
	uint32_t first;
	uint32_t last;
};

static bool is_in(uint32_t code, const struct range *range, size_t ranges)
{
	for (size_t i = 0; i < ranges; i++)
		if (code >= range[i].first && code <= range[i].last)
			return true;
	return false;
}

/* C0 and C1 controls, surrogates, direction marks and overrides, noncharacters. */
static bool is_unsafe(uint32_t code)
{
	static const struct range unsafe[] = {
		{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
		{ 0xd800, 0xdfff }, { 0xfdd0, 0xfdef }, { 0xfeff, 0xfeff },
	};

	return (code & 0xfffe) == 0xfffe || is_in(code, unsafe, sizeof(unsafe) / sizeof(*unsafe));
}

static bool is_wide(uint32_t code)
{
	static const struct range wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf },	  { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff }, { 0x20000, 0x3fffd },
	};

	return code >= 0x1100 && is_in(code, wide, sizeof(wide) / sizeof(*wide));
}

/* Decode one character from at least one byte.  Returns the number of bytes it took.  *code is its
 * code, or U+FFFD for a character that must not be written. */
static size_t decode(const char *text, size_t bytes, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)text[0];
	size_t length = lead < 0x80   ? 1
			: lead < 0xc0 ? 0
			: lead < 0xe0 ? 2
			: lead < 0xf0 ? 3
			: lead < 0xf8 ? 4
				      : 0;

	*code = REPLACEMENT;
	if (length == 0 || length > bytes)
		return 1;
	if (length == 1) {
		*code = lead == '\t' ? ' ' : is_unsafe(lead) ? REPLACEMENT : lead;
		return 1;
	}
	uint32_t value = lead & (0x7fU >> length);

	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (value < least[length] || value > 0x10ffff)
		return 1;
	if (!is_unsafe(value))
		*code = value;
	return length;
}

/* One character of a text. */
struct character {
	const char *bytes;
	size_t length;
	uint32_t code;
};

/* Take the next character from a text.  Returns false at its end. */
static bool take(const char **text, size_t *bytes, struct character *next)
{
	if (!*bytes)
		return false;
	next->bytes = *text;
	next->length = decode(*text, *bytes, &next->code);
	*text += next->length;
	*bytes -= next->length;
	return true;
}

static void encode(FILE *file, const struct character *one)
{
	if (one->code == REPLACEMENT)
		fputs("\xef\xbf\xbd", file);
	else if (one->code < 0x80)
		putc_unlocked((int)one->code, file);
	else
		fwrite(one->bytes, 1, one->length, file);
}

void safe_text_xml(FILE *file, const char *text, size_t bytes)
{
	struct character one;

	while (take(&text, &bytes, &one)) {
		if (one.code == '<')
			fputs("&lt;", file);
		else if (one.code == '>')
			fputs("&gt;", file);
		else if (one.code == '&')
			fputs("&amp;", file);
		else if (one.code == '"')
			fputs("&quot;", file);
		else
			encode(file, &one);
	}
}

void safe_text_json(FILE *file, const char *text, size_t bytes)
{
	struct character one;

	while (take(&text, &bytes, &one))
		if (one.code < 0x80 && strchr("<>&\"\\", (int)one.code))
			fprintf(file, "\\u%04" PRIx32, one.code);
		else
			encode(file, &one);
}

void safe_text_plain(FILE *file, const char *text, size_t bytes)
{
	struct character one;

	while (take(&text, &bytes, &one))
		encode(file, &one);
}

char *safe_text_copy(const char *text, size_t bytes, size_t *length)
{
	char *copy = NULL;
	FILE *file = open_memstream(&copy, length);

	if (!file)
		return NULL;
	safe_text_plain(file, text, bytes);
	if (!fclose(file))
		return copy;
	free(copy);
	return NULL;
}

size_t safe_text_fit(const char *text, size_t bytes, size_t cells)
{
	size_t fit = 0;
	struct character one;

	while (take(&text, &bytes, &one)) {
		size_t cell = is_wide(one.code) ? 2 : 1;

		if (cell > cells)
			break;
		cells -= cell;
		fit += one.length;
	}
	return fit;
}

size_t safe_text_cells(const char *text, size_t bytes)
{
	size_t cells = 0;
	struct character one;

	while (take(&text, &bytes, &one))
		cells += is_wide(one.code) ? 2 : 1;
	return cells;
}

void safe_text_clipped(FILE *file, const char *text, size_t bytes, size_t cells)
{
	if (safe_text_fit(text, bytes, cells) == bytes) {
		safe_text_xml(file, text, bytes);
		return;
	}
	if (cells < 3)
		return;
	safe_text_xml(file, text, safe_text_fit(text, bytes, cells - 2));
	fputs("..", file);
}

void safe_text_terminal(FILE *file, const char *name, size_t cells)
{
	size_t bytes = strlen(name);
	size_t shown = safe_text_fit(name, bytes, cells);
	bool clipped = shown < bytes && cells > 2;

	if (clipped)
		shown = safe_text_fit(name, bytes, cells - 2);
	safe_text_plain(file, name, shown);
	if (clipped)
		fputs("..", file);
}
