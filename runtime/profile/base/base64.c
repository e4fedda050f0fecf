/* Three bytes become four characters. */
#include "runtime/profile/base/gzip.h"

#define GROUPS 1024

static void encode(const uint8_t bytes[3], char text[4])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	text[0] = digits[bytes[0] >> 2];
	text[1] = digits[(bytes[0] & 3) << 4 | bytes[1] >> 4];
	text[2] = digits[(bytes[1] & 15) << 2 | bytes[2] >> 6];
	text[3] = digits[bytes[2] & 63];
}

static void write_groups(struct base64 *text, const uint8_t *bytes, size_t groups)
{
	char made[4 * GROUPS];

	while (groups) {
		size_t some = groups < GROUPS ? groups : GROUPS;

		for (size_t i = 0; i < some; i++)
			encode(bytes + 3 * i, made + 4 * i);
		fwrite(made, 4, some, text->file);
		bytes += 3 * some;
		groups -= some;
	}
}

void base64_write(struct base64 *text, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;

	for (; length && text->rest_bytes; length--) {
		text->rest[text->rest_bytes++] = *at++;
		if (text->rest_bytes == 3) {
			write_groups(text, text->rest, 1);
			text->rest_bytes = 0;
		}
	}
	write_groups(text, at, length / 3);
	at += length / 3 * 3;
	for (length %= 3; length; length--)
		text->rest[text->rest_bytes++] = *at++;
}

void base64_end(struct base64 *text)
{
	char made[4];

	if (!text->rest_bytes)
		return;
	for (unsigned i = text->rest_bytes; i < 3; i++)
		text->rest[i] = 0;
	encode(text->rest, made);
	fwrite(made, 1, text->rest_bytes + 1, text->file);
	fwrite("==", 1, 3 - text->rest_bytes, text->file);
	text->rest_bytes = 0;
}
