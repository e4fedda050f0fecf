/*
 * Functions and labels are read before texts, because the writer publishes them after their texts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_read.h"

/* Append the entries of the list that the header's word at `linked` begins. */
static int read_list(struct spool_check *check, enum spool_chunk_kind kind, size_t entry_bytes,
		     uint64_t linked, void *entries, size_t *count)
{
	struct spool_check_list list;
	unsigned char *grown;
	int got;

	spool_check_list(check, &list, kind, (uint32_t)entry_bytes,
			 spool_check_first(check, linked), linked);
	while ((got = spool_check_next(check, &list)) > 0) {
		if (!grow_by(entries, *count, list.count, entry_bytes))
			return -ENOMEM;
		memcpy(&grown, entries, sizeof(grown));
		memcpy(grown + *count * entry_bytes, check->chunk + SPOOL_CHUNK_HEAD,
		       list.count * entry_bytes);
		*count += list.count;
	}
	return got;
}

static int read_texts(struct spool_check *check, struct spool_read *spool)
{
	int err = read_list(check, SPOOL_CHUNK_TEXTS, 1, offsetof(struct spool_header, first_text),
			    &spool->texts, &spool->text_bytes);

	if (err || !spool->texts)
		return err;
	if (!grow_by(&spool->texts, spool->text_bytes, 1, 1))
		return -ENOMEM;
	spool->texts[spool->text_bytes] = '\0';
	return 0;
}

/* `at` is the header's word that begins the list of the owner, whose number is `number`. */
static void check_text(struct spool_check *check, const struct spool_read *spool, uint64_t at,
		       size_t number, struct spool_text *text, uint32_t most)
{
	if (text->bytes <= most && text->at <= spool->text_bytes &&
	    text->bytes <= spool->text_bytes - text->at)
		return;
	spool_check_damage(check, at, "a text of %s %zu has %u bytes at %u of %zu",
			   at == offsetof(struct spool_header, first_code) ? "function" : "label",
			   number, text->bytes, text->at, spool->text_bytes);
	*text = (struct spool_text){ 0, 0 };
}

/* Labels become names of frames, which hold no zero byte: the text ends before the first. */
static void end_text(struct spool_check *check, const struct spool_read *spool, size_t number,
		     struct spool_text *text)
{
	size_t length = text->bytes ? strnlen(spool->texts + text->at, text->bytes) : 0;

	if (length == text->bytes)
		return;
	spool_check_damage(check, offsetof(struct spool_header, first_label),
			   "a text of label %zu has a zero byte at %zu of %u", number, length,
			   text->bytes);
	text->bytes = (uint32_t)length;
}

static void check_code(struct spool_check *check, const struct spool_read *spool, size_t i)
{
	const uint64_t at = offsetof(struct spool_header, first_code);
	struct spool_code *code = &spool->codes[i];

	check_text(check, spool, at, i + 1, &code->name, SPOOL_CODE_NAME_MAX);
	check_text(check, spool, at, i + 1, &code->qualified, SPOOL_CODE_NAME_MAX);
	check_text(check, spool, at, i + 1, &code->file, SPOOL_CODE_FILE_MAX);
	check_text(check, spool, at, i + 1, &code->table, SPOOL_CODE_TABLE_MAX);
}

/* The sets below were checked before.  `lengths` has the length of each. */
static void check_label(struct spool_check *check, const struct spool_read *spool,
			uint32_t *lengths, size_t i)
{
	const uint64_t at = offsetof(struct spool_header, first_label);
	struct spool_label *label = &spool->labels[i];

	check_text(check, spool, at, i + 1, &label->key, SPOOL_LABEL_KEY_MAX);
	check_text(check, spool, at, i + 1, &label->value, SPOOL_LABEL_VALUE_MAX);
	end_text(check, spool, i + 1, &label->key);
	end_text(check, spool, i + 1, &label->value);
	if (label->below > i) {
		spool_check_damage(check, at, "label %zu is set after label %u", i + 1,
				   label->below);
		label->below = 0;
	}
	lengths[i] = label->below ? lengths[label->below - 1] + 1 : 1;
	if (lengths[i] <= SPOOL_READ_SET_MAX)
		return;
	spool_check_damage(check, at, "label %zu is in a set of more than %u", i + 1,
			   SPOOL_READ_SET_MAX);
	label->below = 0;
	lengths[i] = 1;
}

static int check_labels(struct spool_check *check, const struct spool_read *spool)
{
	uint32_t *lengths = calloc(spool->label_count + 1, sizeof(*lengths));

	if (!lengths)
		return -ENOMEM;
	for (size_t i = 0; i < spool->label_count; i++)
		check_label(check, spool, lengths, i);
	free(lengths);
	return 0;
}

int spool_read_scripts(struct spool_check *check, bool labels, struct spool_read *spool)
{
	int err = read_list(check, SPOOL_CHUNK_CODES, sizeof(*spool->codes),
			    offsetof(struct spool_header, first_code), &spool->codes,
			    &spool->code_count);

	if (!err && labels)
		err = read_list(check, SPOOL_CHUNK_LABELS, sizeof(*spool->labels),
				offsetof(struct spool_header, first_label), &spool->labels,
				&spool->label_count);
	if (!err)
		err = read_texts(check, spool);
	for (size_t i = 0; !err && i < spool->code_count; i++)
		check_code(check, spool, i);
	return err ? err : check_labels(check, spool);
}
