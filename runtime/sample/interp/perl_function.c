/*
 * The names of Perl's subs, and the lines of statements.  What is read here is held by a call that
 * has not returned.  A sub is known by its code, which all closures made of it share, and by what
 * names it.
 */
#include "runtime/sample/interp/perl.h"

#include <stddef.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/spool/code_table.h"
#include "runtime/spool/format_code.h"
#include "runtime/sample/sys/poison.h"

/* A scalar's head (struct sv), which packages, globs and subs have as well. */
#define HEAD_BODY  0
#define HEAD_TYPE  12
#define HEAD_ARRAY 16

#define TYPE_MASK 0xff
#define TYPE_GLOB 9
#define TYPE_HASH 12
#define TYPE_SUB  13
#define TYPE_FORM 14
#define HAS_AUX	  0x2000000 /* SVf_OOK of a hash */

/* The body of a sub (XPVCV). */
struct sub {
	uint64_t unused[4];
	uint64_t package;
	uint64_t start; /* the first operation */
	uint64_t root;
	uint64_t name; /* of a glob, or the name itself */
	uint64_t file;
	uint64_t pads;
	uint64_t outside;
	uint32_t outside_sequence;
	uint32_t flags;
};

#define IS_NAMED 0x8000

#define GLOB_NAME    32 /* in the body of a glob */
#define GLOB_PACKAGE 40

#define HASH_MAX      24 /* in the body of a hash */
#define HASH_AUX      32 /* likewise, since 5.36 */
#define AUX_NAME      0
#define AUX_NAMES     28 /* how many there are; 0: AUX_NAME is the name itself */
#define NAME_BYTES_AT 4
#define NAME_AT	      8

#define OP_TYPE	       32
#define OP_TYPE_MASK   0x1ff
#define STATEMENT_LINE 36
#define STATEMENT_FILE 48

#define FILE_MAX    256
#define TEXT_PIECE  64
#define PACKAGE_MAX 200
#define SUB_MAX	    200

/* A sub, and where its texts are. */
struct described {
	uint64_t root;
	uint64_t start;
	uint32_t first_line;
	uint64_t name, package; /* with length and hash (HEK) */
	uint64_t file;
};

static uint32_t half(const struct perl_walk *walk, uint64_t address)
{
	uint32_t value;

	return perl_load(walk, address, &value, sizeof(value)) ? value : 0;
}

/* Returns where the package's name is; 0: nowhere. */
static uint64_t package_name(const struct perl_walk *walk, uint64_t package)
{
	uint32_t type = half(walk, package + HEAD_TYPE);
	uint64_t body = perl_word(walk, package + HEAD_BODY), aux = body + HASH_AUX, name;

	if ((type & TYPE_MASK) != TYPE_HASH || !(type & HAS_AUX))
		return 0;
	if (!walk->layout->has_aux)
		aux = perl_word(walk, package + HEAD_ARRAY) +
		      (perl_word(walk, body + HASH_MAX) + 1) * 8;
	name = perl_word(walk, aux + AUX_NAME);
	return half(walk, aux + AUX_NAMES) ? perl_word(walk, name) : name;
}

static uint32_t first_line(const struct perl_walk *walk, uint64_t start)
{
	uint32_t type = half(walk, start + OP_TYPE) & OP_TYPE_MASK;

	if (type - walk->layout->next_state > 1)
		return 0;
	return half(walk, start + STATEMENT_LINE);
}

static bool describe(const struct perl_walk *walk, uint64_t address, struct described *to)
{
	uint32_t type = half(walk, address + HEAD_TYPE) & TYPE_MASK;
	uint64_t glob, package;
	struct sub sub;

	if ((type != TYPE_SUB && type != TYPE_FORM) ||
	    !perl_load(walk, perl_word(walk, address + HEAD_BODY), &sub, sizeof(sub)))
		return false;
	to->name = sub.name;
	package = sub.package;
	if (!(sub.flags & IS_NAMED)) {
		if ((half(walk, sub.name + HEAD_TYPE) & TYPE_MASK) != TYPE_GLOB)
			return false;
		glob = perl_word(walk, sub.name + HEAD_BODY);
		to->name = perl_word(walk, glob + GLOB_NAME);
		package = perl_word(walk, glob + GLOB_PACKAGE);
	}
	to->package = package_name(walk, package);
	to->root = sub.root;
	to->start = sub.start;
	to->file = sub.file;
	to->first_line = first_line(walk, sub.start);
	return true;
}

static uint64_t mix(uint64_t print, uint64_t word)
{
	print = (print ^ word) * 0x9e3779b97f4a7c15ULL;
	return print ^ print >> 29;
}

/* Finds a name's bytes and adds what it is to a fingerprint. */
static struct code_text name_text(const struct perl_walk *walk, uint64_t name, uint64_t *print)
{
	uint64_t head = name ? perl_word(walk, name) : 0;

	*print = mix(mix(*print, name), head);
	return (struct code_text){ name + NAME_AT, (uint32_t)(head >> 32), CODE_BYTES };
}

/* Copies a text that ends with a zero, in pieces that do not cross pages.  Returns its length. */
MEMORY_RAW static uint32_t load_text(const struct perl_walk *walk, uint64_t text, char *to,
				     uint32_t max)
{
	uint32_t n = 0;

	while (text && n < max) {
		uint64_t at = text + n;
		size_t bytes = TEXT_PIECE - at % TEXT_PIECE;
		const char *from = interp_read(walk->reader, at, bytes);

		for (size_t i = 0; from && i < bytes && n < max && from[i]; i++)
			to[n++] = from[i];
		if (!from || n < at + bytes - text)
			break;
	}
	return n;
}

/* The files of evals have numbers: "(eval 12)".  All of them are one. */
static struct code_text file_text(const struct perl_walk *walk, uint64_t file, uint64_t *print)
{
	static const char eval[] = "(eval ";
	char bytes[FILE_MAX];
	uint32_t n = load_text(walk, file, bytes, sizeof(bytes)), same = 0;

	while (same < sizeof(eval) - 1 && same < n && bytes[same] == eval[same])
		same++;
	if (same == sizeof(eval) - 1)
		return (struct code_text){ (uintptr_t) "(eval)", sizeof(eval) - 1, CODE_BYTES };
	for (uint32_t i = 0; i < n; i++)
		*print = mix(*print, (unsigned char)bytes[i]);
	return (struct code_text){ file, n, CODE_BYTES };
}

static uint32_t append(char *to, const struct code_text *text, uint32_t max)
{
	uint32_t bytes = text->bytes < max ? text->bytes : max;

	return memory_copy(to, text->address, bytes) ? bytes : 0;
}

static uint32_t add_sub(const struct code_key *key, struct code_new *code,
			const struct code_text *package)
{
	char qualified[PACKAGE_MAX + 2 + SUB_MAX];
	uint32_t bytes;

	if (package->bytes) {
		bytes = append(qualified, package, PACKAGE_MAX);
		qualified[bytes++] = ':';
		qualified[bytes++] = ':';
		bytes += append(qualified + bytes, &code->name, SUB_MAX);
		code->qualified = (struct code_text){ (uintptr_t)qualified, bytes, CODE_BYTES };
	}
	return code_table_add(key, code);
}

static uint64_t pc_of(const struct perl_walk *walk, uint32_t number, uint64_t statement)
{
	if (!number)
		return SPOOL_PC_NO_CODE;
	return spool_code_pc(number, statement ? half(walk, statement + STATEMENT_LINE) : 0);
}

/* True if the current statement is the caller's still: the call is not over, or the next operation
 * is the sub's first. */
static bool is_fresh(const struct perl_walk *walk, const struct perl_context *context,
		     const struct described *described)
{
	return walk->now.statement == context->statement &&
	       (walk->now.op == described->start ||
		perl_word(walk, walk->now.op) == context->return_op);
}

uint64_t perl_function_of_sub(const struct perl_walk *walk, const struct perl_context *context,
			      uint64_t statement)
{
	struct code_new code = { .language = SPOOL_LANGUAGE_PERL, .lines = SPOOL_LINES_PLACE };
	struct described described = { 0 };
	struct code_text package;
	struct code_key key;
	uint32_t number;

	if (!describe(walk, context->sub, &described))
		return SPOOL_PC_NO_CODE;
	key = (struct code_key){ .address = described.root,
				 .print = { 0, 0, described.first_line } };
	code.first_line = described.first_line;
	code.name = name_text(walk, described.name, &key.print[0]);
	package = name_text(walk, described.package, &key.print[2]);
	code.file = file_text(walk, described.file, &key.print[1]);
	number = code_table_find(&key);
	if (!number)
		number = add_sub(&key, &code, &package);
	if (walk->is_innermost && is_fresh(walk, context, &described))
		statement = 0;
	return pc_of(walk, number, statement);
}

uint64_t perl_function_of_code(const struct perl_walk *walk, const char *name, uint64_t statement)
{
	struct code_new code = { .language = SPOOL_LANGUAGE_PERL, .lines = SPOOL_LINES_PLACE };
	struct code_key key = { .address = (uintptr_t)name };
	uint64_t file = statement ? perl_word(walk, statement + STATEMENT_FILE) : 0;
	uint32_t number;

	code.name = (struct code_text){ (uintptr_t)name, 0, CODE_BYTES };
	while (name[code.name.bytes])
		code.name.bytes++;
	code.file = file_text(walk, file, &key.print[0]);
	number = code_table_find(&key);
	return pc_of(walk, number ? number : code_table_add(&key, &code), statement);
}
