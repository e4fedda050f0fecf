/*
 * Writes and reads folded stacks.
 *
 * The reader accepts any bytes.  A line is split where flamegraph.pl splits it: the count is the
 * last number after white space, one white space character before it belongs to the format, and
 * everything before that is the stack.  Malformed lines are skipped; they never fail the file.
 */
#include "runtime/fold/formats/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/frame_tree.h"

#define LINE_BYTES_MAX ((size_t)16 << 20) /* limits memory for a file without line ends */
#define DEPTH_MAX      16384

/* A string that grows; text is NUL-terminated once it has a byte. */
struct text {
	char *bytes;
	size_t length;
	size_t size;
	size_t names; /* when writing: number of joined names; one may be empty */
};

struct reader {
	struct frame_tree *tree;
	FILE *file;
	struct text line;
	const char **frames;
};

static int text_reserve(struct text *text, size_t more)
{
	size_t size = text->size ? text->size : 4096;
	char *bytes;

	if (text->size - text->length > more)
		return 0;
	while (size - text->length <= more) {
		if (size > SIZE_MAX / 2)
			return -ENOMEM;
		size *= 2;
	}
	bytes = realloc(text->bytes, size);
	if (!bytes)
		return -ENOMEM;
	text->bytes = bytes;
	text->size = size;
	return 0;
}

/* Characters in a name that would split the line or the frame are replaced. */
static int text_add_name(struct text *text, const char *name)
{
	size_t bytes = strlen(name);
	int err = text_reserve(text, bytes + 1);

	if (err)
		return err;
	if (text->names++)
		text->bytes[text->length++] = ';';
	for (size_t i = 0; i < bytes; i++) {
		char byte = name[i];

		if (byte == ';')
			byte = ':';
		else if (byte == '\n')
			byte = ' ';
		text->bytes[text->length++] = byte;
	}
	text->bytes[text->length] = '\0';
	return 0;
}

/* Remove the last name. */
static void text_drop_name(struct text *text)
{
	char *separator = memrchr(text->bytes, ';', text->length);

	text->names--;
	text->length = separator ? (size_t)(separator - text->bytes) : 0;
	text->bytes[text->length] = '\0';
}

int folded_write(struct frame_tree *tree, FILE *file)
{
	struct frame *frame = frame_tree_root(tree)->first_child;
	struct text path = { .names = 0 };
	int err = 0;

	while (frame) {
		err = text_add_name(&path, frame->name);
		if (err)
			break;
		if (frame->self) {
			fwrite(path.bytes, 1, path.length, file);
			fprintf(file, " %" PRIu64 "\n", frame->self);
		}
		if (frame->first_child) {
			frame = frame->first_child;
			continue;
		}
		text_drop_name(&path);
		while (frame && !frame->next_sibling) {
			frame = frame->parent;
			if (path.names)
				text_drop_name(&path);
		}
		if (frame)
			frame = frame->next_sibling;
	}
	free(path.bytes);
	if (!err && ferror(file))
		err = -EIO;
	return err;
}

/* Read one line without its end into reader->line.  Returns 1, 0 at the end of the file, or -errno.
 * *problem is set if the line was read completely but not kept. */
static int line_read(struct reader *reader, const char **problem)
{
	struct text *line = &reader->line;
	int byte;
	int err;

	line->length = 0;
	while ((byte = getc_unlocked(reader->file)) != EOF && byte != '\n') {
		if (byte == '\0' && !*problem)
			*problem = "the line holds a NUL byte";
		if (line->length == LINE_BYTES_MAX && !*problem)
			*problem = "the line is longer than 16 MiB";
		if (*problem)
			continue;
		err = text_reserve(line, 1);
		if (err)
			return err;
		line->bytes[line->length++] = (char)byte;
	}
	if (ferror(reader->file))
		return errno > 0 ? -errno : -EIO;
	if (byte == EOF && line->length == 0 && !*problem)
		return 0;
	err = text_reserve(line, 1);
	if (err)
		return err;
	line->bytes[line->length] = '\0';
	return 1;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Read "123" or "123.4", which is rounded, since other tools may write fractions. */
static const char *count_parse(const char *text, uint64_t *count)
{
	uint64_t value = 0;

	if (!is_digit(*text))
		return "there is no count at its end";
	for (; is_digit(*text); text++) {
		uint64_t digit = (uint64_t)(*text - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return "its count is larger than 2^64-1";
		value = value * 10 + digit;
	}
	if (*text == '.') {
		text++;
		if (*text >= '5' && *text <= '9' && value < UINT64_MAX)
			value++;
		while (is_digit(*text))
			text++;
	}
	if (*text)
		return "there is no count at its end";
	*count = value;
	return NULL;
}

/* Split the line into stack and count. */
static const char *line_split(struct text *line, uint64_t *count)
{
	size_t end = line->length;
	size_t start;

	while (end && (is_blank(line->bytes[end - 1]) || line->bytes[end - 1] == '\r'))
		end--;
	line->bytes[end] = '\0';
	for (start = end; start && !is_blank(line->bytes[start - 1]);)
		start--;
	if (start <= 1)
		return start ? "there is no stack before its count"
			     : "there is no stack, or no count at its end";
	line->bytes[start - 1] = '\0';
	line->length = start - 1;
	return count_parse(line->bytes + start, count);
}

/* Returns 0 with *problem set or not, or -ENOMEM. */
static int line_add(struct reader *reader, const char **problem)
{
	char *rest = reader->line.bytes;
	size_t depth = 0;
	uint64_t count = 0;
	int err;

	*problem = line_split(&reader->line, &count);
	while (rest && !*problem) {
		char *name = strsep(&rest, ";");

		if (depth == DEPTH_MAX)
			*problem = "the stack has more than 16384 frames";
		else
			reader->frames[depth++] = name;
	}
	if (*problem)
		return 0;
	err = frame_tree_add(reader->tree, reader->frames, depth, count);
	if (err == -EOVERFLOW) {
		*problem = "the sum of all counts is larger than 2^64-1";
		return 0;
	}
	return err;
}

static bool is_empty(const struct text *line)
{
	for (size_t i = 0; i < line->length; i++)
		if (!is_blank(line->bytes[i]) && line->bytes[i] != '\r')
			return false;
	return true;
}

int folded_read(struct frame_tree *tree, FILE *file, const char *name, size_t *skipped, char *line,
		size_t bytes)
{
	struct reader reader = { .tree = tree, .file = file };
	size_t number = 0;
	int err;

	*skipped = 0;
	if (bytes)
		line[0] = '\0';
	reader.frames = calloc(DEPTH_MAX, sizeof(*reader.frames));
	if (!reader.frames)
		return -ENOMEM;
	for (;;) {
		const char *problem = NULL;

		err = line_read(&reader, &problem);
		if (err <= 0)
			break;
		number++;
		if (!problem && is_empty(&reader.line))
			continue;
		err = problem ? 0 : line_add(&reader, &problem);
		if (err)
			break;
		if (problem && (*skipped)++ == 0)
			snprintf(line, bytes, "%s:%zu: %s", name, number, problem);
	}
	free(reader.line.bytes);
	free(reader.frames);
	return err;
}
