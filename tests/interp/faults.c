/*
 * Garbage in whatever a walk reads of an interpreter.  Preloaded, it has the runtime's walk find
 * the functions each time when the program calls umask(), which holds an interpreter's lock, or
 * fsync(), which CPython calls without it.  It repeats that walk with each word of each read
 * replaced, one after the other, by each of the values below.  Each walk must end, and its places
 * must be frames.  A result that is the memory itself, but not on the thread's stack, counts as
 * unsafe.  At exit it writes counts to the file FAULTS_REPORT.
 */
#include <sys/stat.h>

#include "runtime/sample/store/script_new.h"
#include "tests/interp/walked.h"

#define READS_MAX 10000
#define COPIES	  32 /* more than INTERP_READ_KEPT */
#define WORD	  sizeof(uint64_t)
#define PAGE	  4096UL
#define REGISTER_BYTES                                                            \
	(23 * WORD) /* in a mcontext_t of every processor, and more than are used \
		     */

const void *__real_interp_read(struct interp_reader *reader, uint64_t address, size_t bytes);
const void *__wrap_interp_read(struct interp_reader *reader, uint64_t address, size_t bytes);

static const struct interp_runtime *runtime;
static char *page; /* full of its own address; the next one cannot be read */

/* The reads of a walk without garbage. */
static struct {
	uint64_t address;
	uint32_t bytes;
} reads[READS_MAX];

static unsigned read_count; /* in this walk */
static unsigned known;	    /* in the walk without garbage; 0: it is that walk */
static unsigned bad_read, bad_word, bad_value;
static unsigned char copies[COPIES][2 * INTERP_READ_MAX];
static unsigned copies_next;

static struct {
	uint64_t walks, unsound, unsafe, longest_ns, outcome[INTERP_UNMERGED + 1];
} counts[2]; /* with the lock and without */
static unsigned which;
static const char *report_path;

uint32_t script_table_find(const struct code_key *key)
{
	(void)key;
	return 0;
}

uint32_t script_table_add(const struct code_key *key, const struct script_new *code)
{
	static char into[SPOOL_CODE_TABLE_MAX];

	(void)key;
	script_text_read(&code->qualified, SCRIPT_TEXT_NAME, into, SPOOL_CODE_NAME_MAX);
	script_text_read(&code->file, SCRIPT_TEXT_PATH, into, SPOOL_CODE_FILE_MAX);
	script_text_read(&code->table, SCRIPT_TEXT_TABLE, into, SPOOL_CODE_TABLE_MAX);
	return script_text_read(&code->name, SCRIPT_TEXT_NAME, into, SPOOL_CODE_NAME_MAX) > 0;
}

/* Returns the value to put at `address`, or false behind the last one. */
static bool garbage(unsigned number, uint64_t address, uint64_t original, uint64_t *value)
{
	const uint64_t own = (uint64_t)(uintptr_t)page;
	const uint64_t values[] = {
		0,
		1,
		8,
		UINT64_MAX,
		INT64_MAX,
		0xffff888000000000, /* the kernel's */
		0x0000900000000000, /* no address at all */
		own,
		own + PAGE - 4, /* the end of what can be read */
		own + PAGE,
		own + 2 * PAGE - 4,
		original + 1,
		original + WORD,
		original - 2 * WORD,
		original ^ 1ULL << 32,
		original ^ 1ULL << 63,
		~original,
		address, /* a pointer to itself, to the structure, to the one before */
		reads[bad_read].address,
		reads[bad_read ? bad_read - 1 : 0].address,
		reads[0].address,
		sps[0],
		sps[native.depth / 2],
	};

	if (number >= sizeof(values) / sizeof(*values))
		return false;
	*value = values[number];
	return true;
}

MEMORY_RAW static void copy_bytes(unsigned char *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = ((const volatile unsigned char *)from)[i];
}

/* The result of a read, or a copy of it with garbage. */
static const void *inject(uint64_t address, size_t bytes, const void *from)
{
	unsigned number = read_count++;
	uint64_t original = 0, value;
	unsigned char *copy;
	size_t at = bad_word * WORD, part = bytes - at < WORD ? bytes - at : WORD;

	if (!known && number < READS_MAX) {
		reads[number].address = address;
		reads[number].bytes = from ? (uint32_t)bytes : 0;
	}
	if (!known || number != bad_read || !from || at >= bytes)
		return from;
	copy = copies[copies_next++ % COPIES] + address % 16;
	copy_bytes(copy, from, bytes);
	memcpy(&original, copy + at, part);
	if (!garbage(bad_value, address + at, original, &value))
		return from;
	memcpy(copy + at, &value, part);
	return copy;
}

/* Only the thread's own stack is read in place. */
static bool is_safe(uint64_t address, size_t bytes, const void *from)
{
	return !from || (uint64_t)(uintptr_t)from != address ||
	       (address >= reader.stack_low && address + bytes <= reader.stack_high);
}

const void *__wrap_interp_read(struct interp_reader *of, uint64_t address, size_t bytes)
{
	const void *from = __real_interp_read(of, address, bytes);

	if (!is_safe(address, bytes, from))
		counts[which].unsafe++;
	return inject(address, bytes, from);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool is_sound(const struct interp_places *places)
{
	uint32_t last = 0;

	for (unsigned i = 0; i < places->count; i++) {
		uint64_t pc = places->place[i].pc;

		if (places->place[i].native < last || places->place[i].native >= native.depth)
			return false;
		if (!spool_code_is(pc) && pc != SPOOL_PC_COLLECTING && pc != SPOOL_PC_NO_CODE)
			return false;
		last = places->place[i].native;
	}
	return places->count <= places->max;
}

static enum interp_outcome walk_once(void)
{
	struct interp_places places;
	uint64_t before = now_ns(), took;
	enum interp_outcome outcome;

	read_count = 0;
	outcome = find_functions(runtime, &places);
	took = now_ns() - before;
	if (outcome > INTERP_UNMERGED) {
		fprintf(stderr, "faults: outcome %u\n", (unsigned)outcome);
		abort();
	}
	if (outcome <= INTERP_PARTIAL && !is_sound(&places))
		counts[which].unsound++;
	counts[which].outcome[outcome]++;
	counts[which].walks++;
	if (took > counts[which].longest_ns)
		counts[which].longest_ns = took;
	return outcome;
}

/* The registers at the interruption may hold anything. */
static void walk_with_registers(const ucontext_t *context)
{
	static ucontext_t changed;
	uint64_t original, value;

	bad_read = known; /* garbage nowhere else */
	changed = *context;
	native.context = &changed;
	for (size_t at = 0; at + WORD <= REGISTER_BYTES; at += WORD) {
		unsigned char *word = (unsigned char *)&changed.uc_mcontext + at;

		memcpy(&original, word, WORD);
		for (unsigned i = 0; garbage(i, (uint64_t)(uintptr_t)word, original, &value); i++) {
			memcpy(word, &value, WORD);
			walk_once();
		}
		memcpy(word, &original, WORD);
	}
	native.context = context;
}

static void walk_with_garbage(void)
{
	uint64_t ignored;

	known = 0;
	walk_once();
	known = read_count < READS_MAX ? read_count : READS_MAX;
	for (bad_read = 0; bad_read < known; bad_read++)
		for (bad_word = 0; bad_word * WORD < reads[bad_read].bytes; bad_word++)
			for (bad_value = 0; garbage(bad_value, 0, 0, &ignored); bad_value++)
				walk_once();
	walk_with_registers(native.context);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)number, (void)info;
	find_frames(context);
	walk_with_garbage();
	errno = saved;
}

static void strike(unsigned with_lock)
{
	if (!runtime || getpid() != process)
		return;
	which = with_lock;
	raise(SIGUSR2);
}

mode_t umask(mode_t mask)
{
	strike(1);
	return (mode_t)syscall(SYS_umask, mask);
}

int fsync(int fd)
{
	strike(0);
	return (int)syscall(SYS_fsync, fd);
}

static void report(void)
{
	FILE *file = getpid() == process ? fopen(report_path, "we") : NULL;

	for (which = 0; file && which < 2; which++)
		fprintf(file,
			"walks %lu native %lu merged %lu pending %lu no_state %lu unmerged %lu "
			"unsound %lu unsafe %lu longest_us %lu\n",
			counts[which].walks, counts[which].outcome[INTERP_NATIVE],
			counts[which].outcome[INTERP_MERGED], counts[which].outcome[INTERP_PENDING],
			counts[which].outcome[INTERP_NO_STATE],
			counts[which].outcome[INTERP_UNMERGED], counts[which].unsound,
			counts[which].unsafe, counts[which].longest_ns / 1000);
	if (file)
		fclose(file);
}

__attribute__((constructor)) static void begin(void)
{
	report_path = getenv("FAULTS_REPORT") ? strdup(getenv("FAULTS_REPORT")) : NULL;
	if (!report_path)
		return;
	find_self();
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page + PAGE, PAGE, PROT_NONE))
		exit(99);
	for (size_t i = 0; i < PAGE; i += WORD)
		memcpy(page + i, &page, sizeof(page));
	if (find_at_signals(SIGUSR2, on_signal))
		exit(99);
	atexit(report);
	for (unsigned i = 0; interp_runtimes[i] && !runtime; i++)
		if (has_runtime(interp_runtimes[i]))
			runtime = interp_runtimes[i];
}
