/*
 * Each function that the library exports, in each state in which a program may call it.
 *   any_state names            the functions
 *   any_state STATE            each of them: "NAME STATUS RESULT", from a process of its own
 *   any_state before|after     they run in .preinit_array, or in the last destructor
 */
#include "tests/preload/targets/any_state.h"

#define STACK_BYTES 262144
#define SMALL_BYTES 32768
#define RUNS_S	    60 /* a call that hangs */

static volatile long *result; /* shared with the children */
static const struct row *row;

static void end(int status)
{
	raw_call(SYS_exit_group, status, 0, 0, 0);
	__builtin_unreachable();
}

static int call(void *unused)
{
	(void)unused;
	*result = row->call();
	end(0);
	return 0;
}

static void on_signal(int number)
{
	(void)number;
	call(NULL);
}

static char *stack_of(size_t bytes)
{
	char *memory = map_memory(2 * STACK_BYTES, PROT_NONE);

	mprotect(memory + STACK_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE);
	return memory + STACK_BYTES + bytes;
}

static void in_clone(int flags, void *pointer, size_t stack_bytes)
{
	int status = 0;
	pid_t child = clone(call, stack_of(stack_bytes), CLONE_VM | CLONE_VFORK | flags | SIGCHLD,
			    NULL, NULL, pointer, NULL);

	waitpid(child, &status, 0);
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raw_call(SYS_kill, getpid(), WTERMSIG(status), 0, 0);
	}
	end(WEXITSTATUS(status));
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void among_threads(void)
{
	pthread_t thread;
	int status = 0;
	pid_t child;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	child = fork();
	if (!child)
		call(NULL);
	waitpid(child, &status, 0);
	end(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void *call_in_thread(void *unused)
{
	call(unused);
	return unused;
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, call_in_thread, NULL);
	for (;;) /* libc tells all threads the new user, by a signal */
		pause();
}

static void enter(const char *state)
{
	static _Alignas(64) char zeros[16384], ones[16384];

	if (!strcmp(state, "plain"))
		call(NULL);
	else if (!strcmp(state, "thread"))
		in_thread();
	else if (!strcmp(state, "handler")) {
		signal(SIGUSR2, on_signal);
		raise(SIGUSR2);
	} else if (!strcmp(state, "threads"))
		among_threads();
	else if (!strcmp(state, "shared"))
		in_clone(0, NULL, STACK_BYTES);
	else if (!strcmp(state, "small"))
		in_clone(0, NULL, SMALL_BYTES);
	else if (!strcmp(state, "null"))
		in_clone(CLONE_SETTLS, NULL, STACK_BYTES);
	else if (!strcmp(state, "nowhere"))
		in_clone(CLONE_SETTLS, (void *)0x123456789000, STACK_BYTES);
	else if (!strcmp(state, "zeros"))
		in_clone(CLONE_SETTLS, zeros + sizeof(zeros) / 2, STACK_BYTES);
	else if (!strcmp(state, "ones"))
		in_clone(CLONE_SETTLS, memset(ones, 0xff, sizeof(ones)) + sizeof(ones) / 2,
			 STACK_BYTES);
	else if (!strcmp(state, "small and zeros"))
		in_clone(CLONE_SETTLS, zeros + sizeof(zeros) / 2, SMALL_BYTES);
	end(99);
}

static void run_all(const char *state)
{
	result = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (row = __start_any_state_rows; row < __stop_any_state_rows; row++) {
		int status = 0;
		pid_t child;

		*result = 0;
		child = fork();
		if (!child) {
			alarm(RUNS_S);
			enter(state);
		}
		waitpid(child, &status, 0);
		dprintf(STDOUT_FILENO, "%s %x %ld\n", row->name, status, *result);
	}
}

static const char *state_at_start(int argc, char **argv, const char *wanted)
{
	return argc > 1 && !strcmp(argv[1], wanted) ? "plain" : NULL;
}

static void before_all(int argc, char **argv, char **environment)
{
	(void)environment;
	if (state_at_start(argc, argv, "before")) {
		any_state_prepare(true);
		run_all("plain");
	}
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
									    char **) = before_all;

static bool at_the_end;

__attribute__((destructor(101))) static void after_all(void)
{
	if (at_the_end)
		run_all("plain");
}

int main(int argc, char **argv)
{
	const char *state = argc > 1 ? argv[1] : "plain";

	if (!strcmp(state, "names")) {
		for (row = __start_any_state_rows; row < __stop_any_state_rows; row++)
			puts(row->name);
		return 0;
	}
	any_state_prepare(false);
	at_the_end = !strcmp(state, "after");
	if (!at_the_end && strcmp(state, "before") != 0)
		run_all(state);
	return 0;
}
