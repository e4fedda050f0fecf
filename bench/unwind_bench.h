/* Shared by the benches of a walk: the thread's clock, the least of several runs, registers that
 * all point to readable memory, and libunwind as a program has it. */
#ifndef BENCH_UNWIND_BENCH_H
#define BENCH_UNWIND_BENCH_H

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define TEXT_OF(a) #a
#define TEXT(a)	   TEXT_OF(a)

static inline double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline void nothing(void)
{
}

/* For one call of one(pc), in the best of the runs, each of which prepare() comes before. */
static inline double least_ns(unsigned runs, void (*prepare)(void), void (*one)(uint64_t pc),
			      const uint64_t *pcs, unsigned count)
{
	double best = 1e18;

	for (unsigned run = 0; run < runs; run++) {
		double start;

		prepare();
		start = now_ns();
		for (unsigned i = 0; i < count; i++)
			one(pcs[i]);
		start = now_ns() - start;
		if (start < best)
			best = start;
	}
	return best / count;
}

/* Registers in the middle of these words of a stack, each of which is an address among them. */
static inline void point_into(ucontext_t *context, volatile uint64_t *words, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		words[i] = (uint64_t)&words[i];
	getcontext(context);
	context->uc_stack.ss_flags = SS_DISABLE;
	for (unsigned i = 0; i < REG_RIP; i++)
		context->uc_mcontext.gregs[i] = (greg_t)&words[count / 2];
}

struct plain {
	__typeof__(unw_init_local) *init_local;
	__typeof__(unw_step) *step;
	__typeof__(unw_get_reg) *get_reg;
	__typeof__(unw_backtrace) *backtrace;
	__typeof__(unw_set_caching_policy) *set_caching_policy;
	unw_addr_space_t *space;
};

/* False where there is none. */
static inline bool plain_open(struct plain *plain)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
	plain->init_local = dlsym(library, TEXT(unw_init_local));
	plain->step = dlsym(library, TEXT(unw_step));
	plain->get_reg = dlsym(library, TEXT(unw_get_reg));
	plain->backtrace = dlsym(library, "unw_backtrace");
	plain->set_caching_policy = dlsym(library, TEXT(unw_set_caching_policy));
	plain->space = dlsym(library, TEXT(unw_local_addr_space));
	return plain->init_local && plain->step && plain->set_caching_policy && plain->space;
}

#endif
