/*
 * Labels its work.
 *   labelled MODE     prints "done"; errno stays as it was
 */
#include "preload/labels/flametrap.h"
#include "tests/preload/targets/target.h"

#define PAGE 4096

static _Atomic int flicker_is_over;

/* Under whatever labels the thread has. */
__attribute__((noinline)) static void labelled_burn(unsigned ms)
{
	work_burn(ms * 1000000ULL);
	WORK_KEEP(1);
}

/* Unequal shares: red 6, green 3, blue 1, none 2. */
static void *shares(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10; i++) {
		flametrap_label("tenant", "red");
		labelled_burn(30);
		flametrap_label("tenant", "green");
		labelled_burn(15);
		flametrap_label("tenant", "blue");
		labelled_burn(5);
		flametrap_label("tenant", i % 2 ? NULL : "");
		labelled_burn(10);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t thread[3];

	flametrap_label("tenant", "main");
	start_threads(thread, 3, shares, NULL);
	labelled_burn(50);
	join_threads(thread, 3);
}

static int inner(int ms)
{
	FLAMETRAP_LABEL("step", "inner");

	labelled_burn((unsigned)ms);
	if (ms)
		return ms; /* by a return from the middle */
	return 1;
}

static void nested(void)
{
	for (int i = 0; i < 10; i++) {
		FLAMETRAP_LABEL("request", "r");
		labelled_burn(10);
		{
			FLAMETRAP_LABEL("step", "outer");
			labelled_burn(20);
			inner(30);
			labelled_burn(5);
		}
		labelled_burn(5);
	}
	labelled_burn(50);
}

static void forks(void)
{
	unsigned before;

	flametrap_label("who", "parent");
	before = flametrap_label_push("step", "forking");
	labelled_burn(50);
	if (!fork()) {
		labelled_burn(100); /* who=parent step=forking */
		flametrap_label_pop(before);
		labelled_burn(100); /* who=parent */
		flametrap_label("who", "child");
		labelled_burn(100);
		_exit(0);
	}
	wait(NULL);
	labelled_burn(50);
	if (!fork()) {
		execl("/proc/self/exe", "labelled", "shares", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
}

static _Atomic int storm_over;

static void *label_on(void *argument)
{
	char value[32];

	for (unsigned i = 0; !storm_over; i++) {
		snprintf(value, sizeof(value), "%d-%u", *(int *)argument, i % 30000);
		flametrap_label("storm", value);
	}
	return NULL;
}

/* Forks while threads add labels at all times; each child adds some, too. */
static void fork_storm(void)
{
	pthread_t thread[3];
	int number[3] = { 0, 1, 2 };
	int failed = 0;

	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, label_on, &number[i]);
	for (int i = 0; i < 200; i++) {
		unsigned before = flametrap_label_push("round", i % 2 ? "odd" : "even");
		pid_t child = fork();

		if (!child) {
			FLAMETRAP_LABEL("child", i % 3 ? "one" : "two");
			flametrap_label("round", "in the child");
			flametrap_label_pop(before);
			labelled_burn(i % 20 ? 0 : 20);
			_exit(0);
		}
		failed += status_of(child) != 0;
		flametrap_label_pop(before);
	}
	storm_over = 1;
	join_threads(thread, 3);
	if (failed)
		_exit(4);
}

static int distinct_values;

static void distinct(void)
{
	char value[32];

	for (int i = 0; i < distinct_values; i++) {
		snprintf(value, sizeof(value), "id-%d", i);
		flametrap_label("id", value);
	}
	flametrap_label("tenant", "after");
	labelled_burn(100);
}

static void hostile(void)
{
	static char long_text[1000];
	const char *values[] = { "a;b",		 "line\nfeed", "tab\there",    "\xe2\x80\xae rtl",
				 "\xff\xfe bad", "<script>",   "\"quoted\\\"", " 12 ",
				 "_[k]" };

	memset(long_text, 'x', sizeof(long_text) - 1);
	for (unsigned i = 0; i < COUNT(values); i++) {
		flametrap_label("value", values[i]);
		labelled_burn(30);
	}
	flametrap_label("value", long_text);
	labelled_burn(30);
	memcpy(long_text + 254, "\xe2\x82\xac", 3); /* a character that the limit would split */
	flametrap_label("value", long_text);
	labelled_burn(30);
	flametrap_label("value", NULL);
	flametrap_label(long_text, "long key");
	flametrap_label("", "no key");
	flametrap_label("key;with = and\n", "strange key");
	labelled_burn(30);
}

/* None of these sets a label, and none crashes. */
static void bad(void)
{
	char *page = map_memory(2 * PAGE, PROT_READ | PROT_WRITE);
	char *edge = page + PAGE - 3;

	memcpy(edge - 10, "good\0good", 9);
	memcpy(edge, "abc", 3); /* no NUL before the unmapped page */
	munmap(page + PAGE, PAGE);
	flametrap_label("value", edge - 10);
	flametrap_label("value", edge);
	flametrap_label(edge, "value");
	flametrap_label("value", (char *)8);
	flametrap_label((char *)-1L, "value");
	flametrap_label("value", (char *)0x8000000000000000);
	flametrap_label((char *)0x7ffffffff000, "value");
	flametrap_label(NULL, "value");
	flametrap_label(NULL, NULL);
	flametrap_label_pop(12345678);
	flametrap_label_pop(0xffffffff);
	flametrap_label("value", "good");
	mprotect(page, PAGE, PROT_NONE);
	flametrap_label("value", edge - 10);
	labelled_burn(100);
}

/* Texts that were read before, and then go, or go and come while they are read. */
static void *flicker(void *at)
{
	while (!atomic_load(&flicker_is_over)) {
		mprotect(at, PAGE, PROT_NONE);
		mprotect(at, PAGE, PROT_READ | PROT_WRITE);
	}
	return at;
}

static void label_both(const char *text)
{
	flametrap_label(text, "kept");
	flametrap_label("value", text);
}

static void gone(void)
{
	static char constant[2 * PAGE] __attribute__((aligned(PAGE))) = "value";
	char own[3 * PAGE], *on_stack = own + PAGE - (uintptr_t)own % PAGE;
	char *heap = map_memory(PAGE, PROT_READ | PROT_WRITE);
	char *texts[] = { constant, on_stack, heap };
	pthread_t thread;

	for (unsigned i = 0; i < 3; i++) {
		strcpy(texts[i], "value");
		label_both(texts[i]);
		mprotect(texts[i], PAGE, PROT_NONE);
		label_both(texts[i]);
		mprotect(texts[i], PAGE, PROT_READ | PROT_WRITE);
	}
	pthread_create(&thread, NULL, flicker, heap);
	for (unsigned i = 0; i < 20000; i++)
		label_both(heap);
	atomic_store(&flicker_is_over, 1);
	pthread_join(thread, NULL);
	munmap(constant, PAGE);
	munmap(heap, PAGE);
	label_both(constant);
	label_both(heap);
	labelled_burn(100);
}

static void on_signal(int number)
{
	static int count;
	char value[16];

	(void)number;
	snprintf(value, sizeof(value), "s%d", count++);
	FLAMETRAP_LABEL("signal", value);
	FLAMETRAP_LABEL("signal", "inner");
}

/* A handler that labels interrupts calls that label. */
static void signals(void)
{
	timer_t timer;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 200000 }, { 0, 200000 } };
	struct timespec now;
	char value[16];
	time_t end;

	signal(SIGUSR1, on_signal);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + 2;
	for (int i = 0; now.tv_sec < end; i++) {
		snprintf(value, sizeof(value), "v%d", i % 5000);
		flametrap_label("main", value);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	timer_delete(timer);
	flametrap_label("main", NULL);
	labelled_burn(100); /* no label is left */
}

static void at_exit(void)
{
	flametrap_label("phase", "exit");
	labelled_burn(50);
}

static void phases(void)
{
	atexit(at_exit);
}

__attribute__((constructor)) static void before_main(void)
{
	flametrap_label("phase", "constructor");
	labelled_burn(50);
}

__attribute__((destructor)) static void after_main(void)
{
	flametrap_label("phase", "destructor");
	labelled_burn(20);
}

static void in_one_thread(void)
{
	shares(NULL);
}

static const struct named quiet_modes[] = { { "shares", in_one_thread },
					    { "threads", threads },
					    { "nested", nested },
					    { "distinct", distinct },
					    { "hostile", hostile },
					    { "bad", bad },
					    { "gone", gone },
					    { "phases", phases } },
			  modes[] = { { "forks", forks },
				      { "signals", signals },
				      { "fork_storm", fork_storm } };

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	distinct_values = argc > 2 ? atoi(argv[2]) : 0;
	flametrap_label("phase", NULL);
	errno = 77;
	run_named(quiet_modes, COUNT(quiet_modes), mode);
	if (errno != 77)
		return 3;
	run_named(modes, COUNT(modes), mode);
	puts("done");
	return 0;
}
