/*
 * The names of Perl's subs, and the lines of statements.  What is read here is held by a call that
 * has not returned; whether the innermost one has, the current pad tells.  A sub is known by its
 * code, which all closures made of it share, and by what names it.
 */
#include "runtime/sample/interp/perl/perl.h"

#include <stddef.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/store/script_new.h"
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

#define FILE_MAX   256
#define TEXT_PIECE 64
#define EVAL_BEGIN 0x206c61766528ULL /* "(eval " */
#define EVAL_MASK  0xffffffffffffULL

/* A sub, and where its texts are. */
struct described {
	uint64_t root;
	uint64_t start;
	uint32_t first_line;
	uint64_t name, package; /* with length and hash (HEK) */
	uint64_t file;
};

/* Returns the 4 bytes at an address that is a multiple of 4, of the word that has them. */
static uint32_t half_of(uint64_t both, uint64_t address)
{
	return (uint32_t)(both >> (address & 4) * 8);
}

static uint32_t half(const struct perl_walk *walk, uint64_t address)
{
	return half_of(perl_word(walk, address & ~7ULL), address);
}

/* Returns where the package's name is; 0: nowhere. */
static uint64_t package_name(const struct perl_walk *walk, uint64_t package)
{
	uint32_t type = half(walk, package + HEAD_TYPE);
	uint64_t body = perl_word(walk, package + HEAD_BODY), aux = body + HASH_AUX, name, names;

	if ((type & TYPE_MASK) != TYPE_HASH || !(type & HAS_AUX))
		return 0;
	if (!walk->layout->has_aux)
		aux = perl_word(walk, package + HEAD_ARRAY) +
		      (perl_word(walk, body + HASH_MAX) + 1) * 8;
	name = perl_word(walk, aux + AUX_NAME);
	names = perl_word(walk, (aux + AUX_NAMES) & ~7ULL);
	return half_of(names, aux + AUX_NAMES) ? perl_word(walk, name) : name;
}

static uint32_t first_line(const struct perl_walk *walk, uint64_t start)
{
	uint32_t type = half(walk, start + OP_TYPE) & OP_TYPE_MASK;

	if (type - walk->layout->next_state > 1)
		return 0;
	return half(walk, start + STATEMENT_LINE);
}

MEMORY_RAW static bool describe(const struct perl_walk *walk, uint64_t address,
				struct described *to)
{
	uint32_t type = half(walk, address + HEAD_TYPE) & TYPE_MASK;
	const struct sub *sub = perl_read(walk, perl_word(walk, address + HEAD_BODY), sizeof(*sub));
	uint64_t glob, package;

	if ((type != TYPE_SUB && type != TYPE_FORM) || !sub)
		return false;
	*to = (struct described){
		.root = sub->root, .start = sub->start, .name = sub->name, .file = sub->file
	};
	package = sub->package;
	if (!(sub->flags & IS_NAMED)) {
		if ((half(walk, to->name + HEAD_TYPE) & TYPE_MASK) != TYPE_GLOB)
			return false;
		glob = perl_word(walk, to->name + HEAD_BODY);
		to->name = perl_word(walk, glob + GLOB_NAME);
		package = perl_word(walk, glob + GLOB_PACKAGE);
	}
	to->package = package_name(walk, package);
	to->first_line = first_line(walk, to->start);
	return true;
}

/* Finds a name's bytes and adds what it is to a fingerprint. */
static struct script_text name_text(const struct perl_walk *walk, uint64_t name, uint64_t *print)
{
	uint64_t head = name ? perl_word(walk, name) : 0;

	*print = code_mix(code_mix(*print, name), head);
	return (struct script_text){ name + NAME_AT, (uint32_t)(head >> 32), CODE_BYTES };
}

/* Copies a text that ends with a zero, in pieces that do not cross pages.  Returns its length. */
MEMORY_RAW static uint32_t load_text(const struct perl_walk *walk, uint64_t text, char *to,
				     uint32_t max)
{
	uint64_t skipped = text % TEXT_PIECE;
	uint32_t n = 0;

	for (uint64_t at = text - skipped; text && n < max; at += TEXT_PIECE, skipped = 0) {
		const char *from = perl_read(walk, at, TEXT_PIECE);

		if (!from)
			break;
		for (; skipped < TEXT_PIECE && n < max && from[skipped]; skipped++)
			to[n++] = from[skipped];
		if (skipped < TEXT_PIECE)
			break;
	}
	return n;
}

/* Finds a file's name, and adds it to a fingerprint.  The files of evals have numbers: "(eval 12)".
 * All of them are one. */
static struct script_text file_text(const struct perl_walk *walk, uint64_t file, uint64_t *print)
{
	static const char eval[] = "(eval ";
	char bytes[FILE_MAX];
	uint32_t n = load_text(walk, file, bytes, sizeof(bytes)), same = 0;

	while (same < sizeof(eval) - 1 && same < n && bytes[same] == eval[same])
		same++;
	if (same == sizeof(eval) - 1)
		return (struct script_text){ (uintptr_t) "(eval)", sizeof(eval) - 1, CODE_BYTES };
	for (uint32_t i = 0; i < n; i++)
		*print = code_mix(*print, (unsigned char)bytes[i]);
	return (struct script_text){ file, n, CODE_BYTES };
}

static uint32_t add_sub(const struct perl_walk *walk, const struct code_key *key,
			struct script_new *code, const struct described *described,
			const struct script_text *package)
{
	char qualified[CODE_QUALIFIED_MAX];
	uint64_t unused = 0;

	code->file = file_text(walk, described->file, &unused);
	if (package->bytes)
		code->qualified = script_text_qualified(package, &code->name, qualified);
	return script_table_add(key, code);
}

/* Which file it is, by its name's address, unless it is an eval's. */
static uint64_t file_print(const struct perl_walk *walk, uint64_t file)
{
	return (perl_word(walk, file) & EVAL_MASK) == EVAL_BEGIN ? 0 : file;
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
	struct script_new code = { .language = SPOOL_LANGUAGE_PERL, .lines = SPOOL_LINES_PLACE };
	struct described described = { 0 };
	struct script_text package;
	struct code_key key;
	uint32_t number;

	if (!describe(walk, context->sub, &described))
		return SPOOL_PC_NO_CODE;
	key = (struct code_key){ .address = described.root,
				 .print = { 0, file_print(walk, described.file),
					    described.first_line } };
	code.first_line = described.first_line;
	code.name = name_text(walk, described.name, &key.print[0]);
	package = name_text(walk, described.package, &key.print[2]);
	number = script_table_find(&key);
	if (!number)
		number = add_sub(walk, &key, &code, &described, &package);
	if (walk->is_innermost && is_fresh(walk, context, &described))
		statement = 0;
	return pc_of(walk, number, statement);
}

uint64_t perl_function_of_code(const struct perl_walk *walk, const char *name, uint64_t statement)
{
	struct script_new code = { .language = SPOOL_LANGUAGE_PERL, .lines = SPOOL_LINES_PLACE };
	struct code_key key = { .address = (uintptr_t)name };
	uint64_t file = statement ? perl_word(walk, statement + STATEMENT_FILE) : 0;
	uint32_t number;

	code.name = (struct script_text){ (uintptr_t)name, 0, CODE_BYTES };
	while (name[code.name.bytes])
		code.name.bytes++;
	code.file = file_text(walk, file, &key.print[0]);
	number = script_table_find(&key);
	return pc_of(walk, number ? number : script_table_add(&key, &code), statement);
}
