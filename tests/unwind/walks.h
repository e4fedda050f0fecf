/* What programs that walk stacks have in common. */
#ifndef TESTS_UNWIND_WALKS_H
#define TESTS_UNWIND_WALKS_H

#include "runtime/sample/unwind/unwind.h"
#include "tests/support/libc.h"

#define ALTERNATE_BYTES 262144

/* A thread's stack, whose walks remember one another. */
#define WALKED_STACK                    \
	static struct unwind_memo memo; \
	static struct unwind_stack stack = { .memo = &memo }

/* The caller's own, as if it had been interrupted here. */
#define CONTEXT_HERE(context)                              \
	do {                                               \
		getcontext(context);                       \
		(context)->uc_stack.ss_flags = SS_DISABLE; \
	} while (0)

/* One that runs a function on memory of its own, then goes on with the other. */
static inline void context_on(ucontext_t *context, void *memory, size_t bytes, void (*first)(void),
			      ucontext_t *next)
{
	getcontext(context);
	context->uc_stack = (stack_t){ .ss_sp = memory, .ss_size = bytes };
	context->uc_link = next;
	makecontext(context, first, 0);
}

/* Handle a signal on a stack of its own, while all others wait.  Returns 0 or a negative errno. */
static inline int handle_elsewhere(int number, void (*handler)(int, siginfo_t *, void *))
{
	static char alternate[ALTERNATE_BYTES];
	stack_t memory = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigfillset(&action.sa_mask);
	return sigaltstack(&memory, NULL) || sigaction(number, &action, NULL) ? -errno : 0;
}

/* A library in the program's folder. */
static inline void *load_beside(const char *program, const char *name)
{
	char path[4096];
	void *handle;

	snprintf(path, sizeof(path), "%.*s/%s", (int)(strrchr(program, '/') - program), program,
		 name);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		return handle;
	fprintf(stderr, "%s\n", dlerror());
	exit(99);
}

/* A function of it. */
static inline void *function_of(void *handle, const char *name)
{
	void *function = dlsym(handle, name);

	if (function)
		return function;
	fprintf(stderr, "%s\n", dlerror());
	exit(99);
}

/* The same numbers in each run. */
static inline uint32_t random_below(uint64_t limit)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * limit >> 32);
}

#endif
