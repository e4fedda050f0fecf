/*
 * The names of PHP's functions: of a call's function, of the function's class, and their strings.
 *
 * A function is known by its opcodes, which all copies of it share (a closure is a copy with a life
 * of its own), and by what names it.  Strings are told apart by address, length and hash, because a
 * later request reuses addresses.
 */
#include "runtime/sample/interp/php/php.h"

#include <stddef.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "runtime/sample/store/script_table.h"
#include "runtime/sample/store/script_new.h"
#include "runtime/spool/format_code.h"
#include "runtime/sample/sys/poison.h"

#define VIA_TRAMPOLINE (1u << 18) /* ZEND_ACC_CALL_VIA_TRAMPOLINE: a name that __call receives */
#define OPCODE_BYTES   32
#define OPCODE_LINE    24 /* zend_op.lineno */
#define CLASS_NAME     8  /* zend_class_entry.name */

/* The beginning of zend_op_array and of zend_internal_function. */
struct function {
	uint8_t type;
	uint8_t unused[3];
	uint32_t flags;
	uint64_t name;
	uint64_t class;
};

/* zend_string; its bytes follow. */
struct string {
	uint64_t references;
	uint64_t hash;
	uint64_t bytes;
};

/* A function, and where its texts are. */
struct described {
	struct function head;
	uint64_t opcodes;
	uint32_t last;
	uint32_t first_line;
	uint64_t file;
	uint64_t class_name;
};

MEMORY_RAW static bool describe(struct interp_reader *reader, const struct php_layout *layout,
				uint64_t function, struct described *to)
{
	const unsigned char *from = interp_read(reader, function, sizeof(struct function));
	const uint64_t *name;

	*to = (struct described){ 0 };
	if (!from)
		return false;
	to->head = *(const struct function *)from;
	if (to->head.type != PHP_TYPE_INTERNAL) {
		from = interp_read(reader, function, layout->first_line + sizeof(uint32_t));
		if (!from)
			return false;
		to->last = *(const uint32_t *)(from + layout->last);
		to->opcodes = *(const uint64_t *)(from + layout->opcodes);
		to->file = *(const uint64_t *)(from + layout->file);
		to->first_line = *(const uint32_t *)(from + layout->first_line);
	}
	if (!to->head.class)
		return true;
	name = interp_read(reader, to->head.class + CLASS_NAME, sizeof(*name));
	if (name)
		to->class_name = *name;
	return name != NULL;
}

/* Finds a string's bytes and adds what it is to a fingerprint.  A null pointer is no text. */
MEMORY_RAW static bool text_of(struct interp_reader *reader, uint64_t string,
			       struct script_text *text, uint64_t *print)
{
	const struct string *head;

	*text = (struct script_text){ .encoding = CODE_BYTES };
	if (!string)
		return true;
	head = interp_read(reader, string, sizeof(*head));
	if (!head)
		return false;
	text->address = string + sizeof(*head);
	text->bytes = head->bytes < UINT32_MAX ? (uint32_t)head->bytes : UINT32_MAX;
	*print = code_mix(code_mix(*print, string), head->hash ^ head->bytes);
	return true;
}

/* Code without a name: a file's, or that of eval(). */
static struct script_text script_text_of(const struct described *described, uint32_t info)
{
	static const char main[] = "{main}", included[] = "{include}", eval[] = "{eval}";

	if (info & PHP_CALL_TOP)
		return (struct script_text){ (uintptr_t)main, sizeof(main) - 1, CODE_BYTES };
	if (described->head.type == PHP_TYPE_EVAL)
		return (struct script_text){ (uintptr_t)eval, sizeof(eval) - 1, CODE_BYTES };
	return (struct script_text){ (uintptr_t)included, sizeof(included) - 1, CODE_BYTES };
}

static uint32_t add(const struct code_key *key, struct script_new *code,
		    const struct script_text *class)
{
	char qualified[CODE_QUALIFIED_MAX];

	/* the name of a class without a name goes on after a zero byte */
	if (class->bytes)
		code->qualified = script_text_qualified(class, &code->name, qualified);
	return script_table_add(key, code);
}

/* Returns the number of the function; 0 if there is none. */
static uint32_t number_of(struct interp_reader *reader, const struct described *described,
			  uint64_t function, uint32_t info)
{
	struct script_new code = { .language = SPOOL_LANGUAGE_PHP, .lines = SPOOL_LINES_PLACE };
	struct code_key key = { .address = described->opcodes ? described->opcodes : function };
	uint32_t kind = described->head.name ? 0 : info & PHP_CALL_TOP;
	struct script_text class;
	uint32_t number;

	code.first_line = described->first_line;
	key.print[2] =
		code_mix(described->head.class, (uint64_t)described->first_line << 32 | kind);
	if (!text_of(reader, described->head.name, &code.name, &key.print[0]) ||
	    !text_of(reader, described->file, &code.file, &key.print[1]) ||
	    !text_of(reader, described->class_name, &class, &key.print[2]))
		return 0;
	number = script_table_find(&key);
	if (number)
		return number;
	if (!described->head.name)
		code.name = script_text_of(described, info);
	return add(&key, &code, &class);
}

/* While an exception is thrown, the engine executes an opcode of its own. */
MEMORY_RAW static uint32_t line_of(struct interp_reader *reader, const struct described *described,
				   uint64_t opline)
{
	uint64_t offset = opline - described->opcodes;
	const uint32_t *line;

	if (offset % OPCODE_BYTES || offset / OPCODE_BYTES >= described->last)
		return 0;
	line = interp_read(reader, opline + OPCODE_LINE, sizeof(*line));
	return line ? *line : 0;
}

uint64_t php_function_pc(struct interp_reader *reader, const struct php_layout *layout,
			 const struct php_frame *frame, uint64_t opline)
{
	struct described described;
	uint32_t line = 0, number;

	if (!frame->function)
		return 0;
	if (!describe(reader, layout, frame->function, &described))
		return SPOOL_PC_NO_CODE;
	if (described.head.flags & VIA_TRAMPOLINE)
		return 0;
	number = number_of(reader, &described, frame->function, frame->info);
	if (!number)
		return SPOOL_PC_NO_CODE;
	if (described.opcodes) {
		line = line_of(reader, &described, opline);
		if (!line)
			line = line_of(reader, &described, frame->opline);
	}
	return spool_code_pc(number, line);
}
