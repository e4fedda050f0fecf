/* UTF-8 as in RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF. */
#include "config/text/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Number of bytes of a character with this first byte; 0: no character begins with it. */
static unsigned length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* True if `byte` may be byte number `at` of a character that begins with `part`. */
static bool may_follow(const unsigned char *part, unsigned at, unsigned char byte)
{
	unsigned char least = 0x80;
	unsigned char most = 0xbf;

	if (at == 1 && part[0] == 0xe0)
		least = 0xa0;
	else if (at == 1 && part[0] == 0xed)
		most = 0x9f;
	else if (at == 1 && part[0] == 0xf0)
		least = 0x90;
	else if (at == 1 && part[0] == 0xf4)
		most = 0x8f;
	return byte >= least && byte <= most;
}

static uint32_t code_of(const unsigned char *part, unsigned length)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = part[0] & first_bits[length];

	for (unsigned i = 1; i < length; i++)
		code = code << 6 | (part[i] & 0x3f);
	return code;
}

/* False for Unicode's Bidi_Control characters and its separators of lines and paragraphs. */
static bool is_safe(uint32_t code)
{
	if (code == '\n' || code == '\t')
		return true;
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	if (code == 0x61c || code == 0x200e || code == 0x200f)
		return false;
	return !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

/* Take one more byte.  Returns the number of bytes written. */
static size_t add(struct terminal *terminal, unsigned char byte, char *to)
{
	size_t used = 0;
	unsigned length;

	if (terminal->have && !may_follow(terminal->part, terminal->have, byte))
		used = terminal_end(terminal, to);
	terminal->part[terminal->have++] = byte;
	length = length_of(terminal->part[0]);
	if (terminal->have < length)
		return used;
	if (length && is_safe(code_of(terminal->part, length))) {
		memcpy(to + used, terminal->part, length);
		used += length;
	} else {
		to[used++] = '?';
	}
	terminal->have = 0;
	return used;
}

size_t terminal_filter(struct terminal *terminal, const char *text, size_t bytes, char *to)
{
	size_t used = 0;

	for (size_t i = 0; i < bytes; i++)
		used += add(terminal, (unsigned char)text[i], to + used);
	return used;
}

size_t terminal_end(struct terminal *terminal, char *to)
{
	bool cut = terminal->have > 0;

	terminal->have = 0;
	if (cut)
		*to = '?';
	return cut;
}

size_t terminal_line(char *line, size_t bytes)
{
	struct terminal terminal = { .have = 0 };
	size_t used;

	for (size_t i = 0; i < bytes; i++)
		if (line[i] == '\n' || line[i] == '\t')
			line[i] = '?';
	used = terminal_filter(&terminal, line, bytes, line); /* it writes behind what it reads */
	return used + terminal_end(&terminal, line + used);
}
