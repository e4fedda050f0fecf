/*
 * Every instruction of the code that programs call most must be unwound right: the loader, malloc,
 * printf, qsort, the lazy PLT, the vDSO, alloca, realigned stacks, unoptimised code, longjmp.  One
 * line per case: name, instructions, different ones, wrong ones.
 *   oracle_library [CASE]
 */
#include <alloca.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <sys/time.h>
#include <wchar.h>

#include "tests/unwind/oracle.h"
#include "tests/support/libc.h"

#define LIMIT 400000

/* Cases of other files: of oracle_shapes.c (at -O0; as it is; without unwind information or frame
 * pointers; with these), of untrue unwind information, and of fibers by ucontext(3) and by a switch
 * of their own. */
typedef void stepped_fn(void *argument);
stepped_fn oracle_cxx_sort, oracle_cxx_throw, oracle_plain, oracle_shapes, oracle_bare,
	oracle_framed;
stepped_fn oracle_untrue, oracle_context, oracle_switch, oracle_switch_bare, oracle_switch_deep;

/* The same shapes of code as frames of a deep stack, on which a function is called. */
typedef void below(unsigned levels, void (*function)(void));
below oracle_shapes_below, oracle_pointed_below, oracle_bare_below, oracle_framed_below;

void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);

static volatile double sink;
static char text[4096];

/* A case of this file's. */
#define RUN(name) static void run_##name(__attribute__((unused)) void *argument)

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

RUN(qsort)
{
	static int values[200];

	for (unsigned i = 0; i < 200; i++)
		values[i] = (int)(i * 7919 % 211);
	qsort(values, 200, sizeof(int), by_value);
}

RUN(printf)
{
	snprintf(text, sizeof(text), "%d %-8s %a %.17g %Lf %p %ls", 42, "abc", 1.5, 0.1, 2.5L,
		 (void *)text, L"wide");
}

RUN(malloc)
{
	void *blocks[100];

	for (unsigned i = 0; i < 100; i++)
		blocks[i] = malloc(i * 97 + 1);
	for (unsigned i = 0; i < 100; i += 2)
		free(blocks[i]);
	for (unsigned i = 1; i < 100; i += 2)
		blocks[i] = realloc(blocks[i], 200000 / i);
	for (unsigned i = 1; i < 100; i += 2)
		free(blocks[i]);
	free(calloc(300, 1000));
}

RUN(regex)
{
	regmatch_t match[3];
	regex_t regex;

	if (regcomp(&regex, "([a-z]+)[0-9]{2,3}(x|y)*", REG_EXTENDED))
		abort();
	regexec(&regex, "...abc123xyxyx", 3, match, 0);
	regfree(&regex);
}

RUN(strings)
{
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	sink += (double)(strlen(text) + (size_t)(strchr(text, 0) - text));
	__memmove_chk(text + 1, text, 100, sizeof(text)); /* falls through padding */
	sink += memcmp(text, text + 1, 2000) + (strstr(text, "aab") != NULL);
	memmove(text + 3, text, 3000);
}

RUN(math)
{
	for (double x = 0.1; x < 3; x += 0.4)
		sink += sin(x) + pow(x, 1.3) + exp(x) + log(x) + tgamma(x) + cbrt(x) + hypot(x, 2);
}

RUN(vdso)
{
	struct timespec now;
	struct timeval day;

	for (unsigned i = 0; i < 50; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		gettimeofday(&day, NULL);
		sink += (double)time(NULL);
	}
}

/* First calls: through the PLT into the loader's resolver (this program is linked lazily). */
RUN(lazy_plt)
{
	sink += (double)wcslen(L"four") + (double)strtoul("12", NULL, 10);
	sink += atof("1.25") + (double)strcspn("abc", "c") + (double)strspn("abc", "a");
	localeconv();
}

RUN(dlopen)
{
	void *handle = dlopen("libz.so.1", RTLD_LAZY);

	if (!handle || !dlsym(handle, "zlibVersion"))
		abort();
	dlclose(handle);
}

static int one_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	(void)argument;
	sink += (double)(info->dlpi_phnum + size);
	return 0;
}

RUN(iterate)
{
	dl_iterate_phdr(one_object, NULL);
}

static __attribute__((noinline)) void jump(jmp_buf to, int deeper)
{
	volatile char room[64] = { 0 };

	if (deeper)
		jump(to, deeper - 1);
	else if (sink == 0 || room[0] == 0)
		longjmp(to, 1);
	sink += room[0];
}

RUN(longjmp)
{
	jmp_buf here;

	for (volatile int i = 0; i < 20; i++)
		if (!setjmp(here))
			jump(here, 5);
}

/* Pops its return address to a register and back, as vfork(2) does, and to memory and back. */
__asm__(".text; .type popping, @function; popping: .cfi_startproc;"
	"pop %rdx; .cfi_adjust_cfa_offset -8; .cfi_register %rip, %rdx; nop; nop;"
	"push %rdx; .cfi_adjust_cfa_offset 8; .cfi_rel_offset %rip, 0; nop;"
	"pop (%rdi); .cfi_adjust_cfa_offset -8;"
	".cfi_escape 0x10, 16, 2, 0x75, 0;" /* the return address is where rdi points */
	"nop; nop; push (%rdi); .cfi_adjust_cfa_offset 8; .cfi_rel_offset %rip, 0; nop; ret;"
	".cfi_endproc; .size popping, . - popping");
void popping(uint64_t *kept);

/* Pops it to memory and believes that it is still there, as OCaml's calls of C functions do. */
__asm__(".text; .type popping_over, @function; popping_over: .cfi_startproc;"
	"pop (%rdi); .cfi_adjust_cfa_offset -8; nop; sub $8, %rsp; .cfi_adjust_cfa_offset 8; nop;"
	"ret; .cfi_endproc; .size popping_over, . - popping_over");
void popping_over(uint64_t *kept);

RUN(popping)
{
	uint64_t kept;

	for (volatile int i = 0; i < 40; i++) {
		popping(&kept);
		popping_over(&kept);
	}
}

static void nothing(void)
{
	sink++;
}

/* Stepped on the way down and on the way back. */
#define RECURSION(kind, levels)                         \
	RUN(kind##_##levels)                            \
	{                                               \
		oracle_##kind##_below(levels, nothing); \
	}
RECURSION(shapes, 1000)
RECURSION(pointed, 1000)
RECURSION(framed, 1000)
RECURSION(bare, 1000)
RECURSION(shapes, 9900)

#define PLAIN(of)                                 \
	{                                         \
		.name = #of, .function = run_##of \
	}
#define BELOW(called, run, deep, kind)                                                          \
	{                                                                                       \
		.name = called, .function = run, .levels = deep, .below = oracle_##kind##_below \
	}
static const struct {
	const char *name;
	stepped_fn *function;
	const char *object; /* whose own descriptions are of where it will be, not where it is */
	unsigned wrong_per_mille;
	unsigned cut;	 /* in start-up code without unwind information, at most */
	unsigned levels; /* that many frames below main, of code of this kind */
	below *below;
} cases[] = {
	PLAIN(qsort),
	PLAIN(printf),
	PLAIN(malloc),
	PLAIN(regex),
	PLAIN(strings),
	PLAIN(math),
	PLAIN(vdso),
	PLAIN(lazy_plt),
	{ .name = "dlopen", .function = run_dlopen, .cut = 100 },
	PLAIN(iterate),
	{ .name = "shapes", .function = oracle_shapes },
	{ .name = "plain", .function = oracle_plain },
	{ .name = "bare", .function = oracle_bare, .cut = LIMIT },
	{ .name = "framed", .function = oracle_framed, .cut = LIMIT },
	{ .name = "cxx_sort", .function = oracle_cxx_sort },
	{ .name = "longjmp", .function = run_longjmp, .object = "libc.so", .wrong_per_mille = 60 },
	{ .name = "cxx_throw",
	  .function = oracle_cxx_throw,
	  .object = "libgcc_s.so",
	  .wrong_per_mille = 10,
	  .cut = 100 },
	{ .name = "untrue", .function = oracle_untrue },
	PLAIN(popping),
	{ .name = "context",
	  .function = oracle_context,
	  .object = "libc.so",
	  .wrong_per_mille = 15,
	  .cut = 250 },
	{ .name = "switch", .function = oracle_switch },
	{ .name = "switch_bare", .function = oracle_switch_bare },
	{ .name = "switch_deep", .function = oracle_switch_deep },
	{ .name = "recursion_shapes", .function = run_shapes_1000 },
	{ .name = "recursion_pointed", .function = run_pointed_1000 },
	{ .name = "recursion_framed", .function = run_framed_1000 },
	{ .name = "recursion_bare", .function = run_bare_1000 },
	{ .name = "recursion_9900", .function = run_shapes_9900 },
	BELOW("deep_250", run_printf, 250, shapes),
	BELOW("deep_300", run_printf, 300, shapes),
	BELOW("deep_1000", run_printf, 1000, shapes),
	BELOW("deep_10000", run_popping, 10000, shapes),
	BELOW("pointed_1000", run_printf, 1000, pointed),
	BELOW("pointed_10000", run_popping, 10000, pointed),
	BELOW("framed_1000", run_printf, 1000, framed),
	BELOW("framed_10000", run_popping, 10000, framed),
	BELOW("bare_1000", run_printf, 1000, bare),
	BELOW("bare_10000", run_popping, 10000, bare),
};

/* Wrong ones are few enough, and all in the object that is known for them. */
static bool is_excused(const char *object, unsigned wrong_per_mille)
{
	if (!oracle_counts.wrong)
		return true;
	if (oracle_counts.wrong * 1000 > oracle_counts.steps * wrong_per_mille)
		return false;
	for (unsigned i = 0; i < oracle_wrong_count; i++) {
		Dl_info info;

		if (oracle_wrong[i].kind == 'w' &&
		    (!dladdr((void *)oracle_wrong[i].pc, &info) || !strstr(info.dli_fname, object)))
			return false;
	}
	return oracle_wrong_count < ORACLE_WRONG_MAX;
}

static stepped_fn *stepped;

static void step(void)
{
	oracle_run(stepped, NULL, LIMIT);
}

int main(int count, char **arguments)
{
	bool verbose = getenv("ORACLE_VERBOSE") != NULL;
	unsigned failures = 0;

	oracle_cold = getenv("ORACLE_COLD") != NULL;
	if (oracle_start())
		return 99;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct oracle_counts *counts = &oracle_counts;
		bool good;

		if (count > 1 && strcmp(arguments[1], cases[i].name) != 0)
			continue;
		stepped = cases[i].function;
		if (cases[i].below)
			cases[i].below(cases[i].levels, step);
		else
			step();
		good = counts->steps > 500 && counts->deepest > cases[i].levels &&
		       counts->truncated + counts->mistaken <= cases[i].cut &&
		       is_excused(cases[i].object, cases[i].wrong_per_mille);
		failures += !good;
		printf("%s %s ", good ? "ok" : "not-ok", cases[i].name);
		oracle_print_counts(stdout);
		if (!good || verbose)
			oracle_print_wrong(stdout, 40);
	}
	puts("oracle: end");
	return failures != 0;
}
