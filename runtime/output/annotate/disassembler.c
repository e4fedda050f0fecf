/*
 * The versions 4 and 5 of capstone differ in one field of an instruction, the room for its bytes,
 * so headers of one version do not fit the library of the other.  The few declarations that are
 * needed are here, for both.  Which of them fits the loaded library is found out with an
 * instruction whose text is known; a library that neither fits counts as absent.
 */
#include "runtime/output/annotate/disassembler.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/library.h"

enum {
	ARCH_ARM64 = 1,
	ARCH_X86 = 3,
	MODE_LITTLE_ENDIAN = 0,
	MODE_64 = 1 << 3,
	OPTION_SYNTAX = 1,
	SYNTAX_ATT = 2,
	SYNTAX_ATT_LATER = 1 << 3, /* in releases after 5 */
};

#define TEXT_BYTES 32

struct insn_head {
	unsigned id;
	uint64_t address;
	uint16_t size;
};
#define INSN_BYTES (offsetof(struct insn_head, size) + sizeof(uint16_t))

typedef int open_function(int arch, int mode, size_t *handle);
typedef int close_function(size_t *handle);
typedef int option_function(size_t handle, int type, size_t value);
typedef void *malloc_function(size_t handle);
typedef void free_function(void *insn, size_t count);
typedef bool iter_function(size_t handle, const uint8_t **code, size_t *size, uint64_t *address,
			   void *insn);

static struct {
	open_function *cs_open;
	close_function *cs_close;
	option_function *cs_option;
	malloc_function *cs_malloc;
	free_function *cs_free;
	iter_function *cs_disasm_iter;
} capstone;

struct disassembler {
	size_t handle;
	void *insn;
	size_t text; /* offset of the mnemonic in an instruction */
	bool arm;
};

static int load(void)
{
	static const char *const names[] = { "libcapstone.so.5", "libcapstone.so.4" };
	static const struct library_entry entries[] = {
		{ "cs_open", (void **)&capstone.cs_open },
		{ "cs_close", (void **)&capstone.cs_close },
		{ "cs_option", (void **)&capstone.cs_option },
		{ "cs_malloc", (void **)&capstone.cs_malloc },
		{ "cs_free", (void **)&capstone.cs_free },
		{ "cs_disasm_iter", (void **)&capstone.cs_disasm_iter },
		{ 0 },
	};
	static bool tried;
	static int err;

	for (size_t i = 0; !tried && i < sizeof(names) / sizeof(names[0]); i++) {
		err = library_open(names[i], entries);
		if (!err)
			break;
	}
	tried = true;
	return err;
}

static bool decode(struct disassembler *disassembler, const uint8_t *code, size_t count,
		   uint64_t address)
{
	return capstone.cs_disasm_iter(disassembler->handle, &code, &count, &address,
				       disassembler->insn);
}

/* Find out where the text of an instruction is. */
static bool find_text(struct disassembler *disassembler)
{
	static const size_t rooms[] = { 16, 24 }; /* bytes of an instruction in version 4 and 5 */
	static const uint8_t x86[] = { 0x90 }, arm[] = { 0x1f, 0x20, 0x03, 0xd5 };
	const uint8_t *code = disassembler->arm ? arm : x86;
	size_t count = disassembler->arm ? sizeof(arm) : sizeof(x86);

	if (!decode(disassembler, code, count, 0))
		return false;
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		disassembler->text = INSN_BYTES + rooms[i];
		if (!strcmp((const char *)disassembler->insn + disassembler->text, "nop"))
			return true;
	}
	return false;
}

/* The number of a syntax depends on the release. */
static void set_syntax(struct disassembler *disassembler)
{
	static const uint8_t move[] = { 0x48, 0x89, 0xc3 }; /* mov %rax, %rbx */
	static const size_t numbers[] = { SYNTAX_ATT, SYNTAX_ATT_LATER };
	const char *operands = (const char *)disassembler->insn + disassembler->text + TEXT_BYTES;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		capstone.cs_option(disassembler->handle, OPTION_SYNTAX, numbers[i]);
		if (decode(disassembler, move, sizeof(move), 0) && operands[0] == '%')
			return;
	}
}

int disassembler_open(uint16_t machine, bool intel, struct disassembler **result)
{
	struct disassembler *made;
	int err = machine == EM_X86_64 || machine == EM_AARCH64 ? load() : -ENOTSUP;

	if (err)
		return err;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	made->arm = machine == EM_AARCH64;
	if (capstone.cs_open(made->arm ? ARCH_ARM64 : ARCH_X86,
			     made->arm ? MODE_LITTLE_ENDIAN : MODE_64, &made->handle)) {
		free(made);
		return -ELIBACC;
	}
	made->insn = capstone.cs_malloc(made->handle);
	if (!made->insn || !find_text(made)) {
		err = made->insn ? -ELIBACC : -ENOMEM;
		disassembler_close(made);
		return err;
	}
	if (!made->arm && !intel)
		set_syntax(made);
	*result = made;
	return 0;
}

void disassembler_close(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	if (disassembler->insn)
		capstone.cs_free(disassembler->insn, 1);
	capstone.cs_close(&disassembler->handle);
	free(disassembler);
}

/* Bytes that are no instruction, such as a table between functions. */
static void take_data(const struct disassembler *disassembler, const uint8_t *code, size_t count,
		      struct instruction *instruction)
{
	bool word = disassembler->arm && count >= 4;

	instruction->bytes = word ? 4 : 1;
	strcpy(instruction->mnemonic, word ? ".inst" : ".byte");
	if (word)
		snprintf(instruction->operands, sizeof(instruction->operands), "0x%02x%02x%02x%02x",
			 code[3], code[2], code[1], code[0]);
	else
		snprintf(instruction->operands, sizeof(instruction->operands), "0x%02x", code[0]);
}

void disassembler_next(struct disassembler *disassembler, const uint8_t *code, size_t count,
		       uint64_t address, struct instruction *instruction)
{
	const char *text = (const char *)disassembler->insn + disassembler->text;
	struct insn_head head;

	if (decode(disassembler, code, count, address)) {
		memcpy(&head, disassembler->insn, sizeof(head));
		if (head.size && head.size <= count) {
			instruction->bytes = head.size;
			snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), "%.*s",
				 TEXT_BYTES - 1, text);
			snprintf(instruction->operands, sizeof(instruction->operands), "%.*s",
				 (int)sizeof(instruction->operands) - 1, text + TEXT_BYTES);
			return;
		}
	}
	take_data(disassembler, code, count, instruction);
}

static bool begins(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

static bool branches(const struct disassembler *disassembler, const char *mnemonic)
{
	if (disassembler->arm)
		return !strcmp(mnemonic, "b") || !strcmp(mnemonic, "bl") ||
		       begins(mnemonic, "b.") || begins(mnemonic, "cb") || begins(mnemonic, "tb");
	return mnemonic[0] == 'j' || begins(mnemonic, "call") || begins(mnemonic, "loop");
}

bool disassembler_target(const struct disassembler *disassembler,
			 const struct instruction *instruction, uint64_t *target)
{
	const char *last = strrchr(instruction->operands, ' ');
	char *end;

	last = last ? last + 1 : instruction->operands;
	last += *last == '#';
	if (!branches(disassembler, instruction->mnemonic) || !begins(last, "0x"))
		return false;
	*target = strtoull(last, &end, 16);
	return !*end;
}
