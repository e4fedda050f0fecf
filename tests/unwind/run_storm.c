/*
 * Threads that load libraries, list them, allocate, make threads and fork are interrupted as
 * often as signals can be sent, and every interruption walks the stack.  Nothing may hang or
 * die.  Children of fork walk at once, while their parent had threads asking for rules.
 *   run_storm [SIGNALS]
 */
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/unwind/unwind.h"
#include "tests/unwind/chain.h"

#define WORKERS 5
#define FRAMES	200
#define FORKS	100

void oracle_cxx_throw(void *argument);

struct worker {
	void (*work)(void);
	pthread_t thread;
	atomic_ulong signals;
	unsigned long ends[UNWIND_FAILED + 1];
	atomic_bool ready;
};

/* While libgcc jumps to a handler, it copies that one's registers over those that its own unwind
 * information tells of, with an instruction that takes long on some processors: a thread that does
 * nothing but throw had half of its walks cut there. */
static struct {
	uint64_t start, end;
} libgcc;
static atomic_ulong cut_in_libgcc;

static _Thread_local struct worker *self;
static _Thread_local struct unwind_memo memo;
static _Thread_local struct unwind_stack stack;
static atomic_bool stop;

static void on_signal(int number, siginfo_t *info, void *context)
{
	static _Thread_local uint64_t pcs[FRAMES];
	struct unwind_result result;
	int saved = errno;

	(void)number, (void)info;
	unwind_walk(context, &stack, pcs, FRAMES, &result);
	self->ends[result.end]++;
	if ((result.end == UNWIND_NO_RULE || result.end == UNWIND_FAILED) &&
	    pcs[0] >= libgcc.start && pcs[0] < libgcc.end)
		atomic_fetch_add(&cut_in_libgcc, 1);
	atomic_fetch_add(&self->signals, 1);
	errno = saved;
}

static int find_libgcc(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)size, (void)argument;
	for (unsigned i = 0; strstr(info->dlpi_name, "libgcc_s") && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			libgcc.start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			libgcc.end = libgcc.start + info->dlpi_phdr[i].p_memsz;
		}
	return 0;
}

/* libgcc walks the same tables, under the loader's lock. */
static void throw(void)
{
	oracle_cxx_throw(NULL);
}

static void load(void)
{
	void *handle = dlopen("libz.so.1", RTLD_NOW);

	if (handle)
		dlclose(handle);
	unwind_forget();
}

static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)info, (void)size, (void)argument;
	return 0;
}

static void iterate(void)
{
	dl_iterate_phdr(look, NULL);
}

static void allocate(void)
{
	void *volatile blocks[50];

	for (unsigned i = 0; i < 50; i++)
		blocks[i] = malloc(i * 1000);
	for (unsigned i = 0; i < 50; i++)
		free(blocks[i]);
}

static void *nothing(void *argument)
{
	return argument;
}

static void make_thread(void)
{
	sigset_t all;
	sigset_t old;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* the new thread has no record of its own */
	if (!pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void *run(void *argument)
{
	self = argument;
	stack.memo = &memo;
	if (unwind_stack_of_thread(&stack))
		abort();
	atomic_store(&self->ready, true);
	while (!atomic_load(&stop))
		self->work();
	return NULL;
}

static struct worker workers[WORKERS] = {
	{ .work = load },     { .work = iterate },     { .work = throw },
	{ .work = allocate }, { .work = make_thread },
};

/* One walk, right after birth, in which every rule has to be asked for. */
static void in_child(struct chain *chain)
{
	struct unwind_result result;
	uint64_t pcs[FRAMES];

	unwind_forget();
	chain_walk(&stack, pcs, FRAMES, &result);
	_exit(chain_check(chain, pcs, &result) == CHAIN_RIGHT ? 0 : 1);
}

static unsigned fork_often(void)
{
	static struct chain chain = { .leaf = in_child };
	unsigned bad = 0;
	int status;

	for (unsigned i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (!child)
			chain_run(&chain, 10, i);
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			bad++;
	}
	return bad;
}

/* Some workers wait for the loader's lock most of the time: the sum counts. */
static void send_all(unsigned long wanted)
{
	unsigned long sum = 0;

	while (sum < wanted) {
		sum = 0;
		for (unsigned i = 0; i < WORKERS; i++) {
			pthread_kill(workers[i].thread, SIGUSR1);
			sum += atomic_load(&workers[i].signals);
		}
	}
}

/* Says how the walks ended.  Returns true if less than 20 times as many were whole as cut.  Busy: a
 * thread that asked libunwind had lost its processor, for as long as it took. */
static bool are_bad(const unsigned long *ends)
{
	unsigned long in_libgcc = atomic_load(&cut_in_libgcc);
	unsigned long cut = ends[UNWIND_NO_RULE] + ends[UNWIND_BOUNDS] + ends[UNWIND_FAILED];

	printf("last %lu max %lu no-rule %lu bounds %lu busy %lu failed %lu, in libgcc %lu\n",
	       ends[UNWIND_LAST], ends[UNWIND_MAX], ends[UNWIND_NO_RULE], ends[UNWIND_BOUNDS],
	       ends[UNWIND_BUSY], ends[UNWIND_FAILED], in_libgcc);
	return ends[UNWIND_LAST] < (cut - in_libgcc) * 20;
}

int main(int count, char **arguments)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	unsigned long sum[UNWIND_FAILED + 1] = { 0 };
	unsigned bad;

	stack.memo = &memo;
	if (unwind_start() || unwind_stack_of_thread(&stack))
		return 99;
	pthread_atfork(unwind_lock_for_fork, unwind_lock_after_fork, unwind_lock_after_fork);
	dl_iterate_phdr(find_libgcc, NULL);
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < WORKERS; i++)
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			return 99;
	for (unsigned i = 0; i < WORKERS; i++)
		while (!atomic_load(&workers[i].ready))
			sched_yield();
	bad = fork_often();
	send_all(count > 1 ? strtoul(arguments[1], NULL, 0) : 20000);
	atomic_store(&stop, true);
	for (unsigned i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		for (unsigned end = 0; end <= UNWIND_FAILED; end++)
			sum[end] += workers[i].ends[end];
	}
	if (are_bad(sum) || bad) {
		printf("bad children %u\n", bad);
		return 1;
	}
	puts("run_storm: end");
	return 0;
}
