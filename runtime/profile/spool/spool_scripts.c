/*
 * Functions and labels are read before texts, because the writer publishes them after their texts.
 */
#include "runtime/profile/spool/spool_scripts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/spool/spool_check.h"

#define TEXTS_FIRST ((size_t)64 * 1024)

/* Append the entries of the list that the header's word at `linked` begins. */
static int read_list(struct spool_check *check, enum spool_chunk_kind kind, size_t entry_bytes,
		     uint64_t first, uint64_t linked, void *entries, size_t *count)
{
	struct spool_check_list list;
	unsigned char *grown;
	int got;

	spool_check_list(check, &list, kind, (uint32_t)entry_bytes,
			 spool_check_first(check, linked, first), linked);
	while ((got = spool_check_next(check, &list)) > 0) {
		for (uint32_t i = 0; i < list.count; i++) {
			if (!grow(entries, *count, entry_bytes))
				return -ENOMEM;
			memcpy(&grown, entries, sizeof(grown));
			memcpy(grown + (*count)++ * entry_bytes,
			       check->chunk + SPOOL_CHUNK_HEAD + i * entry_bytes, entry_bytes);
		}
	}
	return got;
}

static int read_codes(struct spool_check *check, struct spool_scripts *codes)
{
	return read_list(check, SPOOL_CHUNK_CODES, sizeof(*codes->code), check->header->first_code,
			 offsetof(struct spool_header, first_code), &codes->code, &codes->count);
}

static int read_labels(struct spool_check *check, struct spool_scripts *codes)
{
	return read_list(check, SPOOL_CHUNK_LABELS, sizeof(*codes->label),
			 check->header->first_label, offsetof(struct spool_header, first_label),
			 &codes->label, &codes->label_count);
}

static int read_texts(struct spool_check *check, struct spool_scripts *codes)
{
	const uint64_t linked = offsetof(struct spool_header, first_text);
	struct spool_check_list list;
	size_t room = 0;
	int got;

	spool_check_list(check, &list, SPOOL_CHUNK_TEXTS, 1,
			 spool_check_first(check, linked, check->header->first_text), linked);
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

/* `at` is the header's word that begins the list of the owner, whose number is `number`. */
static void check_text(struct spool_check *check, const struct spool_scripts *codes, uint64_t at,
		       size_t number, struct spool_text *text, uint32_t most)
{
	if (text->bytes <= most && text->at <= codes->text_bytes &&
	    text->bytes <= codes->text_bytes - text->at)
		return;
	spool_check_damage(check, at, "a text of %s %zu has %u bytes at %u of %zu",
			   at == offsetof(struct spool_header, first_code) ? "function" : "label",
			   number, text->bytes, text->at, codes->text_bytes);
	*text = (struct spool_text){ 0, 0 };
}

/* Labels become names of frames, which hold no zero byte: the text ends before the first. */
static void end_text(struct spool_check *check, const struct spool_scripts *codes, size_t number,
		     struct spool_text *text)
{
	size_t length = text->bytes ? strnlen(codes->texts + text->at, text->bytes) : 0;

	if (length == text->bytes)
		return;
	spool_check_damage(check, offsetof(struct spool_header, first_label),
			   "a text of label %zu has a zero byte at %zu of %u", number, length,
			   text->bytes);
	text->bytes = (uint32_t)length;
}

static void check_code(struct spool_check *check, const struct spool_scripts *codes, size_t i)
{
	const uint64_t at = offsetof(struct spool_header, first_code);
	struct spool_code *code = &codes->code[i];

	check_text(check, codes, at, i + 1, &code->name, SPOOL_CODE_NAME_MAX);
	check_text(check, codes, at, i + 1, &code->qualified, SPOOL_CODE_NAME_MAX);
	check_text(check, codes, at, i + 1, &code->file, SPOOL_CODE_FILE_MAX);
	check_text(check, codes, at, i + 1, &code->table, SPOOL_CODE_TABLE_MAX);
}

/* The sets below were checked before.  `lengths` has the length of each. */
static void check_label(struct spool_check *check, const struct spool_scripts *codes,
			uint32_t *lengths, size_t i)
{
	const uint64_t at = offsetof(struct spool_header, first_label);
	struct spool_label *label = &codes->label[i];

	check_text(check, codes, at, i + 1, &label->key, SPOOL_LABEL_KEY_MAX);
	check_text(check, codes, at, i + 1, &label->value, SPOOL_LABEL_VALUE_MAX);
	end_text(check, codes, i + 1, &label->key);
	end_text(check, codes, i + 1, &label->value);
	if (label->below > i) {
		spool_check_damage(check, at, "label %zu is set after label %u", i + 1,
				   label->below);
		label->below = 0;
	}
	lengths[i] = label->below ? lengths[label->below - 1] + 1 : 1;
	if (lengths[i] <= SPOOL_CODES_SET_MAX)
		return;
	spool_check_damage(check, at, "label %zu is in a set of more than %u", i + 1,
			   SPOOL_CODES_SET_MAX);
	label->below = 0;
	lengths[i] = 1;
}

static int check_labels(struct spool_check *check, const struct spool_scripts *codes)
{
	uint32_t *lengths = calloc(codes->label_count + 1, sizeof(*lengths));

	if (!lengths)
		return -ENOMEM;
	for (size_t i = 0; i < codes->label_count; i++)
		check_label(check, codes, lengths, i);
	free(lengths);
	return 0;
}

int spool_scripts_read(struct spool_check *check, bool labels, struct spool_scripts *codes)
{
	int err;

	memset(codes, 0, sizeof(*codes));
	err = read_codes(check, codes);
	if (!err && labels)
		err = read_labels(check, codes);
	if (!err)
		err = read_texts(check, codes);
	for (size_t i = 0; !err && i < codes->count; i++)
		check_code(check, codes, i);
	return err ? err : check_labels(check, codes);
}
