/*
 * The tables that nodes and logs refer to.  Functions of interpreters and labels are read before
 * texts, because the writer publishes them after their texts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/spool/spool_check.h"
#include "runtime/profile/spool/spool_read.h"

#define OVERLAP_MAX 8

static bool is_sound(struct spool_check *check, struct spool_module *module, uint64_t at)
{
	module->path[sizeof(module->path) - 1] = '\0';
	if (module->end <= module->start) {
		spool_check_damage(check, at, "a module that ends before it starts");
		return false;
	}
	if (module->build_id_bytes > SPOOL_BUILD_ID_MAX) {
		spool_check_damage(check, at + offsetof(struct spool_module, build_id_bytes),
				   "a build-id of %u bytes", module->build_id_bytes);
		module->build_id_bytes = 0;
	}
	return true;
}

static int keep(struct spool_module_list *list, const struct spool_module *module)
{
	if (!grow(&list->entry, list->count, sizeof(*module)))
		return -ENOMEM;
	list->entry[list->count++] = *module;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct spool_module *a = left, *b = right;

	return order_of(a->start, b->start);
}

/* Functions are sorted by their start.  Few overlap: aliases have the same start, and a function
 * that was split has its parts elsewhere. */
int spool_read_modules(struct spool_check *check, struct spool_read *spool)
{
	const struct spool_header *header = &spool->header;
	struct spool_module_list objects = { 0 }, *functions = &spool->functions;
	struct spool_check_list list;
	struct spool_module module;
	int got, err = 0;

	spool_check_list(check, &list, SPOOL_CHUNK_MODULES, header->module_bytes,
			 header->first_module, offsetof(struct spool_header, first_module));
	while (!err && (got = spool_check_next(check, &list)) > 0)
		for (uint32_t i = 0; !err && i < list.count; i++) {
			const size_t inside = SPOOL_CHUNK_HEAD + i * header->module_bytes;

			spool_version_module(header->version, check->chunk + inside, &module);
			if (is_sound(check, &module, list.offset + inside))
				err = keep(module.flags & SPOOL_MODULE_FUNCTION ? functions
										: &objects,
					   &module);
		}
	if (functions->count)
		qsort(functions->entry, functions->count, sizeof(module), compare);
	spool->modules = objects.entry;
	spool->module_count = objects.count;
	return err ? err : got;
}

const struct spool_module *spool_read_function(const struct spool_read *spool,
					       const struct spool_module *module, uint64_t pc)
{
	const struct spool_module *functions = spool->functions.entry;
	size_t at = ranges_upper(functions, spool->functions.count, sizeof(*functions), pc);

	for (unsigned seen = 0; at-- && seen < OVERLAP_MAX; seen++)
		if (pc < functions[at].end && functions[at].since == module->since)
			return &functions[at];
	return NULL;
}

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

static void check_code_nodes(struct spool_check *check, const struct spool_read *spool,
			     const struct spool_read_thread *thread)
{
	for (size_t i = 0; i < thread->node_count; i++) {
		uint64_t *pc = &thread->nodes[i].pc;
		uint32_t number = spool_code_of(*pc);

		if (!spool_code_is(*pc) || (number && number <= spool->code_count))
			continue;
		spool_check_damage(check, thread->offset, "a frame of function %u of %zu", number,
				   spool->code_count);
		*pc = SPOOL_PC_CODE;
	}
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
	if (!err)
		err = check_labels(check, spool);
	for (size_t i = 0; !err && i < spool->thread_count; i++) {
		check_code_nodes(check, spool, &spool->threads[i]);
		spool_log_check_labels(check, spool->label_count, spool->threads[i].offset,
				       &spool->threads[i].log);
	}
	return err;
}
