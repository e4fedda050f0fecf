/*
 * Functions are read before texts, because the writer publishes them after their texts.
 */
#include "runtime/fold/spool/spool_codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/spool/spool_check.h"

#define TEXTS_FIRST ((size_t)64 * 1024)

/* Returns the present first chunk of a list.  A live writer may have begun the list since the
 * header was read. */
static uint64_t first_of(const struct spool_check *check, uint64_t at, uint64_t read_before)
{
	uint64_t first;

	if (check->header->state != SPOOL_RUNNING || check->header->version != SPOOL_VERSION ||
	    spool_check_pread(check->fd, &first, sizeof(first), at))
		return read_before;
	return first;
}

static int read_list(struct spool_check *check, struct spool_codes *codes)
{
	const uint64_t linked = offsetof(struct spool_header, first_code);
	struct spool_check_list list;
	int got;

	spool_check_list(check, &list, SPOOL_CHUNK_CODES, sizeof(struct spool_code),
			 first_of(check, linked, check->header->first_code), linked);
	while ((got = spool_check_next(check, &list)) > 0) {
		for (uint32_t i = 0; i < list.count; i++) {
			if (!grow(&codes->code, codes->count, sizeof(*codes->code)))
				return -ENOMEM;
			memcpy(&codes->code[codes->count++],
			       check->chunk + SPOOL_CHUNK_HEAD + i * sizeof(*codes->code),
			       sizeof(*codes->code));
		}
	}
	return got;
}

static int read_texts(struct spool_check *check, struct spool_codes *codes)
{
	const uint64_t linked = offsetof(struct spool_header, first_text);
	struct spool_check_list list;
	size_t room = 0;
	int got;

	spool_check_list(check, &list, SPOOL_CHUNK_TEXTS, 1,
			 first_of(check, linked, check->header->first_text), linked);
	while ((got = spool_check_next(check, &list)) > 0) {
		if (codes->text_bytes + list.count >= room) {
			size_t more = room ? 2 * room : TEXTS_FIRST;
			char *texts = realloc(codes->texts, more);

			if (!texts)
				return -ENOMEM;
			codes->texts = texts;
			room = more;
		}
		memcpy(codes->texts + codes->text_bytes, check->chunk + SPOOL_CHUNK_HEAD,
		       list.count);
		codes->text_bytes += list.count;
		codes->texts[codes->text_bytes] = '\0';
	}
	return got;
}

static void check_text(struct spool_check *check, const struct spool_codes *codes, size_t number,
		       struct spool_text *text, uint32_t most)
{
	if (text->bytes <= most && text->at <= codes->text_bytes &&
	    text->bytes <= codes->text_bytes - text->at)
		return;
	spool_check_damage(check, offsetof(struct spool_header, first_code),
			   "a text of function %zu has %u bytes at %u of %zu", number, text->bytes,
			   text->at, codes->text_bytes);
	*text = (struct spool_text){ 0, 0 };
}

static void check_code(struct spool_check *check, const struct spool_codes *codes, size_t i)
{
	struct spool_code *code = &codes->code[i];

	check_text(check, codes, i + 1, &code->name, SPOOL_CODE_NAME_MAX);
	check_text(check, codes, i + 1, &code->qualified, SPOOL_CODE_NAME_MAX);
	check_text(check, codes, i + 1, &code->file, SPOOL_CODE_FILE_MAX);
	check_text(check, codes, i + 1, &code->table, SPOOL_CODE_TABLE_MAX);
}

int spool_codes_read(struct spool_check *check, struct spool_codes *codes)
{
	int err;

	memset(codes, 0, sizeof(*codes));
	err = read_list(check, codes);
	if (!err)
		err = read_texts(check, codes);
	for (size_t i = 0; !err && i < codes->count; i++)
		check_code(check, codes, i);
	return err;
}
