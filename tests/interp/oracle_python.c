/*
 * The functions of a Python program at every instruction.  Preloaded, it runs the main thread under
 * the processor's trap flag between two calls of getppid(), at most ORACLE_STEPS instructions, and
 * has CPython's walk find the functions at each.  It writes to the file ORACLE_REPORT how often
 * each outcome came, and how the stack of functions changed: "+NAME" for a call, "-" for a return,
 * "!" where one instruction changed more than that.
 */
#include "tests/interp/walked.h"

#define CODES_MAX  65536
#define EVENTS_MAX 1000000
#define NOTES_MAX  2048
#define NAME_BYTES 64
#define TRAP_FLAG  0x100

/* What the walk calls of the spool: functions are kept here. */
static struct {
	struct code_key key;
	char name[NAME_BYTES];
} codes[CODES_MAX];
static uint32_t codes_count;

static uint32_t events[EVENTS_MAX]; /* number of the function called; RETURN; JUMP */
static unsigned events_count;
#define RETURN 0
#define JUMP   UINT32_MAX

static uint32_t last[FRAMES_MAX]; /* outermost first */
static unsigned last_depth;
static bool has_last;
static uint64_t outcomes[INTERP_UNMERGED + 1];

/* Instructions that were not merged, and how many of each. */
static struct {
	uint64_t pc;
	unsigned outcome;
	unsigned count;
} notes[NOTES_MAX];
static unsigned notes_count;

static uint64_t steps_left, steps;
static volatile bool active;
static bool trace_all;

uint32_t script_table_find(const struct code_key *key)
{
	for (uint32_t i = codes_count; i; i--)
		if (!memcmp(&codes[i - 1].key, key, sizeof(*key)))
			return i;
	return 0;
}

uint32_t script_table_add(const struct code_key *key, const struct script_new *code)
{
	uint32_t bytes = code->name.bytes < NAME_BYTES - 1 ? code->name.bytes : NAME_BYTES - 1;

	if (codes_count == CODES_MAX)
		return 0;
	memcpy(codes[codes_count].name, (const char *)code->name.address, bytes);
	codes[codes_count].key = *key;
	return ++codes_count;
}

static void note(uint64_t pc, unsigned outcome)
{
	unsigned i = 0;

	while (i < notes_count && (notes[i].pc != pc || notes[i].outcome != outcome))
		i++;
	if (i == NOTES_MAX)
		return;
	notes[i].pc = pc;
	notes[i].outcome = outcome;
	notes[i].count++;
	if (i == notes_count)
		notes_count++;
}

static void event(uint32_t what)
{
	if (events_count < EVENTS_MAX)
		events[events_count++] = what;
}

/* Compare a stack of functions with the one before. */
static void follow(const struct interp_places *places, uint64_t pc)
{
	uint32_t now[FRAMES_MAX];
	unsigned depth = 0, same = 0;

	for (unsigned i = places->count; i; i--)
		if (spool_code_is(places->place[i - 1].pc))
			now[depth++] = spool_code_of(places->place[i - 1].pc);
	while (same < depth && same < last_depth && now[same] == last[same])
		same++;
	if (has_last && (last_depth - same) + (depth - same) > 1) {
		event(JUMP);
		note(pc, 9);
	}
	for (unsigned i = last_depth; has_last && i > same; i--)
		event(RETURN);
	for (unsigned i = same; has_last && i < depth; i++)
		event(now[i]);
	memcpy(last, now, depth * sizeof(*now));
	last_depth = depth;
	has_last = true;
}

static void judge(const ucontext_t *context)
{
	struct interp_places places;
	enum interp_outcome outcome;

	find_frames(context);
	outcome = find_functions(&interp_python, &places);
	outcomes[outcome]++;
	if (outcome != INTERP_MERGED)
		note(pcs[0], outcome);
	if (outcome == INTERP_MERGED || outcome == INTERP_PENDING)
		follow(&places, pcs[0]);
}

static void on_trap(int number, siginfo_t *info, void *argument)
{
	ucontext_t *context = argument;
	int saved = errno;

	(void)number, (void)info;
	if (!active || !steps_left || getpid() != process) {
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	steps_left--;
	steps++;
	judge(context);
	errno = saved;
}

/* The program calls it to begin and to end. */
pid_t getppid(void)
{
	if (!active) {
		active = true;
		__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	} else {
		active = false;
	}
	return (pid_t)syscall(SYS_getppid);
}

static void name_address(FILE *file, uint64_t address)
{
	Dl_info info;

	if (dladdr((void *)address, &info) && info.dli_sname)
		fprintf(file, " %s+0x%lx", info.dli_sname, address - (uint64_t)info.dli_saddr);
	fprintf(file, " 0x%lx", address);
}

static void report(void)
{
	FILE *file;

	if (getpid() != process)
		return;
	active = false;
	file = fopen(getenv("ORACLE_REPORT"), "we");
	if (!file)
		return;
	fprintf(file, "steps %lu native %lu merged %lu pending %lu no_state %lu unmerged %lu\n",
		steps, outcomes[INTERP_NATIVE], outcomes[INTERP_MERGED], outcomes[INTERP_PENDING],
		outcomes[INTERP_NO_STATE], outcomes[INTERP_UNMERGED]);
	for (unsigned i = 0; trace_all && i < notes_count; i++) {
		fprintf(file, "# outcome %u %u times", notes[i].outcome, notes[i].count);
		name_address(file, notes[i].pc);
		fputc('\n', file);
	}
	for (unsigned i = 0; i < events_count; i++) {
		if (events[i] == RETURN)
			fputs("-\n", file);
		else if (events[i] == JUMP)
			fputs("!\n", file);
		else
			fprintf(file, "+%s\n", codes[events[i] - 1].name);
	}
	fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
	const char *limit = getenv("ORACLE_STEPS");

	if (!limit || !getenv("ORACLE_REPORT"))
		return;
	find_self();
	trace_all = getenv("ORACLE_NOTES") != NULL;
	steps_left = strtoull(limit, NULL, 10);
	if (!has_runtime(&interp_python) || find_at_signals(SIGTRAP, on_trap)) {
		fprintf(stderr, "oracle: cannot start\n");
		exit(99);
	}
	atexit(report);
}
