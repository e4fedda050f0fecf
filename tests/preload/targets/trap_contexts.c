/*
 * Masks that are saved and restored by other means than a call for masks: contexts, jumps, a
 * handler's return, and the creation of a thread.
 *   trap_contexts SIGNAL
 */
#include <sys/epoll.h>

#include "tests/preload/targets/trap_probe.h"

#define STACK_BYTES 65536
#define OWN	    0 /* the signal in question */

static const sigset_t *inside; /* the mask in question: that signal alone, or all */
static ucontext_t first, second;
static sigjmp_buf buffer;
static char stack[STACK_BYTES];
static volatile int turns;
static sigset_t third;

static void set_mask(const sigset_t *mask)
{
	pthread_sigmask(SIG_SETMASK, mask, NULL);
}

static const sigset_t *mask_of(int blocks)
{
	return blocks ? inside : &none;
}

static void context_to(int blocks)
{
	set_mask(mask_of(blocks));
	turns = 0;
	getcontext(&first);
	if (!turns++) {
		probe("saved");
		set_mask(mask_of(!blocks));
		probe("between");
		setcontext(&first);
	}
	probe("back");
	set_mask(&none);
	probe("end");
}

static void coroutine(void)
{
	set_mask(inside);
	for (int i = 0; i < 2; i++) {
		probe("coroutine");
		swapcontext(&second, &first);
	}
	probe("coroutine ends");
}

static void swap_with(int blocks)
{
	set_mask(mask_of(blocks));
	getcontext(&second);
	second.uc_stack.ss_sp = stack;
	second.uc_stack.ss_size = sizeof(stack);
	second.uc_link = &first;
	makecontext(&second, coroutine, 0);
	for (int i = 0; i < 3; i++) {
		swapcontext(&first, &second);
		probe("main");
	}
	set_mask(&none);
	probe("end");
}

static void jump_to(int blocks)
{
	set_mask(mask_of(blocks));
	if (!sigsetjmp(buffer, 1)) {
		probe("saved");
		set_mask(mask_of(!blocks));
		probe("between");
		siglongjmp(buffer, 1);
	}
	probe("back");
	set_mask(&none);
	probe("end");
}

static void in_handler(int signal)
{
	(void)signal;
	probe("in handler");
}

static void handler_that_blocks(int signal)
{
	struct sigaction action = { .sa_handler = in_handler, .sa_mask = *inside };

	sigaction(signal, &action, NULL);
	raise(signal);
	probe("after");
}

static void jump_out_of_handler(int signal)
{
	(void)signal;
	probe("in handler");
	siglongjmp(buffer, 1);
}

static void jump_from(int signal)
{
	struct sigaction action = { .sa_handler = jump_out_of_handler, .sa_mask = *inside };

	set_mask(&none);
	sigaction(signal, &action, NULL);
	if (!sigsetjmp(buffer, 1))
		raise(signal);
	handle_signal();
	probe("jumped");
}

static void context_out_of_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	if (!turns++)
		setcontext(context);
}

/* The signal of a cell; OWN is the one in question. */
static int meant(int signal)
{
	return signal == OWN ? number : signal;
}

/* The context that a handler is given leads back to where it was called. */
static void context_from(int signal)
{
	struct sigaction action = { .sa_sigaction = context_out_of_handler,
				    .sa_flags = SA_SIGINFO,
				    .sa_mask = *inside };

	turns = 0;
	sigaction(meant(signal), &action, NULL);
	raise(meant(signal));
	handle_signal();
	probe("left");
}

/* Where it was blocked it is not any more, and the other way round. */
static void returns_to_the_other(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)signal;
	(void)info;
	if (sigismember(&interrupted->uc_sigmask, number))
		sigdelset(&interrupted->uc_sigmask, number);
	else
		sigaddset(&interrupted->uc_sigmask, number);
}

static void handler_changes(int signal)
{
	struct sigaction action = { .sa_sigaction = returns_to_the_other, .sa_flags = SA_SIGINFO };

	sigaction(meant(signal), &action, NULL);
	raise(meant(signal));
	handle_signal();
	probe("blocked by a handler");
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	probe("opened by a handler");
}

static volatile sig_atomic_t others;

static void on_other(int signal)
{
	others += signal == SIGUSR1;
}

static void says_mask(int signal)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	printf("  handler: own %d, other %d, third %d\n", sigismember(&mask, signal),
	       sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2));
}

static int sleep_by(int way, const sigset_t *mask)
{
	struct timespec brief = { 0, 2000000 };
	struct epoll_event event;
	int fd, result;

	switch (way) {
	case 0:
		return sigsuspend(mask);
	case 1:
		return ppoll(NULL, 0, &brief, mask);
	case 2:
		return pselect(0, NULL, NULL, NULL, &brief, mask);
	default:
		fd = epoll_create1(EPOLL_CLOEXEC);
		result = epoll_pwait(fd, &event, 1, 2, mask);
		close(fd);
		return result;
	}
}

/* The handler runs with the mask of the sleep, so all that waits is handled in one. */
static void two_wait_for(int way)
{
	struct sigaction action = { .sa_handler = says_mask }, other = { .sa_handler = on_other };

	sigaction(number, &action, NULL);
	sigaction(SIGUSR1, &other, NULL);
	set_mask(inside);
	sigprocmask(SIG_BLOCK, &third, NULL);
	raise(number);
	raise(SIGUSR1);
	printf("  slept %d", sleep_by(way, &none));
	printf(" %s, others %d\n", errno == EINTR ? "EINTR" : "", (int)others);
	raise(SIGUSR1);
	set_mask(&none);
	printf("  others %d\n", (int)others);
}

static void *in_thread(void *unused)
{
	probe("thread");
	set_mask(&none);
	probe("thread, open");
	return unused;
}

static void thread_with(int blocks)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t told;

	set_mask(mask_of(!blocks));
	pthread_attr_init(&attributes);
	pthread_attr_setsigmask_np(&attributes, mask_of(blocks));
	printf("  %d", pthread_attr_getsigmask_np(&attributes, &told));
	printf(" %d\n", sigismember(&told, number));
	pthread_create(&thread, &attributes, in_thread, NULL);
	pthread_join(thread, NULL);
	probe("creator");
}

static const struct cell cells[] = {
	{ "a context of a block", context_to, 1 },
	{ "a context of none", context_to, 0 },
	{ "a coroutine that blocks", swap_with, 0 },
	{ "a coroutine that was blocked", swap_with, 1 },
	{ "a jump to a block", jump_to, 1 },
	{ "a jump out of a block", jump_to, 0 },
	{ "a handler that blocks", handler_that_blocks, SIGUSR1 },
	{ "a jump out of a handler", jump_from, SIGUSR1 },
	{ "a context out of a handler", context_from, SIGUSR1 },
	{ "a context out of its own handler", context_from, OWN },
	{ "a handler that changes the mask", handler_changes, SIGUSR1 },
	{ "its own handler changes the mask", handler_changes, OWN },
	{ "two for sigsuspend", two_wait_for, 0 },
	{ "two for ppoll", two_wait_for, 1 },
	{ "two for pselect", two_wait_for, 2 },
	{ "two for epoll_pwait", two_wait_for, 3 },
	{ "a thread with a block", thread_with, 1 },
	{ "a thread without", thread_with, 0 },
};

int main(int argc, char **argv)
{
	probe_start(argc > 1 ? atoi(argv[1]) : SIGTRAP);
	sigemptyset(&third);
	sigaddset(&third, SIGUSR1);
	sigaddset(&third, SIGUSR2);
	for (size_t i = 0; i < COUNT(cells); i++) {
		inside = &only;
		probe_cell(&cells[i]);
		inside = &all;
		printf("all, ");
		probe_cell(&cells[i]);
	}
	return 0;
}
