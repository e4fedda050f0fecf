/* A description that cannot be read is refused too, but this is not remembered: module->faulted
 * reports it. */
#include "runtime/sample/cfi/cfi_verify.h"

#include <stddef.h>

#include "runtime/sample/cfi/unwind_module.h"

#define VERIFIED_LOG	6
#define COMMONS_LOG	4
#define REMEMBERED_MAX	64
#define ENCODING_FORMAT 0x0f
#define ENCODING_USUAL	0x1b /* pcrel, sdata4 */

/* Descriptions that were found harmless: their address, and the stamp of the copy that was read.
 * W, R: the holder of unwind_lock. */
static struct {
	uint64_t at;
	uint64_t stamp;
} verified[1 << VERIFIED_LOG];

/* The common parts (CIE) of the functions that were read last, likewise. */
struct common {
	uint64_t at;
	uint64_t stamp;
	uint64_t alignment; /* of code */
	unsigned pointer;
	bool sized; /* there is augmentation data */
	bool has_cfa;
	bool computes;
};

static struct common commons[1 << COMMONS_LOG];

struct input_options {
	struct cfi_reader in;
	struct common common;
	struct cfi_row row;
	uint64_t address;    /* the address that is looked up */
	uint64_t location;   /* of the current row */
	uint64_t limit;	     /* end of the function; 0: unknown, and then the row is unknown too */
	unsigned remembered; /* states that were not restored yet */
	bool has_cfa;
	bool hurried; /* the description is known: skip the rest */
};

static unsigned slot_of(uint64_t at, unsigned log)
{
	return (unsigned)(at * 0x9e3779b97f4a7c15ULL >> (64 - log));
}

/* DW_CFA_*, those without an operand in their own byte. */
static const char *const instruction_operands[] = {
	[0x00] = "",				     /* nop */
	[0x01] = "p",				     /* set_loc */
	[0x02] = "1",				     /* advance_loc1, 2, 4 */
	[0x03] = "2",  [0x04] = "4",  [0x05] = "ru", /* offset_extended */
	[0x06] = "r",				     /* restore_extended, undefined, same_value */
	[0x07] = "r",  [0x08] = "r",  [0x09] = "rr", /* register */
	[0x0a] = "",				     /* remember_state, restore_state */
	[0x0b] = "",   [0x0c] = "ru",		     /* def_cfa, def_cfa_register, def_cfa_offset,
							def_cfa_expression */
	[0x0d] = "r",  [0x0e] = "u",  [0x0f] = "b",
	[0x10] = "rb", /* expression, offset_extended_sf, def_cfa_sf, def_cfa_offset_sf */
	[0x11] = "ru", [0x12] = "ru", [0x13] = "u",
	[0x16] = "rb", /* val_expression; libunwind 1.6 misreads val_offset */
	[0x2d] = "",   /* aarch64: negate_ra_state */
	[0x2e] = "u",  /* GNU_args_size, GNU_negative_offset_extended */
	[0x2f] = "ru",
};

/* The rule of the CFA must come before everything that needs it. */
static void follow_state(struct input_options *reading, unsigned instruction, bool advances)
{
	if (instruction == 0x0c || instruction == 0x0f || instruction == 0x12)
		reading->has_cfa = true;
	if (instruction == 0x0a)
		reading->remembered++;
	if (((advances || instruction == 0x0a) && !reading->has_cfa) ||
	    reading->remembered > REMEMBERED_MAX)
		cfi_reader_refuse(&reading->in);
	if (instruction == 0x0b && reading->remembered)
		reading->remembered--;
}

/* Begins the next row. */
static void advance(struct input_options *reading, uint64_t units)
{
	uint64_t room = reading->limit - reading->location;

	if (!reading->limit)
		return;
	if (units > UINT32_MAX || reading->common.alignment > UINT8_MAX ||
	    units * reading->common.alignment > room) {
		reading->limit = 0;
		return;
	}
	reading->location += units * reading->common.alignment;
	if (reading->location <= reading->address)
		reading->row.low = reading->location;
	else if (reading->location < reading->row.high)
		reading->row.high = reading->location;
}

static void instruction(struct input_options *reading, unsigned byte)
{
	const unsigned count = sizeof(instruction_operands) / sizeof(instruction_operands[0]);
	struct cfi_reader *in = &reading->in;

	if (byte == 0x01)
		reading->limit = 0; /* set_loc: no compiler writes it */
	if (byte >= 0x02 && byte <= 0x04)
		advance(reading, cfi_reader_number(in, 1U << (byte - 0x02)));
	else
		cfi_reader_operands(in, byte < count ? instruction_operands[byte] : NULL);
}

static void program(struct input_options *reading)
{
	struct cfi_reader *in = &reading->in;

	reading->remembered = 0;
	while (in->at < in->end) {
		unsigned byte = (unsigned)cfi_reader_number(in, 1);
		unsigned high = byte >> 6;

		follow_state(reading, high ? UINT32_MAX : byte,
			     high == 1 || (byte >= 0x01 && byte <= 0x04));
		if (high == 1)
			advance(reading, byte & 0x3f);
		if (high == 2)
			cfi_reader_leb(in); /* offset */
		if (high >= 2 && (byte & 0x3f) >= in->registers)
			cfi_reader_refuse(in);
		if (!high)
			instruction(reading, byte);
		if (reading->hurried && reading->location > reading->address)
			return;
	}
}

/* The characters after 'z' say what the augmentation data holds. */
static void augmentation(struct cfi_reader *in, uint64_t text)
{
	struct cfi_reader names = *in;
	uint64_t bytes = cfi_reader_leb(in);
	uint64_t end = in->at + bytes;
	unsigned name;

	names.at = text;
	if (bytes > in->end - in->at)
		cfi_reader_refuse(in);
	while (!in->refused && (name = (unsigned)cfi_reader_number(&names, 1))) {
		if (name == 'R')
			in->pointer = (unsigned)cfi_reader_number(in, 1);
		else if (name == 'L')
			cfi_reader_number(in, 1);
		else if (name == 'P')
			cfi_reader_pointer(in, (unsigned)cfi_reader_number(in, 1));
		else if (name != 'S' && name != 'B')
			cfi_reader_refuse(in);
	}
	if (in->at != end || names.refused)
		cfi_reader_refuse(in);
}

/* Reads the length, which gives the end.  No compiler writes the 64-bit form. */
static bool begin(struct cfi_reader *in, uint64_t at)
{
	uint64_t length;

	in->at = at;
	in->end = at + sizeof(uint32_t);
	length = cfi_reader_number(in, sizeof(uint32_t));
	if (in->refused || length < sizeof(uint32_t) || length > CFI_VERIFY_MAX)
		return false;
	in->end = in->at + length;
	return true;
}

static bool read_common(struct input_options *reading, uint64_t at)
{
	struct cfi_reader *in = &reading->in;
	uint64_t version, text;
	char first;

	if (cfi_reader_number(in, sizeof(uint32_t))) /* its number is 0 */
		return false;
	version = cfi_reader_number(in, 1);
	text = in->at + 1;
	first = (char)cfi_reader_number(in, 1);
	if (first)
		while (!in->refused && cfi_reader_number(in, 1))
			;
	reading->common.at = at;
	reading->common.alignment = cfi_reader_leb(in);
	cfi_reader_leb(in); /* alignment of data */
	if ((version != 1 && version != 3) ||
	    (version == 1 ? cfi_reader_number(in, 1) : cfi_reader_leb(in)) >= in->registers)
		return false;
	reading->common.sized = first == 'z';
	if (reading->common.sized)
		augmentation(in, text);
	else if (first)
		return false;
	program(reading);
	reading->common.pointer = in->pointer;
	reading->common.has_cfa = reading->has_cfa;
	reading->common.computes = in->computes;
	return !in->refused;
}

/* Reads the common part of functions, or takes the kept one if its bytes are unchanged. */
static bool common(struct input_options *reading, uint64_t at)
{
	struct common *known = &commons[slot_of(at, COMMONS_LOG)];
	struct cfi_reader *in = &reading->in;
	uint64_t bytes;

	if (!begin(in, at))
		return false;
	bytes = in->end - at;
	reading->common.stamp = unwind_memory_stamp(at, bytes);
	if (known->at == at && known->stamp && known->stamp == reading->common.stamp) {
		reading->common = *known;
		reading->has_cfa = known->has_cfa;
		in->pointer = known->pointer;
		in->computes = known->computes;
		return true;
	}
	if (!read_common(reading, at))
		return false;
	if (reading->common.stamp == unwind_memory_stamp(at, bytes))
		*known = reading->common;
	return true;
}

/* Finds the start and end of the function.  They stay unknown if they are encoded in an unusual way
 * or if the table's row disagrees. */
static void find_limits(struct input_options *reading, const struct unwind_entry *entry)
{
	struct cfi_reader *in = &reading->in;
	uint64_t start, bytes;

	if (in->pointer != ENCODING_USUAL) {
		cfi_reader_pointer(in, in->pointer);
		cfi_reader_pointer(in, in->pointer & ENCODING_FORMAT);
		return;
	}
	start = in->at;
	start += (uint64_t)(int64_t)(int32_t)cfi_reader_number(in, sizeof(int32_t));
	bytes = cfi_reader_number(in, sizeof(int32_t));
	if (start != entry->start || !bytes || bytes > INT32_MAX)
		return;
	reading->limit = start + bytes;
	reading->location = start;
	reading->row.low = start;
	reading->row.high = reading->limit;
}

static bool function(struct input_options *reading, uint64_t at, struct unwind_entry *entry)
{
	struct cfi_reader *in = &reading->in;
	uint64_t slot = slot_of(at, VERIFIED_LOG);
	uint64_t here, distance, bytes, stamp;

	if (!begin(in, at))
		return false;
	bytes = in->end - at;
	here = in->at;
	distance = cfi_reader_number(in, sizeof(uint32_t));
	if (!distance)
		return false; /* this is a CIE, not a function */
	if (!common(reading, here - (uint64_t)(int64_t)(int32_t)distance) || !begin(in, at))
		return false;
	stamp = unwind_memory_stamp(at, bytes);
	reading->hurried = stamp && verified[slot].at == at && verified[slot].stamp == stamp;
	cfi_reader_skip(in, sizeof(uint32_t));
	find_limits(reading, entry);
	if (reading->common.sized)
		cfi_reader_skip(in, cfi_reader_leb(in));
	entry->end = reading->limit;
	program(reading);
	if (in->refused || !reading->has_cfa)
		return false;
	if (stamp == unwind_memory_stamp(at, bytes)) {
		verified[slot].at = at;
		verified[slot].stamp = stamp;
	}
	return true;
}

bool cfi_verify_entry(struct unwind_module *module, struct unwind_entry *entry, uint64_t address,
		      unsigned registers, struct cfi_row *row)
{
	struct input_options reading = { .in.module = module,
					 .in.registers = registers,
					 .address = address };
	int32_t offset;

	row->low = row->high = 0;
	entry->end = 0;
	if (!unwind_module_copy(module, &offset, entry->at + sizeof(offset), sizeof(offset)) ||
	    !function(&reading, module->header + (uint64_t)(int64_t)offset, entry))
		return false;
	if (reading.limit && !reading.in.computes && address >= reading.row.low &&
	    address < reading.row.high)
		*row = reading.row;
	return true;
}
