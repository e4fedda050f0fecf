/* This code also runs in the target: it uses no stdio, no locale and no allocation. */
#include "runtime/spool/spool_name.h"

#include <string.h>

#include "config/text/text.h"

#define HEAD	     "flametrap."
#define LIST_ENDING  ".ended"
#define RUN_RANDOM   6 /* bytes that mkdtemp(3) fills in */
#define SECRET_HALF  ((SPOOL_NAME_SECRET_SIZE - 1) / 2)
#define LENGTH(text) (sizeof(text) - 1)
#define FNV_BASIS    2166136261U
#define FNV_PRIME    16777619U

static const char hex_digits[] = "0123456789abcdef";

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Reads one or more digits and moves *text behind the last.  Returns false if there is no digit
 * or the number exceeds 64 bits. */
static bool take_number(const char **text, uint64_t *number)
{
	const char *at = *text;

	if (!is_digit(*at))
		return false;
	for (*number = 0; is_digit(*at); at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number))
			return false;
	*text = at;
	return true;
}

static bool take(const char **text, char byte)
{
	if (**text != byte)
		return false;
	(*text)++;
	return true;
}

/* Adds "flametrap.PID.TICKS.". */
static void add_head(struct text *line, const struct spool_name *name)
{
	text_add(line, HEAD);
	text_number(line, name->pid);
	text_add(line, ".");
	text_number(line, name->start_ticks);
	text_add(line, ".");
}

bool spool_name_make(char *path, size_t bytes, const char *directory, const struct spool_name *name,
		     uint64_t random)
{
	struct text line = text_into(path, bytes);

	text_add_all(&line, directory, "/", NULL);
	add_head(&line, name);
	text_hex(&line, random);
	text_add(&line, SPOOL_NAME_ENDING);
	return !line.cut;
}

bool spool_name_parse(const char *path, struct spool_name *name)
{
	const char *at = base_of(path);
	uint64_t pid;

	if (strncmp(at, HEAD, LENGTH(HEAD)) != 0)
		return false;
	at += LENGTH(HEAD);
	if (!take_number(&at, &pid) || pid > INT32_MAX || !take(&at, '.') ||
	    !take_number(&at, &name->start_ticks) || !take(&at, '.'))
		return false;
	name->pid = (uint32_t)pid;
	return spool_name_has_ending(at, strlen(at));
}

bool spool_name_make_image(char *image, size_t bytes, const char *path, unsigned number)
{
	struct text line = text_into(image, bytes);
	struct spool_name name;

	if (!spool_name_parse(path, &name))
		return false;
	text_add_bytes(&line, path, (size_t)(base_of(path) - path));
	add_head(&line, &name);
	text_number(&line, number);
	text_add(&line, SPOOL_NAME_ENDING);
	return !line.cut;
}

bool spool_name_make_list(char *list, size_t bytes, const char *path)
{
	struct text line = text_into(list, bytes);
	size_t length = strlen(path);

	if (!spool_name_has_ending(path, length))
		return false;
	text_add_bytes(&line, path, length - LENGTH(SPOOL_NAME_ENDING));
	text_add(&line, LIST_ENDING);
	return !line.cut;
}

static bool ends_with(const char *path, size_t length, const char *ending)
{
	size_t bytes = strlen(ending);

	return length > bytes && !memcmp(path + length - bytes, ending, bytes);
}

bool spool_name_has_ending(const char *path, size_t length)
{
	return ends_with(path, length, SPOOL_NAME_ENDING);
}

bool spool_name_is_list(const char *path)
{
	return ends_with(path, strlen(path), LIST_ENDING);
}

bool spool_name_make_copy(char *copy, size_t bytes, const char *stem, uint32_t pid, unsigned number)
{
	struct text line = text_into(copy, bytes);

	text_add(&line, stem);
	text_add(&line, ".");
	text_number(&line, pid);
	if (number > 1) {
		text_add(&line, "-");
		text_number(&line, number);
	}
	text_add(&line, SPOOL_NAME_ENDING);
	return !line.cut;
}

/* Returns the index of the first of the digits just before `end`, or `end` if there is none. */
static size_t digits_before(const char *path, size_t end)
{
	while (end && is_digit(path[end - 1]))
		end--;
	return end;
}

size_t spool_name_copy_stem(const char *path)
{
	size_t length = strlen(path), start;

	if (!spool_name_has_ending(path, length))
		return 0;
	length -= LENGTH(SPOOL_NAME_ENDING);
	start = digits_before(path, length);
	if (start < length && start && path[start - 1] == '-') {
		length = start - 1;
		start = digits_before(path, length);
	}
	if (start == length || start < 2 || path[start - 1] != '.')
		return 0;
	return start - 1;
}

static bool is_run(const char *name, size_t length)
{
	return length == LENGTH(HEAD) + RUN_RANDOM && !strncmp(name, HEAD, LENGTH(HEAD));
}

bool spool_name_is_run(const char *path)
{
	const char *name = base_of(path);

	return is_run(name, strlen(name));
}

uint32_t spool_name_run(const char *path)
{
	uint32_t run = 0;

	for (const char *end = strchr(path, '/'); end; path = end + 1, end = strchr(path, '/')) {
		if (!is_run(path, (size_t)(end - path)))
			continue;
		run = FNV_BASIS;
		for (const char *at = path; at < end; at++)
			run = (run ^ (uint8_t)*at) * FNV_PRIME;
	}
	return run;
}

bool spool_name_is_secret(const char *path)
{
	const char *name = base_of(path);

	return strlen(name) == SPOOL_NAME_SECRET_SIZE - 1 &&
	       strspn(name, hex_digits) == SPOOL_NAME_SECRET_SIZE - 1;
}

void spool_name_make_secret(char secret[SPOOL_NAME_SECRET_SIZE], const uint64_t random[2])
{
	for (unsigned i = 0; i < SPOOL_NAME_SECRET_SIZE - 1; i++)
		secret[i] = hex_digits[random[i / SECRET_HALF] >> (i % SECRET_HALF * 4) & 15];
	secret[SPOOL_NAME_SECRET_SIZE - 1] = '\0';
}
