/*
 * A function is known by its key, which is looked up without a lock, and by its content.  Only
 * content gives it a number.  All but the lookup happens under one lock, which nobody waits for
 * without limit: a thread that does not get it soon names the function with its next sample.
 * Buffers and the index of contents are the lock holder's.
 */
#include "runtime/sample/store/script_table.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/sample/store/hash_index.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/poison.h"

#define NO_ROOM UINT32_MAX /* of a key: its texts need not be read again */
#define PAUSE	16

enum part { NAME, QUALIFIED, FILE_NAME, TABLE, PARTS };

/* What was read of one function. */
struct content {
	const char *bytes[PARTS];
	size_t count[PARTS];
	uint64_t hash[PARTS]; /* of each */
	uint64_t all;	      /* hash of the whole function; not 0 */
	enum spool_lines lines;
};

static _Atomic uint32_t lock;
static struct spool_alloc *spool;  /* NULL: no spool yet */
static struct hash_index contents; /* numbers by `all` */
static uint32_t pause_left; /* functions that are not tried, because the spool could not grow */
static char name[SPOOL_CODE_NAME_MAX], qualified[SPOOL_CODE_NAME_MAX], file[SPOOL_CODE_FILE_MAX],
	table[SPOOL_CODE_TABLE_MAX];

void script_table_start(struct spool_alloc *new_spool)
{
	/* each is stored only if it changes: a fork's child then copies no page */
	if (atomic_load_explicit(&lock, memory_order_relaxed))
		atomic_store_explicit(&lock, LOCK_FREE, memory_order_relaxed);
	if (pause_left)
		pause_left = 0;
	hash_index_clear(&contents);
	script_keys_start();
	script_store_start(new_spool);
	if (spool != new_spool)
		spool = new_spool;
}

uint32_t script_table_find(const struct code_key *key)
{
	uint32_t number = script_keys_find(key);

	return number == NO_ROOM ? 0 : number;
}

uint64_t script_table_hash(const char *bytes, size_t count)
{
	uint64_t hash = code_mix(0x632be59bd9b4e019ULL, count);

	for (; count; bytes += sizeof(uint64_t)) {
		size_t part = count < sizeof(uint64_t) ? count : sizeof(uint64_t);
		uint64_t word = 0;

		memcpy(&word, bytes, part);
		hash = code_mix(hash, word);
		count -= part;
	}
	return code_mix(hash, hash >> 32);
}

static void read_part(struct content *content, enum part part, const struct script_text *text,
		      enum script_text_use use, char *into, size_t max)
{
	long count = text->bytes ? script_text_read(text, use, into, max) : 0;

	content->bytes[part] = into;
	content->count[part] = count > 0 ? (size_t)count : 0;
}

/* Reads all parts.  False: the function has no name that can be read. */
static bool read_content(struct content *content, const struct script_new *code)
{
	content->lines = code->lines;
	read_part(content, NAME, &code->name, SCRIPT_TEXT_NAME, name, SPOOL_CODE_NAME_MAX);
	if (!content->count[NAME])
		return false;
	read_part(content, QUALIFIED, &code->qualified, SCRIPT_TEXT_NAME, qualified,
		  SPOOL_CODE_NAME_MAX);
	read_part(content, FILE_NAME, &code->file, SCRIPT_TEXT_PATH, file, SPOOL_CODE_FILE_MAX);
	content->bytes[TABLE] = table;
	content->count[TABLE] = 0;
	if (code->table.bytes <= SPOOL_CODE_TABLE_MAX) /* half of a table would give wrong lines */
		read_part(content, TABLE, &code->table, SCRIPT_TEXT_TABLE, table,
			  SPOOL_CODE_TABLE_MAX);
	if (code->table.bytes && !content->count[TABLE])
		content->lines = SPOOL_LINES_NONE;
	content->all = code_mix((uint64_t)code->language << 32 | content->lines, code->first_line);
	for (unsigned i = 0; i < PARTS; i++) {
		content->hash[i] = script_table_hash(content->bytes[i], content->count[i]);
		content->all = code_mix(content->all, content->hash[i]);
	}
	content->all |= !content->all;
	return true;
}

static uint32_t write_content(const struct content *content, const struct script_new *code)
{
	struct spool_code entry = { .language = code->language,
				    .lines = content->lines,
				    .first_line = code->first_line };
	struct spool_text *texts[PARTS] = { &entry.name, &entry.qualified, &entry.file,
					    &entry.table };

	for (unsigned i = 0; i < PARTS; i++) {
		if (!content->count[i])
			continue;
		if (i == TABLE && !script_store_is_roomy())
			entry.lines = SPOOL_LINES_NONE;
		else if (!script_store_text(content->bytes[i], content->count[i], content->hash[i],
					    texts[i]))
			return 0;
	}
	return script_store_code(&entry);
}

static uint32_t number_of(const struct script_new *code)
{
	struct content content;
	uint32_t number;

	if (pause_left) {
		pause_left--;
		return 0;
	}
	if (!read_content(&content, code))
		return 0;
	number = hash_index_find(&contents, content.all);
	if (number || script_store_is_full())
		return number;
	number = hash_index_has_room(&contents) ? write_content(&content, code) : 0;
	if (!number) {
		pause_left = script_store_is_full() ? 0 : PAUSE;
		return 0;
	}
	hash_index_add(&contents, content.all, number);
	return number;
}

bool script_table_lock(bool patiently)
{
	return patiently ? lock_take_patiently(&lock) : bounded_wait_lock(&lock);
}

void script_table_unlock(void)
{
	lock_give(&lock);
}

uint32_t script_table_add(const struct code_key *key, const struct script_new *code)
{
	uint32_t number;

	if (script_keys_find(key) == NO_ROOM || !script_table_lock(false))
		return 0;
	number = script_keys_find(key); /* another thread may have added it by now */
	if (!number && spool) {
		number = number_of(code);
		if (!number && script_store_is_full())
			number = NO_ROOM;
		if (number)
			script_keys_add(key, number);
	}
	lock_give(&lock);
	return number == NO_ROOM ? 0 : number;
}
