/*
 * printf() would use the locale's decimal point, so the digits before and after the point are
 * printed as integers.
 */
#include "runtime/profile/base/number_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"

/* Returns the length. */
static size_t group_digits(uint64_t count, char text[NUMBER_TEXT_SHORT_BYTES])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t used = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
	return used;
}

void number_text_plain(FILE *file, uint64_t count)
{
	char digits[20];
	size_t used = sizeof(digits);

	do
		digits[--used] = (char)('0' + count % 10);
	while (count /= 10);
	fwrite_unlocked(digits + used, 1, sizeof(digits) - used, file);
}

void number_text_count(FILE *file, uint64_t count)
{
	char text[NUMBER_TEXT_SHORT_BYTES];

	group_digits(count, text);
	fputs(text, file);
}

/* Rounds a number that is not negative; halves round up.  One of 2^63 or more gives 2^63. */
static uint64_t rounded(double number)
{
	uint64_t whole;

	if (!(number < 0x1p63))
		return UINT64_C(1) << 63;
	whole = (uint64_t)number;
	return whole + (number - (double)whole >= .5);
}

void number_text_short(char text[NUMBER_TEXT_SHORT_BYTES], double number)
{
	uint64_t power = 1, scaled;
	int decimals = 0;
	size_t used;

	while (number > 0 && decimals < 12 && number * (double)power < 99.95) {
		power *= 10;
		decimals++;
	}
	scaled = rounded(number * (double)power);
	used = group_digits(scaled / power, text);
	scaled %= power;
	while (scaled && scaled % 10 == 0) {
		scaled /= 10;
		decimals--;
	}
	if (scaled)
		snprintf(text + used, NUMBER_TEXT_SHORT_BYTES - used, ".%0*" PRIu64, decimals,
			 scaled);
}

/* Writes a time from a microsecond on in the unit that is easiest to read; false if it is none. */
static bool write_time(FILE *file, double value, const char *unit)
{
	static const struct {
		double ns;
		const char *name;
	} times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "\xc2\xb5s" } };
	char text[NUMBER_TEXT_SHORT_BYTES];

	for (size_t i = 0; !strcmp(unit, "ns") && i < sizeof(times) / sizeof(*times); i++) {
		if (value >= .9995 * times[i].ns) { /* less is not rounded to 1,000 of the next */
			number_text_short(text, value / times[i].ns);
			fprintf(file, "%s %s", text, times[i].name);
			return true;
		}
	}
	return false;
}

static void write_unit(FILE *file, bool one, const char *unit)
{
	size_t bytes = strlen(unit);

	putc_unlocked(' ', file);
	if (one && strcmp(unit, "ns") != 0 && bytes && unit[bytes - 1] == 's')
		bytes--;
	safe_text_xml(file, unit, bytes);
}

void number_text_value(FILE *file, uint64_t value, const char *unit)
{
	if (write_time(file, (double)value, unit))
		return;
	number_text_count(file, value);
	write_unit(file, value == 1, unit);
}

void number_text_mean(FILE *file, double value, const char *unit)
{
	char text[NUMBER_TEXT_SHORT_BYTES];

	if (write_time(file, value, unit))
		return;
	number_text_short(text, value);
	fputs(text, file);
	write_unit(file, strcmp(text, "1") == 0, unit);
}

void number_text_fixed(FILE *file, const char *before, double number, const char *after)
{
	uint64_t hundredths = rounded(fabs(number) * 100);

	fprintf(file, "%s%s%" PRIu64 ".%02" PRIu64 "%s", before,
		number < 0 && hundredths ? "-" : "", hundredths / 100, hundredths % 100, after);
}

void number_text_duration(uint64_t ns, char *text, size_t bytes)
{
	if (ns >= 1000000000)
		snprintf(text, bytes, "%.3f s", (double)ns / 1e9);
	else if (ns >= 1000000)
		snprintf(text, bytes, "%.3f ms", (double)ns / 1e6);
	else
		snprintf(text, bytes, "%.1f us", (double)ns / 1e3);
}
