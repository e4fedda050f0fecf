/*
 * Strict parsing of numbers, sizes, durations and words: unknown text is refused, and nothing is
 * read after the first wrong byte.
 */
#include "config/text/scan.h"

#include <errno.h>
#include <string.h>

#include "config/text/text.h"

#define NUMBER_MAX ((uint64_t)INT64_MAX)

static int complain(const struct scan *scan, size_t at)
{
	scan->complaint->at = at;
	return -EINVAL;
}

/* "a digit", "an event name", "part of the word", "','". */
static void add_noun(struct text *line, const char *noun)
{
	if (strncmp(noun, "part ", 5) != 0 && noun[0] != '\'')
		text_add(line, strchr("aeio", noun[0]) ? "an " : "a ");
	text_add(line, noun);
}

static void add_shown(struct text *line, const char *shown, size_t length, size_t at)
{
	text_add(line, "'");
	text_escaped(line, shown, length, 40);
	text_add(line, "' at ");
	text_number(line, at + 1);
}

int scan_expected(const struct scan *scan, const char *noun)
{
	struct text line = text_into(scan->complaint->reason, sizeof(scan->complaint->reason));

	if (scan->text[scan->at]) {
		add_shown(&line, scan->text + scan->at, 1, scan->at);
		text_add(&line, " is not ");
		add_noun(&line, noun);
	} else if (scan->at) {
		text_add(&line, "it ends at ");
		text_number(&line, scan->at);
		text_add(&line, " without ");
		add_noun(&line, noun);
	} else {
		text_add(&line, "it is empty");
	}
	return complain(scan, scan->at);
}

int scan_refuse(const struct scan *scan, size_t at, const char *before, const char *shown,
		size_t shown_length, const char *after)
{
	struct text line = text_into(scan->complaint->reason, sizeof(scan->complaint->reason));

	if (before)
		text_add(&line, before);
	if (shown)
		add_shown(&line, shown, shown_length, at);
	if (after)
		text_add(&line, after);
	return complain(scan, at);
}

int scan_refuse_at(const struct scan *scan, size_t at, size_t length, const char *after)
{
	return scan_refuse(scan, at, NULL, scan->text + at, length, after);
}

bool scan_skip(struct scan *scan, char byte)
{
	if (scan->text[scan->at] != byte)
		return false;
	scan->at++;
	return true;
}

int scan_end(const struct scan *scan, const char *noun)
{
	return scan->text[scan->at] ? scan_expected(scan, noun) : 0;
}

/* Value of a digit, or 16 for anything else. */
static unsigned digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return (unsigned)(byte - '0');
	if (byte >= 'a' && byte <= 'f')
		return (unsigned)(byte - 'a') + 10;
	if (byte >= 'A' && byte <= 'F')
		return (unsigned)(byte - 'A') + 10;
	return 16;
}

static int too_large(const struct scan *scan, size_t from)
{
	size_t length = strspn(scan->text + from, "0123456789abcdefxABCDEFX.");

	return scan_refuse(scan, from, NULL, scan->text + from, length, " is too large");
}

static int digits(struct scan *scan, unsigned base, uint64_t *number)
{
	size_t from = scan->at;
	uint64_t sum = 0;

	if (digit(scan->text[scan->at]) >= base)
		return scan_expected(scan, "digit");
	for (; digit(scan->text[scan->at]) < base; scan->at++) {
		unsigned value = digit(scan->text[scan->at]);

		if (sum > (NUMBER_MAX - value) / base)
			return too_large(scan, from);
		sum = sum * base + value;
	}
	*number = sum;
	return 0;
}

int scan_digits(struct scan *scan, uint64_t *number)
{
	return digits(scan, 10, number);
}

static int multiply(const struct scan *scan, size_t from, uint64_t *number, uint64_t factor)
{
	if (*number > NUMBER_MAX / factor)
		return too_large(scan, from);
	*number *= factor;
	return 0;
}

/* The value of the letter at the cursor as a power of `base`, and step past it.  Without such a
 * letter: 1, and no step. */
static uint64_t suffix(struct scan *scan, uint64_t base)
{
	static const char letters[] = "kKmMgG";
	const char *letter = strchr(letters, scan->text[scan->at]);
	uint64_t power = base;

	if (!letter || !*letter)
		return 1;
	scan->at++;
	for (ptrdiff_t i = (letter - letters) / 2; i; i--)
		power *= base;
	return power;
}

size_t scan_hex(const char *text, uint64_t *code)
{
	size_t length = 0;

	for (*code = 0; digit(text[length]) < 16; length++)
		*code = *code << 4 | digit(text[length]);
	return length;
}

static bool skip_0x(struct scan *scan)
{
	const char *text = scan->text + scan->at;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	scan->at += hex ? 2 : 0;
	return hex;
}

int scan_code(struct scan *scan, uint64_t *code)
{
	const char *text = scan->text + scan->at;
	uint64_t all;

	if (!skip_0x(scan))
		return digits(scan, text[0] == '0' && digit(text[1]) < 16 ? 8 : 10, code);
	if (scan_hex(text + 2, &all) != 16)
		return digits(scan, 16, code);
	*code = all; /* may be greater than 2^63-1 */
	scan->at += 16;
	return 0;
}

int scan_count(struct scan *scan, uint64_t *number)
{
	size_t from = scan->at;
	int err;

	if (skip_0x(scan))
		return digits(scan, 16, number);
	err = digits(scan, 10, number);
	return err ? err : multiply(scan, from, number, suffix(scan, 1000));
}

int scan_bytes(struct scan *scan, uint64_t *bytes)
{
	size_t from = scan->at;
	uint64_t factor;
	int err = digits(scan, 10, bytes);

	if (err)
		return err;
	factor = suffix(scan, 1024);
	if (factor > 1 && scan->text[scan->at] == 'i')
		scan->at += scan->text[scan->at + 1] == 'B' ? 1 : 0;
	scan_skip(scan, 'B');
	return multiply(scan, from, bytes, factor);
}

static uint64_t duration_unit(struct scan *scan)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "m", 60 * 1000000000ULL },
		{ "h", 3600 * 1000000000ULL },
	};
	const char *text = scan->text + scan->at;

	if (!*text)
		return 1000000000;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].text);

		if (strncmp(text, units[i].text, length) == 0) {
			scan->at += length;
			return units[i].ns;
		}
	}
	return 0;
}

/* Parse the digits behind a decimal point as a fraction part/scale.  Digits beyond the ninth, as a
 * sum of binary numbers has them (0.30000000000000004), only round the ninth. */
static int fraction(struct scan *scan, uint64_t *part, uint64_t *scale)
{
	const char *text = scan->text;

	if (digit(text[scan->at]) >= 10)
		return scan_expected(scan, "digit");
	for (; digit(text[scan->at]) < 10 && *scale < 1000000000; scan->at++) {
		*part = *part * 10 + digit(text[scan->at]);
		*scale *= 10;
	}
	*part += digit(text[scan->at]) >= 5 && digit(text[scan->at]) < 10;
	while (digit(text[scan->at]) < 10)
		scan->at++;
	return 0;
}

int scan_duration(struct scan *scan, uint64_t *ns)
{
	uint64_t whole, part = 0, scale = 1, unit;
	size_t from = scan->at;
	int err = digits(scan, 10, &whole);

	if (!err && scan_skip(scan, '.'))
		err = fraction(scan, &part, &scale);
	if (err)
		return err;
	unit = duration_unit(scan);
	if (!unit)
		return scan_expected(scan, "unit (ns, us, ms, s, m, h)");
	err = multiply(scan, from, &whole, unit);
	if (err)
		return err;
	/* scale is at most 10^9 and unit at most 3.6 * 10^12: part * unit would overflow */
	*ns = whole + part * (unit / scale) + part * (unit % scale) / scale;
	return *ns > NUMBER_MAX ? too_large(scan, from) : 0;
}

size_t scan_word_length(const struct scan *scan)
{
	return strspn(scan->text + scan->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789-_.");
}

static const char *word_name(size_t i, const void *context)
{
	const struct scan_word *words = context;

	return words[i].text;
}

int scan_word(struct scan *scan, const struct scan_word *words, unsigned *value)
{
	const char *text = scan->text + scan->at;
	size_t length = scan_word_length(scan);
	size_t count = 0;

	if (length == 0)
		return scan_expected(scan, "word");
	for (; words[count].text; count++) {
		if (strlen(words[count].text) == length &&
		    memcmp(words[count].text, text, length) == 0) {
			scan->at += length;
			*value = words[count].value;
			return 0;
		}
	}
	return scan_unknown(scan, scan->at, length, NULL, word_name, count, words);
}

/* Index of the nearest name that is at most `limit` edits from the word, except name `skip`;
 * count if there is none.  *limit becomes its distance. */
static size_t nearest(const char *word, size_t length,
		      const char *(*name)(size_t i, const void *context), size_t count,
		      const void *context, size_t skip, unsigned *limit)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		unsigned far =
			text_distance(word, length, name(i, context), strlen(name(i, context)));

		if (i == skip || far > *limit || (best < count && far == *limit))
			continue;
		*limit = far;
		best = i;
	}
	return best;
}

int scan_unknown(const struct scan *scan, size_t at, size_t length, const char *noun,
		 const char *(*name)(size_t i, const void *context), size_t count,
		 const void *context)
{
	struct text line = text_into(scan->complaint->reason, sizeof(scan->complaint->reason));
	const char *word = scan->text + at;
	unsigned limit = (unsigned)(length > 60 ? 30 : length / 2); /* distant names are no help */
	size_t first, second;

	add_shown(&line, word, length, at);
	text_add_all(&line, noun ? " is not a known " : " is unknown", noun, NULL);
	first = nearest(word, length, name, count, context, SIZE_MAX, &limit);
	if (first < count) {
		text_add_all(&line, ", nearest: ", name(first, context), NULL);
		second = nearest(word, length, name, count, context, first, &limit);
		if (second < count)
			text_add_all(&line, ", ", name(second, context), NULL);
	}
	return complain(scan, at);
}
