/*
 * A file is read at its first line and divided into lines once.  A path may lead to anything:
 * user_file.h refuses what is no text.
 */
#include "runtime/output/annotate/annotate_listing.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/user_file.h"

#define FILE_MOST ((size_t)32 << 20) /* bytes of one file */

struct source_text_file {
	char *text;	/* NULL: it cannot be read */
	size_t *starts; /* of lines; one more than there are, for the end */
	uint32_t lines;
};

static void divide(struct source_text_file *file, size_t length)
{
	for (size_t at = 0; at <= length; at++) {
		const char *feed = memchr(file->text + at, '\n', length - at);

		if (!grow(&file->starts, file->lines, sizeof(*file->starts))) {
			file->lines -= file->lines > 0; /* the end of the last one is not known */
			return;
		}
		file->starts[file->lines] = at;
		if (at == length)
			return;
		file->lines++;
		at = feed ? (size_t)(feed - file->text) : length - 1;
	}
}

static const struct source_text_file *find(struct source_text *source, const char *path)
{
	uint32_t number = string_table_intern(&source->paths, path, strlen(path));
	struct source_text_file made = { 0 };
	size_t length;

	if (!number || source->closed)
		return NULL;
	if (number > source->count) {
		if (!grow(&source->files, source->count, sizeof(made)))
			return NULL;
		length = user_file_read(path, FILE_MOST, &made.text);
		if (made.text)
			divide(&made, length);
		source->files[source->count++] = made;
	}
	return &source->files[number - 1];
}

const char *source_text_line(struct source_text *source, const char *path, uint32_t line,
			     size_t *bytes)
{
	const struct source_text_file *file = find(source, path);
	size_t start, end;

	if (!file || !line || line > file->lines)
		return NULL;
	start = file->starts[line - 1];
	end = file->starts[line];
	while (end > start && (file->text[end - 1] == '\n' || file->text[end - 1] == '\r'))
		end--;
	*bytes = end - start;
	return file->text + start;
}

uint32_t source_text_lines(struct source_text *source, const char *path)
{
	const struct source_text_file *file = find(source, path);

	return file ? file->lines : 0;
}

void source_text_free(struct source_text *source)
{
	for (uint32_t i = 0; i < source->count; i++) {
		free(source->files[i].text);
		free(source->files[i].starts);
	}
	free(source->files);
	string_table_free(&source->paths);
}
