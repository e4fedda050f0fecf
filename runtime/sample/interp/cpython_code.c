/*
 * The identity of a function of CPython.  Its code object is found again by its address and by a
 * fingerprint, because addresses are used again: from 3.12 on, by the version that each code object
 * gets when it is made, before, by what would hardly all be the same in another one.
 */
#include <stddef.h>

#include "runtime/sample/interp/cpython.h"
#include "runtime/sample/spool/code_table.h"

#define NAME_MAX_BYTES	(1u << 16)
#define TABLE_MAX_BYTES (1u << 24)

/* The kinds of text that a str's state tells: how many bytes a character has, and its form. */
#define STATE_KIND(state) ((state) >> 2 & 7)
#define STATE_COMPACT	  0x20
#define STATE_ASCII	  0x40

static struct code_text no_text(void)
{
	return (struct code_text){ 0 };
}

/* The text of a str; none if it is not a str. */
static struct code_text str_text(const struct cpython_walk *walk, uint64_t address)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *str = interp_read(walk->reader, address, CPYTHON_STR_STATE + 4);
	struct code_text text = { 0 };
	uint64_t length;
	uint32_t state, kind;

	if (!str || cpython_word(str, CPYTHON_TYPE) != walk->python->str_type)
		return no_text();
	length = cpython_word(str, CPYTHON_SIZE);
	state = cpython_half(str, CPYTHON_STR_STATE);
	kind = STATE_KIND(state);
	if (!(state & STATE_COMPACT) || length > NAME_MAX_BYTES || !length)
		return no_text();
	if (kind != 1 && kind != 2 && kind != 4)
		return no_text();
	text.address = address + (state & STATE_ASCII ? layout->ascii_data : layout->compact_data);
	text.bytes = (uint32_t)length * kind;
	text.encoding = kind == 1 ? CODE_LATIN1 : kind == 2 ? CODE_UCS2 : CODE_UCS4;
	return text;
}

/* The bytes of a bytes object; none if it is not one. */
static struct code_text bytes_text(const struct cpython_walk *walk, uint64_t address)
{
	const void *bytes = interp_read(walk->reader, address, CPYTHON_BYTES_DATA);
	uint64_t length;

	if (!bytes || cpython_word(bytes, CPYTHON_TYPE) != walk->python->bytes_type)
		return no_text();
	length = cpython_word(bytes, CPYTHON_SIZE);
	if (!length || length > TABLE_MAX_BYTES)
		return no_text();
	return (struct code_text){ address + CPYTHON_BYTES_DATA, (uint32_t)length, CODE_BYTES };
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Without a version: the name's length and hash, the table's length and hash. */
static bool print_contents(const struct cpython_walk *walk, const void *code, struct code_key *key)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *name = cpython_read(walk, cpython_word(code, layout->name), CPYTHON_STR_STATE);
	const void *table;

	if (!name)
		return false;
	key->print[1] = mix(cpython_word(name, CPYTHON_SIZE), cpython_word(name, CPYTHON_HASH));
	table = cpython_read(walk, cpython_word(code, layout->table), CPYTHON_BYTES_DATA);
	if (!table)
		return false;
	key->print[2] = mix(cpython_word(table, CPYTHON_SIZE), cpython_word(table, CPYTHON_HASH));
	return true;
}

/* The fingerprint of a code object whose first CPYTHON_CODE_BYTES were read. */
static bool print_make(const struct cpython_walk *walk, const void *code, struct code_key *key)
{
	const struct cpython_layout *layout = walk->python->layout;
	uint64_t pointers = cpython_word(code, layout->name);

	pointers = mix(pointers, cpython_word(code, layout->file));
	pointers = mix(pointers, cpython_word(code, layout->table));
	if (layout->qualified)
		pointers = mix(pointers, cpython_word(code, layout->qualified));
	pointers = mix(pointers, cpython_word(code, CPYTHON_SIZE));
	key->print[0] = mix(pointers, cpython_half(code, layout->first_line));
	if (layout->version && cpython_half(code, layout->version)) {
		key->print[1] = cpython_half(code, layout->version);
		key->print[2] = 0;
		return true;
	}
	return print_contents(walk, code, key);
}

static uint32_t code_add(const struct cpython_walk *walk, const void *code,
			 const struct code_key *key)
{
	const struct cpython_layout *layout = walk->python->layout;
	uint64_t name = cpython_word(code, layout->name);
	uint64_t qualified = layout->qualified ? cpython_word(code, layout->qualified) : 0;
	uint64_t file = cpython_word(code, layout->file);
	uint64_t table = cpython_word(code, layout->table);
	struct code_new new = { .language = SPOOL_LANGUAGE_PYTHON,
				.lines = layout->lines,
				.first_line = cpython_half(code, layout->first_line) };

	new.name = str_text(walk, name);
	if (!new.name.bytes)
		return 0;
	new.qualified = qualified ? str_text(walk, qualified) : no_text();
	new.file = str_text(walk, file);
	new.table = bytes_text(walk, table);
	return code_table_add(key, &new);
}

/* Offset in the code of what a frame is at.  False: it is not in this code. */
static bool place_find(const struct cpython_layout *layout, uint64_t code, const void *header,
		       uint64_t at, uint32_t *place)
{
	uint64_t offset;

	if (layout->pc_unit) {
		int64_t last = (int32_t)at;

		*place = last > 0 ? (uint32_t)last * layout->pc_unit : 0;
		return last >= -1;
	}
	offset = at - code - layout->start;
	if (offset == (uint64_t)-CPYTHON_CODE_UNIT) /* before the first instruction */
		offset = 0;
	*place = (uint32_t)offset;
	return offset <= cpython_word(header, CPYTHON_SIZE) * CPYTHON_CODE_UNIT;
}

enum cpython_check cpython_code_pc(const struct cpython_walk *walk, uint64_t code, uint64_t at,
				   uint64_t *pc, uint32_t *slots)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *header = cpython_read(walk, code, CPYTHON_CODE_BYTES);
	struct code_key key = { .address = code };
	uint32_t number, place;

	if (!header || cpython_word(header, CPYTHON_TYPE) != walk->python->code_type ||
	    !place_find(layout, code, header, at, &place))
		return CPYTHON_WRONG;
	if (slots && layout->locals)
		*slots = cpython_half(header, layout->locals) + cpython_half(header, layout->stack);
	if (cpython_word(header, layout->file) == cpython_word(header, layout->name))
		return CPYTHON_HIDDEN;
	if (!pc)
		return CPYTHON_FUNCTION;
	if (!print_make(walk, header, &key))
		return CPYTHON_WRONG;
	number = code_table_find(&key);
	if (!number)
		number = code_add(walk, header, &key);
	*pc = number ? spool_code_pc(number, place) : SPOOL_PC_NO_CODE;
	return CPYTHON_FUNCTION;
}
