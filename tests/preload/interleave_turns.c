/* Two threads that take turns. */
#include "tests/preload/interleave_turns.h"
#include "tests/support/libc.h"

#define STACK_BYTES 65536

static struct {
	ucontext_t context;
	_Alignas(64) char stack[STACK_BYTES];
	bool done;
} threads[TURNS_THREADS];
static ucontext_t scheduler;
static unsigned current, steps, switch_at[TURNS_SWITCHES], switches;
static bool running;
static unsigned long rounds;
static const volatile char *swept;
static const struct turns_scene *scene;
static const char *wrong;
static void (*reset_all)(void);

void turns_check(bool right, const char *what)
{
	if (!right && !wrong)
		wrong = what;
}

unsigned turns_current(void)
{
	return current;
}

bool turns_are_running(void)
{
	return running;
}

void turns_point(void)
{
	unsigned step = steps++;

	for (unsigned i = 0; i < switches; i++)
		if (switch_at[i] == step && !threads[!current].done) {
			unsigned from = current;

			current = !current;
			swapcontext(&threads[from].context, &threads[current].context);
			return;
		}
}

/* A chunk that is cleared is of interest at some of its words only. */
void interleave_store(const volatile void *word)
{
	const volatile char *at = word;
	bool sweep = at == swept + 8 && (uintptr_t)at % 1024 != 0;

	swept = at;
	if (running && !sweep)
		turns_point();
}

void interleave_load(const volatile void *word)
{
	(void)word;
	if (running && scene->writers > 1)
		turns_point();
}

static void start(void)
{
	scene->run[current]();
	threads[current].done = true;
}

/* One round.  Returns how many points it had. */
static unsigned round_of(unsigned count)
{
	reset_all();
	steps = 0;
	swept = NULL;
	rounds++;
	switches = count;
	for (unsigned i = 0; i < TURNS_THREADS; i++) {
		threads[i].done = false;
		getcontext(&threads[i].context);
		threads[i].context.uc_stack.ss_sp = threads[i].stack;
		threads[i].context.uc_stack.ss_size = STACK_BYTES;
		threads[i].context.uc_link = &scheduler;
		makecontext(&threads[i].context, start, 0);
	}
	running = true;
	for (current = 0; current < TURNS_THREADS; current++)
		while (!threads[current].done) {
			unsigned begun = current;

			swapcontext(&scheduler, &threads[current].context);
			current = begun; /* whoever ended, this one's turn comes */
		}
	running = false;
	return steps;
}

/* Every choice of further switches behind those there are.  Returns false if something is wrong. */
static bool explore(unsigned count, unsigned most)
{
	unsigned points = round_of(count);

	if (wrong) {
		printf("not so: %s; switches at", wrong);
		for (unsigned i = 0; i < count; i++)
			printf(" %u", switch_at[i]);
		puts("");
		return false;
	}
	for (unsigned at = count ? switch_at[count - 1] + 1 : 0; count < most && at < points;
	     at++) {
		switch_at[count] = at;
		if (!explore(count + 1, most))
			return false;
	}
	return true;
}

int turns_play(const struct turns_scene *played, void (*reset)(void), unsigned most)
{
	scene = played;
	reset_all = reset;
	if (!explore(0, most))
		return 1;
	printf("rounds %lu points %u\n", rounds, round_of(0));
	puts("ok");
	return 0;
}
