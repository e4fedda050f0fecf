/*
 * Entries and texts are found by going through the chunks of their lists, because nothing here may
 * allocate memory for an index.
 */
#include "preload/process/fallback_code.h"

#include <stddef.h>

#include "config/text/text.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/spool/format_code.h"

static const struct spool_chunk *chunk_at(const struct spool_alloc *spool, uint64_t offset)
{
	return offset ? spool_alloc_at(spool, offset) : NULL;
}

static const void *content(const struct spool_chunk *chunk)
{
	return (const char *)chunk + SPOOL_CHUNK_HEAD;
}

static const struct spool_code *find_code(const struct spool_alloc *spool, uint64_t pc)
{
	const struct spool_chunk *chunk = chunk_at(spool, spool->header->first_code);
	uint32_t at = spool_code_of(pc) - 1;

	for (; chunk && at >= chunk->count; chunk = chunk_at(spool, chunk->next))
		at -= chunk->count;
	return chunk ? (const struct spool_code *)content(chunk) + at : NULL;
}

/* A byte that has a meaning in a line of folded stacks becomes one that has none. */
static void add_byte(struct text *line, char byte)
{
	if (byte == ';')
		byte = ':';
	else if ((unsigned char)byte < ' ')
		byte = ' ';
	text_add_bytes(line, &byte, 1);
}

static void add_text(struct text *line, const struct spool_alloc *spool,
		     const struct spool_text *text)
{
	const struct spool_chunk *chunk = chunk_at(spool, spool->header->first_text);
	uint32_t at = text->at, left = text->bytes;

	for (; chunk && left; chunk = chunk_at(spool, chunk->next)) {
		const char *bytes = content(chunk);

		for (; at < chunk->count && left; at++, left--)
			add_byte(line, bytes[at]);
		at -= chunk->count;
	}
}

bool fallback_code_is(uint64_t pc)
{
	return spool_code_is(pc) || pc == SPOOL_PC_COLLECTING || pc == SPOOL_PC_NO_CODE;
}

void fallback_code_add(struct text *line, const struct spool_alloc *spool, uint64_t pc)
{
	const struct spool_code *code;

	if (!spool_code_is(pc)) {
		text_add(line,
			 pc == SPOOL_PC_COLLECTING ? "[gc]_[p]" : "[no room for its name]_[p]");
		return;
	}
	code = find_code(spool, pc);
	if (!code || !code->name.bytes) {
		text_add(line, "[unknown]");
		return;
	}
	add_text(line, spool, code->qualified.bytes ? &code->qualified : &code->name);
	text_add(line, "_[p]");
}
