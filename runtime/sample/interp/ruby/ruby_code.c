/*
 * From a control frame to a function of the spool.  A function (iseq) is an object on Ruby's heap
 * with a body outside it.  Compaction moves the object, and reuses its place, so all that makes up
 * the function is in the fingerprint, its name's bytes included.
 */
#include "runtime/sample/interp/ruby/ruby.h"

#include <stdatomic.h>
#include <string.h>

#include "runtime/sample/store/script_table.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/poison.h"

#define FLAG_SHORT_ARRAY 0x2000

/* In an iseq, and in its body. */
#define ISEQ_BODY	 16
#define BODY_SIZE	 4
#define BODY_CODE	 8
#define BODY_PATH	 64
#define BODY_METHOD_NAME 72
#define BODY_LABEL	 80
#define BODY_FIRST_LINE	 88
#define BODY_BYTES	 184 /* up to layout->method and its word */
#define LINES_BYTES	 32

#define LABEL_HASHED 64
#define NAME_MAX     512 /* bytes of a name with its class */
#define TABLE_BYTES  16384

static _Atomic uint32_t lock;		 /* of table */
static unsigned char table[TABLE_BYTES]; /* lines of the function that is being added */
static char name[2 * NAME_MAX];		 /* and its name with its class */

/* Where a function's memory is read. */
struct source {
	const struct ruby_layout *layout;
	struct interp_reader *reader;
};

struct function {
	uint64_t iseq;
	uint64_t environment;
	const void *body;
	struct script_text label;
};

/* Finds the bytes of a Ruby string. */
static bool find_text(const struct source *source, uint64_t string, struct script_text *text)
{
	const void *object = interp_read(source->reader, string, 32);

	text->encoding = CODE_BYTES;
	return object &&
	       ruby_layout_text(source->layout, object, string, &text->address, &text->bytes);
}

/* Finds the path in what is a string, or an array of two: the path as given and as resolved. */
static bool find_path(const struct source *source, uint64_t path, struct script_text *text)
{
	const void *object = interp_read(source->reader, path, 40);

	if (!object)
		return false;
	if ((ruby_word(object, 0) & RUBY_TYPE_MASK) == RUBY_TYPE_ARRAY) {
		path = ruby_word(object, 16);
		if (!(ruby_word(object, 0) & FLAG_SHORT_ARRAY)) {
			object = interp_read(source->reader, ruby_word(object, 32),
					     sizeof(uint64_t));
			if (!object)
				return false;
			path = ruby_word(object, 0);
		}
	}
	return find_text(source, path, text);
}

static uint64_t hash_label(const struct source *source, const struct script_text *label)
{
	uint32_t count = label->bytes < LABEL_HASHED ? label->bytes : LABEL_HASHED;
	uint64_t hash = code_mix(label->address, label->bytes);
	const void *bytes = count ? interp_read(source->reader, label->address, count) : NULL;

	if (!bytes)
		return hash;
	for (uint32_t i = 0; i + 8 <= count; i += 8)
		hash = code_mix(hash, ruby_word(bytes, i));
	if (count >= 8)
		return code_mix(hash, ruby_word(bytes, count - 8));
	for (uint32_t i = 0; i < count; i++)
		hash = hash << 8 ^ ruby_byte(bytes, i);
	return hash;
}

/* Returns the body of a function; NULL: it is none. */
static const void *read_body(const struct source *source, uint64_t iseq)
{
	const void *object = interp_read(source->reader, iseq, ISEQ_BODY + 8);
	uint64_t flags;

	if (!object)
		return NULL;
	flags = ruby_word(object, 0);
	if ((flags & RUBY_TYPE_MASK) != RUBY_TYPE_INNER ||
	    ruby_inner_kind(flags) != RUBY_INNER_ISEQ)
		return NULL;
	return interp_read(source->reader, ruby_word(object, ISEQ_BODY), BODY_BYTES);
}

/* Reads a function as far as its fingerprint needs. */
static bool read_function(const struct source *source, uint64_t iseq, struct function *function)
{
	function->iseq = iseq;
	function->body = read_body(source, iseq);
	return function->body &&
	       find_text(source, ruby_word(function->body, BODY_LABEL), &function->label);
}

static struct code_key key_of(const struct source *source, const struct function *function)
{
	const void *body = function->body;

	return (struct code_key){ .address = function->iseq,
				  .print = {
					  code_mix(ruby_word(body, 0), ruby_word(body, BODY_CODE)),
					  code_mix(code_mix(ruby_word(body, BODY_PATH),
							    ruby_word(body, BODY_LABEL)),
						   code_mix(ruby_word(body, BODY_FIRST_LINE),
							    ruby_word(body, BODY_FIRST_LINE + 8))),
					  hash_label(source, &function->label) } };
}

static uint32_t first_line_of(const struct source *source, const struct function *function)
{
	uint32_t line = ruby_half(function->body, BODY_FIRST_LINE);

	if (source->layout->boxed_line)
		line = (uint32_t)(ruby_word(function->body, BODY_FIRST_LINE) >> 1);
	return line > INT32_MAX ? 0 : line;
}

/* Makes "block in Set#each" of "block in each".  False: the memory cannot be read. */
static bool add_class(const struct source *source, const struct function *function,
		      struct script_text *qualified)
{
	struct script_text method;
	uint32_t before;
	uint64_t iseq;
	long bytes;

	qualified->bytes = 0;
	if (!find_text(source, ruby_word(function->body, BODY_METHOD_NAME), &method) ||
	    method.bytes > function->label.bytes || function->label.bytes > NAME_MAX)
		return true;
	before = function->label.bytes - method.bytes;
	iseq = ruby_word(function->body, source->layout->method);
	if (before && !memory_copy(name, function->label.address, before))
		return false;
	bytes = ruby_class_name(source->layout, function->environment, iseq, name + before,
				NAME_MAX - before);
	if (bytes <= 0)
		return !bytes;
	if (!memory_copy(name + before + bytes, method.address, method.bytes))
		return false;
	*qualified = (struct script_text){ (uint64_t)(uintptr_t)name,
					   before + (uint32_t)bytes + method.bytes, CODE_BYTES };
	return true;
}

static void find_lines(const struct source *source, const struct function *function,
		       struct script_new *code)
{
	uint32_t count = ruby_half(function->body, BODY_SIZE);
	unsigned char lines[LINES_BYTES];

	for (size_t at = 0; at < LINES_BYTES; at += 8) {
		uint64_t word = ruby_word(function->body, source->layout->lines + at);

		memcpy(lines + at, &word, sizeof(word));
	}
	code->table.address = (uint64_t)(uintptr_t)table;
	code->table.bytes =
		(uint32_t)ruby_lines_make(lines, count, code->first_line, table, sizeof(table));
}

static uint32_t add(const struct source *source, const struct function *function,
		    const struct code_key *key)
{
	struct script_new code = { .language = SPOOL_LANGUAGE_RUBY,
				   .lines = SPOOL_LINES_LNOTAB,
				   .first_line = first_line_of(source, function),
				   .name = function->label };
	uint32_t number = 0;

	if (!bounded_wait_lock(&lock))
		return 0;
	find_lines(source, function, &code);
	if (add_class(source, function, &code.qualified)) {
		if (!find_path(source, ruby_word(function->body, BODY_PATH), &code.file))
			code.file.bytes = 0;
		number = script_table_add(key, &code);
	}
	lock_give(&lock);
	return number;
}

/* Finds out what a function is, for this walk. */
static bool find_function(const struct source *source, const struct ruby_frame *frame,
			  struct ruby_code_known *known)
{
	struct function function = { .environment = frame->environment };
	struct code_key key;

	if (!read_function(source, frame->iseq, &function))
		return false;
	key = key_of(source, &function);
	*known = (struct ruby_code_known){ .iseq = frame->iseq,
					   .code = ruby_word(function.body, BODY_CODE),
					   .count = ruby_half(function.body, BODY_SIZE),
					   .number = script_table_find(&key) };
	if (!known->number)
		known->number = add(source, &function, &key);
	return true;
}

/* The instruction that a frame is at: its pc is already at the next one.  False: the pc is not in
 * the function. */
static bool find_place(const struct ruby_code_known *known, uint64_t pc, uint32_t *place)
{
	uint64_t offset = pc - known->code;

	*place = 0;
	if (!pc)
		return true;
	if (offset % 8 || offset / 8 > known->count)
		return false;
	*place = (uint32_t)(offset / 8) - (offset > 0);
	return true;
}

bool ruby_code_pc(const struct ruby_frames *frames, const struct ruby_frame *frame,
		  struct ruby_code_walk *walk, uint64_t *pc)
{
	const struct source source = { frames->layout, frames->reader };
	struct ruby_code_known *known = &walk->known[frame->iseq / 8 % RUBY_CODE_KNOWN];
	uint32_t place;

	if (known->iseq != frame->iseq && !find_function(&source, frame, known))
		return false;
	if (!find_place(known, frame->pc, &place))
		return false;
	*pc = known->number ? spool_code_pc(known->number, place) : SPOOL_PC_NO_CODE;
	return true;
}

uint64_t ruby_code_first(struct interp_reader *reader, uint64_t iseq)
{
	const struct source source = { .reader = reader };
	const void *body = read_body(&source, iseq);
	const void *code = body ? interp_read(reader, ruby_word(body, BODY_CODE), 8) : NULL;

	return code ? ruby_word(code, 0) : 0;
}

void ruby_code_forget(void)
{
	if (atomic_load_explicit(&lock, memory_order_relaxed))
		atomic_store_explicit(&lock, LOCK_FREE, memory_order_relaxed);
}
