/*
 * Unwind information that disappears: one thread protects, unmaps and maps its pages again and
 * unloads whole libraries, while others ask for their rules as fast as they can.  No thread
 * faults.  Information that could not be read is not remembered as missing.
 *   run_vanish [ROUNDS]
 */
#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_range.h"
#include "tests/unwind/eh_table.h"

#define WALKERS 2

static struct eh_table lasting;
static uint64_t lasting_code;	      /* a function of that library */
static _Atomic uint64_t passing_code; /* in a library that comes and goes */
static _Atomic bool over;
static _Atomic unsigned long walks;

/* Leaves all over the libraries, each asked for anew. */
static void *walk(void *argument)
{
	struct unwind_stack stack = { 0 };
	unsigned at = 0;

	if (unwind_stack_of_thread(&stack))
		abort();
	while (!over) {
		uint64_t code = passing_code;

		unwind_forget();
		leaf_walk(&stack, lasting_code + at * 16 % 8192);
		if (code)
			leaf_walk(&stack, code);
		atomic_fetch_add(&walks, 1);
		at++;
	}
	return argument;
}

static bool map_again(void)
{
	int fd = open(lasting.path, O_RDONLY | O_CLOEXEC);
	void *memory = mmap((void *)lasting.low, lasting.bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED,
			    fd, (off_t)lasting.offset);

	close(fd);
	return memory != MAP_FAILED;
}

/* One round of everything that can go away; each lasts for at least one walk of the others. */
static void wait_for_walks(void)
{
	unsigned long before = walks;

	while (walks < before + 2 * WALKERS)
		sched_yield();
}

static bool round_of_changes(const char *program)
{
	void *handle = load_beside(program, "reload_0.so");

	passing_code = (uint64_t)function_of(handle, "reload_through");
	if (mprotect((void *)lasting.low, lasting.bytes, PROT_NONE))
		return false;
	wait_for_walks();
	dlclose(handle);
	if (mprotect((void *)lasting.low, lasting.bytes, PROT_READ))
		return false;
	wait_for_walks();
	if (munmap((void *)lasting.low, lasting.bytes))
		return false;
	wait_for_walks();
	return map_again();
}

static uint64_t rule_now(bool *passing)
{
	struct cfi_row row;
	uint64_t rule;

	if (!unwind_lock_try())
		abort();
	rule = rule_ask(lasting_code, &row, passing);
	unwind_lock_release();
	return rule;
}

/* Without the pages there is no rule, and that is known not to be for good; with them there is the
 * one as before, though nothing was forgotten in between. */
static bool is_away_only_meanwhile(void)
{
	uint64_t before, meanwhile, after;
	bool passing[3];

	unwind_forget();
	before = rule_now(&passing[0]);
	unwind_forget();
	mprotect((void *)lasting.low, lasting.bytes, PROT_NONE);
	meanwhile = rule_now(&passing[1]);
	mprotect((void *)lasting.low, lasting.bytes, PROT_READ);
	after = rule_now(&passing[2]);
	printf("rules 0x%lx, 0x%lx, 0x%lx\n", before, meanwhile, after);
	return rule_type(before) >= RULE_BASE && rule_type(before) < RULE_LAST && after == before &&
	       rule_type(meanwhile) == RULE_ABSENT && !passing[0] && passing[1] && !passing[2];
}

int main(int count, char **arguments)
{
	unsigned rounds = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 0) : 60;
	pthread_t threads[WALKERS];

	if (!eh_table_load("libz.so.1", &lasting)) {
		puts("skip: libz.so.1 is not installed, or has no table of unwind information");
		return 77;
	}
	lasting_code = (uint64_t)dlsym(dlopen("libz.so.1", RTLD_NOW), "inflate");
	if (unwind_start())
		return 99;
	if (!is_away_only_meanwhile())
		return 1;
	for (unsigned i = 0; i < WALKERS; i++)
		if (pthread_create(&threads[i], NULL, walk, NULL))
			return 99;
	for (unsigned i = 0; i < rounds; i++)
		if (!round_of_changes(arguments[0]))
			return 99;
	over = true;
	for (unsigned i = 0; i < WALKERS; i++)
		pthread_join(threads[i], NULL);
	if (!is_away_only_meanwhile())
		return 1;
	printf("walks %lu\n", walks);
	puts("run_vanish: end");
	return 0;
}
