/*
 * The reader accepts any bytes.  A line is split where flamegraph.pl splits it: the count is the
 * last number after white space, one white space character before it belongs to the format, and
 * everything before that is the stack.  Malformed lines are skipped; they never fail the file.
 */
#include "runtime/profile/input/folded_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/tree/frame_tree.h"

#define LINE_BYTES_MAX ((size_t)16 << 20) /* limits memory for a file without line ends */
#define DEPTH_MAX      16384

struct reader {
	struct frame_tree *tree;
	FILE *file;
	char *line;
	size_t length;
	size_t room; /* of the longest line so far */
	const char **frames;
};

static bool put(struct reader *reader, char byte)
{
	if (reader->length == reader->room && !grow(&reader->line, reader->room++, 1))
		return false;
	reader->line[reader->length++] = byte;
	return true;
}

/* Read one line without its end.  Returns 1, 0 at the end of the file, or -errno.  *problem is set
 * if the line was read completely but not kept. */
static int line_read(struct reader *reader, const char **problem)
{
	int byte;

	reader->length = 0;
	while ((byte = getc_unlocked(reader->file)) != EOF && byte != '\n') {
		if (byte == '\0' && !*problem)
			*problem = "the line holds a NUL byte";
		if (reader->length == LINE_BYTES_MAX && !*problem)
			*problem = "the line is longer than 16 MiB";
		if (!*problem && !put(reader, (char)byte))
			return -ENOMEM;
	}
	if (ferror(reader->file))
		return errno > 0 ? -errno : -EIO;
	if (!put(reader, '\0'))
		return -ENOMEM;
	reader->length--;
	return byte != EOF || reader->length || *problem;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* Read "123" or "123.4", which is rounded, since other tools may write fractions. */
static const char *count_parse(const char *text, uint64_t *count)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return "there is no count at its end";
	errno = 0;
	*count = strtoull(text, &end, 10);
	if (errno == ERANGE)
		return "its count is larger than 2^64-1";
	if (*end == '.') {
		if (end[1] >= '5' && end[1] <= '9' && *count < UINT64_MAX)
			++*count;
		end += 1 + strspn(end + 1, "0123456789");
	}
	return *end ? "there is no count at its end" : NULL;
}

/* Split the line into stack and count. */
static const char *line_split(struct reader *reader, uint64_t *count)
{
	char *line = reader->line;
	size_t end = reader->length;
	size_t start;

	while (end && (is_blank(line[end - 1]) || line[end - 1] == '\r'))
		end--;
	line[end] = '\0';
	for (start = end; start && !is_blank(line[start - 1]);)
		start--;
	if (start <= 1)
		return start ? "there is no stack before its count"
			     : "there is no stack, or no count at its end";
	line[start - 1] = '\0';
	return count_parse(line + start, count);
}

/* Returns 0 with *problem set or not, or -ENOMEM. */
static int line_add(struct reader *reader, const char **problem)
{
	char *rest = reader->line;
	size_t depth = 0;
	uint64_t count = 0;
	int err;

	*problem = line_split(reader, &count);
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
	err = reader.frames ? 0 : -ENOMEM;
	while (!err) {
		const char *problem = NULL;

		err = line_read(&reader, &problem);
		if (err <= 0)
			break;
		number++;
		err = 0;
		if (!problem && reader.line && reader.line[strspn(reader.line, " \t\r")])
			err = line_add(&reader, &problem);
		if (problem && (*skipped)++ == 0)
			snprintf(line, bytes, "%s:%zu: %s", name, number, problem);
	}
	free(reader.line);
	free(reader.frames);
	return err;
}
