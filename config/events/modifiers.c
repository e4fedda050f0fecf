/*
 * perf's modifiers.  Those without a meaning for the threads of one process are refused with the
 * reason.  S (read the members at the leader's overflow) and I (a thread is never idle) describe
 * what always happens.
 */

#include "config/events/grammar.h"
#include "config/text/text.h"

enum {
	USER = 1u << 0,
	KERNEL = 1u << 1,
	HYPERVISOR = 1u << 2,
	HOST = 1u << 3,
	PRECISE_SHIFT = 4, /* two bits: the number of p */
	PRECISE_ONE = 1u << PRECISE_SHIFT,
	PRECISE_MASK = 3u << PRECISE_SHIFT,
	PRECISE_MOST = 1u << 6,
	SAMPLE_READ = 1u << 7,
	PINNED = 1u << 8,
	EXCLUSIVE = 1u << 9,
	WEAK = 1u << 10,
	NOT_IDLE = 1u << 11,
};

struct modifier {
	char letter;
	unsigned bit;
	const char *refused; /* the reason for a refusal */
};

static const struct modifier table[] = {
	{ 'u', USER, NULL },
	{ 'k', KERNEL, NULL },
	{ 'h', HYPERVISOR, NULL },
	{ 'H', HOST, NULL },
	{ 'p', PRECISE_ONE, NULL },
	{ 'P', PRECISE_MOST, NULL },
	{ 'S', SAMPLE_READ, NULL },
	{ 'D', PINNED, NULL },
	{ 'e', EXCLUSIVE, NULL },
	{ 'W', WEAK, NULL },
	{ 'I', NOT_IDLE, NULL },
	{ 'G', 0, " counts inside virtual machines only, where no process of this system runs" },
	{ 'b', 0, " counts with a BPF program, which needs rights over the whole machine" },
	{ 'R', 0, " asks the perf tool not to regroup, which is never done here" },
	{ 'X', 0, " asks the perf tool not to regroup by CPU, which is never done here" },
};

static const struct modifier *find(char letter)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (letter && table[i].letter == letter)
			return &table[i];
	return NULL;
}

int modifiers_parse(struct parser *parser, unsigned *modifiers)
{
	struct scan *scan = &parser->scan;
	size_t from = scan->at;
	const struct modifier *modifier;

	for (; (modifier = find(scan->text[scan->at])); scan->at++) {
		if (modifier->refused)
			return scan_refuse(scan, scan->at, "modifier ", scan->text + scan->at, 1,
					   modifier->refused);
		if (modifier->bit == PRECISE_ONE) {
			if ((*modifiers & PRECISE_MASK) == PRECISE_MASK)
				return scan_refuse(scan, scan->at, "a fourth ", "p", 1,
						   ": there are three levels of precision");
			*modifiers += PRECISE_ONE;
		} else {
			*modifiers |= modifier->bit;
		}
	}
	return scan->at == from ? scan_expected(scan, "modifier (u k h H p P S D e W I)") : 0;
}

void modifiers_apply(struct event *event, unsigned modifiers)
{
	unsigned sides = modifiers & (USER | KERNEL | HYPERVISOR);

	event->user_only |= sides == USER;
	event->kernel_only |= sides == KERNEL;
	event->exclude_hv |= sides && !(sides & HYPERVISOR);
	event->exclude_guest |= (modifiers & HOST) != 0;
	if (modifiers & PRECISE_MASK)
		event->precise = (modifiers & PRECISE_MASK) >> PRECISE_SHIFT;
	event->precise_most |= (modifiers & PRECISE_MOST) != 0;
	event->pinned |= (modifiers & PINNED) != 0;
	event->exclusive |= (modifiers & EXCLUSIVE) != 0;
	event->weak |= (modifiers & WEAK) != 0;
	event->exclude_idle |= (modifiers & NOT_IDLE) != 0;
}

void modifiers_text(unsigned modifiers, char *text, size_t bytes)
{
	struct text line = text_into(text, bytes);

	if (modifiers)
		text_add(&line, ":");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		unsigned times = modifiers & table[i].bit ? 1 : 0;

		if (table[i].bit == PRECISE_ONE)
			times = (modifiers & PRECISE_MASK) >> PRECISE_SHIFT;
		for (; times; times--)
			text_add_bytes(&line, &table[i].letter, 1);
	}
}
