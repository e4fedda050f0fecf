/*
 * The identity of a function of CPython.  Its code object is found again by its address and by a
 * fingerprint, because addresses are used again: from 3.12 on, by the version that each code object
 * gets when it is made, before, by what would hardly all be the same in another one.
 */
#include <stddef.h>

#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/sys/poison.h"

#define NAME_MAX_BYTES	(1u << 16)
#define TABLE_MAX_BYTES (1u << 24)
#define CONTENT_BYTES	16 /* a length and a hash */
#define BATCH_MAX	12 /* code objects that are read at once */

/* The kinds of text that a str's state tells: how many bytes a character has, and its form. */
#define STATE_KIND(state) ((state) >> 2 & 7)
#define STATE_COMPACT	  0x20
#define STATE_ASCII	  0x40

/* The text of a str; none if it is not a str. */
static struct script_text str_text(const struct cpython_walk *walk, uint64_t address)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *str = interp_read(walk->reader, address, CPYTHON_STR_STATE + 4);
	struct script_text text = { 0 };
	uint64_t length;
	uint32_t state, kind;

	if (!str || cpython_word(str, CPYTHON_TYPE) != walk->python->str_type)
		return text;
	length = cpython_word(str, CPYTHON_SIZE);
	state = cpython_half(str, CPYTHON_STR_STATE);
	kind = STATE_KIND(state);
	if (!(state & STATE_COMPACT) || length > NAME_MAX_BYTES || !length)
		return text;
	if (kind != 1 && kind != 2 && kind != 4)
		return text;
	text.address = address + (state & STATE_ASCII ? layout->ascii_data : layout->compact_data);
	text.bytes = (uint32_t)length * kind;
	text.encoding = kind == 1 ? CODE_LATIN1 : kind == 2 ? CODE_UCS2 : CODE_UCS4;
	return text;
}

/* The bytes of a bytes object; none if it is not one. */
static struct script_text bytes_text(const struct cpython_walk *walk, uint64_t address)
{
	const void *bytes = interp_read(walk->reader, address, CPYTHON_BYTES_DATA);
	uint64_t length;

	if (!bytes || cpython_word(bytes, CPYTHON_TYPE) != walk->python->bytes_type)
		return (struct script_text){ 0 };
	length = cpython_word(bytes, CPYTHON_SIZE);
	if (!length || length > TABLE_MAX_BYTES)
		return (struct script_text){ 0 };
	return (struct script_text){ address + CPYTHON_BYTES_DATA, (uint32_t)length, CODE_BYTES };
}

enum cpython_check {
	CPYTHON_FUNCTION,
	CPYTHON_HIDDEN, /* a frame of the interpreter's own that stands for no function */
	CPYTHON_WRONG,	/* what is there is not a frame */
};

/* Without a version: the name's length and hash, the table's length and hash. */
static bool print_contents(const struct cpython_walk *walk, const void *code, struct code_key *key)
{
	const struct cpython_layout *layout = walk->python->layout;
	const unsigned at[] = { layout->name, layout->table };

	for (unsigned i = 0; i < 2; i++) {
		const void *from =
			interp_read(walk->reader, cpython_word(code, at[i]) + CPYTHON_SIZE,
				    CONTENT_BYTES);

		if (!from)
			return false;
		key->print[1 + i] =
			code_mix(cpython_word(from, 0), cpython_word(from, sizeof(uint64_t)));
	}
	return true;
}

/* The fingerprint of a code object whose first CPYTHON_CODE_BYTES were read. */
static bool print_make(const struct cpython_walk *walk, const void *code, struct code_key *key)
{
	const struct cpython_layout *layout = walk->python->layout;
	uint64_t pointers = cpython_word(code, layout->file);
	uint64_t line = cpython_half(code, layout->first_line);

	if (layout->version && cpython_half(code, layout->version)) {
		key->print[0] = (uint64_t)cpython_half(code, layout->version) << 32 | line;
		key->print[1] = cpython_word(code, layout->name);
		key->print[2] = pointers;
		return true;
	}
	pointers = code_mix(pointers, cpython_word(code, layout->name));
	pointers = code_mix(pointers, cpython_word(code, layout->table));
	if (layout->qualified)
		pointers = code_mix(pointers, cpython_word(code, layout->qualified));
	pointers = code_mix(pointers, cpython_word(code, CPYTHON_SIZE));
	key->print[0] = code_mix(pointers, line);
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
	struct script_new new = { .language = SPOOL_LANGUAGE_PYTHON,
				  .lines = layout->lines,
				  .first_line = cpython_half(code, layout->first_line) };

	new.name = str_text(walk, name);
	if (!new.name.bytes)
		return 0;
	if (qualified)
		new.qualified = str_text(walk, qualified);
	new.file = str_text(walk, file);
	new.table = bytes_text(walk, table);
	return script_table_add(key, &new);
}

/* Offset in the code of what a frame is at, relative to the code object or a number of units.
 * False: it is not in this code. */
static bool place_find(const struct cpython_layout *layout, const void *code, int32_t at,
		       uint32_t *place)
{
	uint32_t offset;

	if (layout->pc_unit) {
		*place = at > 0 ? (uint32_t)at * layout->pc_unit : 0;
		return at >= -1;
	}
	offset = (uint32_t)at - layout->start;
	if (offset == (uint32_t)-CPYTHON_CODE_UNIT) /* before the first instruction */
		offset = 0;
	*place = offset;
	return offset <= cpython_word(code, CPYTHON_SIZE) * CPYTHON_CODE_UNIT;
}

uint32_t cpython_code_slots(const struct cpython_walk *walk, uint64_t code)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from = interp_read(walk->reader, code, CPYTHON_CODE_BYTES);

	if (!from || cpython_word(from, CPYTHON_TYPE) != walk->python->code_type)
		return 0;
	return cpython_half(from, layout->locals) + cpython_half(from, layout->stack);
}

static enum cpython_check code_pc(const struct cpython_walk *walk, uint64_t code, int32_t at,
				  uint64_t *pc)
{
	const struct cpython_layout *layout = walk->python->layout;
	const void *from = interp_read(walk->reader, code, CPYTHON_CODE_BYTES);
	struct code_key key = { .address = code };
	uint32_t number, place;

	*pc = 0;
	if (!from || cpython_word(from, CPYTHON_TYPE) != walk->python->code_type ||
	    !place_find(layout, from, at, &place))
		return CPYTHON_WRONG;
	if (cpython_word(from, layout->file) == cpython_word(from, layout->name))
		return CPYTHON_HIDDEN;
	if (!print_make(walk, from, &key))
		return CPYTHON_WRONG;
	number = script_table_find(&key);
	if (!number)
		number = code_add(walk, from, &key);
	*pc = number ? spool_code_pc(number, place) : SPOOL_PC_NO_CODE;
	return CPYTHON_FUNCTION;
}

bool cpython_code_take(struct cpython_walk *walk, uint64_t code, uint64_t at)
{
	const struct cpython_layout *layout = walk->python->layout;

	if (!layout->pc_unit) {
		at -= code;
		if (at > INT32_MAX)
			return false;
	}
	/* A prefetch of an address that is not mapped does nothing. */
	__builtin_prefetch((const void *)code); /* NOLINT(performance-no-int-to-ptr) */
	__builtin_prefetch((const void *)(code + layout->first_line)); /* NOLINT(*-no-int-to-ptr) */
	__builtin_prefetch((const void *)(code + layout->table));      /* NOLINT(*-no-int-to-ptr) */
	if (!walk->full && !interp_place_add(walk->places, (uint32_t)at, code))
		walk->full = true;
	return true;
}

bool cpython_code_is(const struct cpython_walk *walk, uint64_t code, uint64_t at)
{
	const void *from = interp_read(walk->reader, code, CPYTHON_CODE_BYTES);
	uint32_t unused;

	return from && cpython_word(from, CPYTHON_TYPE) == walk->python->code_type &&
	       place_find(walk->python->layout, from, (int32_t)(at - code), &unused);
}

/* Have the kernel copy the lengths and hashes of the names and tables of code objects at once. */
static void contents_expect(const struct cpython_walk *walk, const uint64_t *code, unsigned count)
{
	const struct cpython_layout *layout = walk->python->layout;
	uint64_t address[2 * BATCH_MAX];
	unsigned known = 0;

	for (unsigned i = 0; i < count; i++) {
		const void *from = interp_read(walk->reader, code[i], CPYTHON_CODE_BYTES);

		if (!from)
			continue;
		address[known++] = cpython_word(from, layout->name) + CPYTHON_SIZE;
		address[known++] = cpython_word(from, layout->table) + CPYTHON_SIZE;
	}
	interp_read_ahead(walk->reader, address, known, CONTENT_BYTES);
}

/* Likewise the code objects of places, and what their fingerprints need besides. */
static void batch_expect(const struct cpython_walk *walk, const struct interp_place *place,
			 unsigned count)
{
	uint64_t code[BATCH_MAX];

	for (unsigned i = 0; i < count; i++)
		code[i] = place[i].pc;
	interp_read_ahead(walk->reader, code, count, CPYTHON_CODE_BYTES);
	if (!walk->python->layout->version)
		contents_expect(walk, code, count);
}

bool cpython_code_resolve(struct cpython_walk *walk, unsigned first)
{
	struct interp_places *places = walk->places;
	unsigned count = first;

	for (unsigned i = first; i < places->count; i++) {
		const struct interp_place *place = &places->place[i];
		unsigned left = places->count - i;
		enum cpython_check check;
		uint64_t pc;

		if ((i - first) % BATCH_MAX == 0)
			batch_expect(walk, place, left < BATCH_MAX ? left : BATCH_MAX);
		check = code_pc(walk, place->pc, (int32_t)place->native, &pc);
		if (check == CPYTHON_WRONG)
			return false;
		if (check == CPYTHON_FUNCTION)
			places->place[count++].pc = pc;
	}
	places->count = count;
	return true;
}
