/* The results of sigaltstack(2), in the main thread and in another one: one line per question. */
#include "tests/preload/targets/target.h"

static _Alignas(64) char memory[2][131072];

static void ask(const char *what, const stack_t *wanted, void *base)
{
	stack_t old;
	int result = sigaltstack(wanted, &old);

	if (result)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: was %td, %zu, %x\n", what,
		       old.ss_flags & SS_DISABLE ? 0 : (char *)old.ss_sp - (char *)base,
		       old.ss_flags & SS_DISABLE ? 0 : old.ss_size, (unsigned)old.ss_flags);
}

static void *base_of_handler;

static void on_signal(int signal)
{
	stack_t other = { .ss_sp = memory[1] + 100, .ss_size = 70000 };

	(void)signal;
	ask("inside a handler", NULL, base_of_handler);
	ask("change inside a handler", &other, base_of_handler);
}

static void questions(char *base)
{
	static const size_t sizes[] = { 4096, 8192, 16384, 65536, 4096, 65536, 1024 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t none = { .ss_flags = SS_DISABLE };
	stack_t odd = { .ss_sp = base, .ss_size = 65536, .ss_flags = 0x70 };

	base_of_handler = base;
	sigaction(SIGUSR1, &action, NULL);
	ask("at first", NULL, base);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		stack_t stack = { .ss_sp = base + i, .ss_size = sizes[i] };

		ask("set", &stack, base);
		ask("and now", NULL, base);
		if (sizes[i] >= 16384)
			raise(SIGUSR1);
	}
	ask("odd flags", &odd, base);
	ask("none", &none, base);
	ask("after none", NULL, base);
	raise(SIGUSR1);
}

static void *in_thread(void *argument)
{
	questions(memory[1]);
	return argument;
}

int main(void)
{
	questions(memory[0]);
	run_threads(1, in_thread, NULL);
	return 0;
}
