/*
 * Every instruction of the code that programs call most must be unwound right: the loader, malloc,
 * printf, qsort, the lazy PLT, the vDSO, alloca, realigned stacks, unoptimised code, longjmp.  One
 * line per case: name, instructions, different ones, wrong ones.
 *   oracle_library [CASE]
 */
#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <wchar.h>

#include "tests/unwind/oracle.h"

#define LIMIT 400000

void oracle_cxx_sort(void *argument);
void oracle_cxx_throw(void *argument);
void oracle_plain(void *argument); /* of oracle_shapes.c, at -O0 and by clang */
void oracle_shapes(void *argument);
void oracle_bare(void *argument);   /* without unwind information or frame pointers */
void oracle_untrue(void *argument); /* whose unwind information is wrong */
void oracle_framed(void *argument); /* without unwind information */

void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);

static volatile double sink;
static char text[4096];

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void run_qsort(void *argument)
{
	static int values[200];

	(void)argument;
	for (unsigned i = 0; i < 200; i++)
		values[i] = (int)(i * 7919 % 211);
	qsort(values, 200, sizeof(int), by_value);
}

static void run_printf(void *argument)
{
	(void)argument;
	snprintf(text, sizeof(text), "%d %-8s %a %.17g %Lf %p %ls", 42, "abc", 1.5, 0.1, 2.5L,
		 (void *)text, L"wide");
}

static void run_malloc(void *argument)
{
	void *blocks[100];

	(void)argument;
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

static void run_regex(void *argument)
{
	regmatch_t match[3];
	regex_t regex;

	(void)argument;
	if (regcomp(&regex, "([a-z]+)[0-9]{2,3}(x|y)*", REG_EXTENDED))
		abort();
	regexec(&regex, "...abc123xyxyx", 3, match, 0);
	regfree(&regex);
}

static void run_strings(void *argument)
{
	(void)argument;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	sink += (double)(strlen(text) + (size_t)(strchr(text, 0) - text));
	__memmove_chk(text + 1, text, 100, sizeof(text)); /* falls through padding */
	sink += memcmp(text, text + 1, 2000) + (strstr(text, "aab") != NULL);
	memmove(text + 3, text, 3000);
}

static void run_math(void *argument)
{
	(void)argument;
	for (double x = 0.1; x < 3; x += 0.4)
		sink += sin(x) + pow(x, 1.3) + exp(x) + log(x) + tgamma(x) + cbrt(x) + hypot(x, 2);
}

static void run_vdso(void *argument)
{
	struct timespec now;
	struct timeval day;

	(void)argument;
	for (unsigned i = 0; i < 50; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		gettimeofday(&day, NULL);
		sink += (double)time(NULL);
	}
}

/* First calls: through the PLT into the loader's resolver (this program is linked lazily). */
static void run_lazy_plt(void *argument)
{
	(void)argument;
	sink += (double)wcslen(L"four") + (double)strtoul("12", NULL, 10);
	sink += atof("1.25") + (double)strcspn("abc", "c") + (double)strspn("abc", "a");
	localeconv();
}

static void run_dlopen(void *argument)
{
	void *handle = dlopen("libz.so.1", RTLD_LAZY);

	(void)argument;
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

static void run_iterate(void *argument)
{
	(void)argument;
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

static void run_longjmp(void *argument)
{
	jmp_buf here;

	(void)argument;
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

static void run_popping(void *argument)
{
	uint64_t kept;

	(void)argument;
	for (volatile int i = 0; i < 40; i++)
		popping(&kept);
}

/* Runs a case that many frames below main. */
static __attribute__((noinline)) void run_below(unsigned levels, void (*function)(void *argument))
{
	if (levels)
		run_below(levels - 1, function);
	else
		oracle_run(function, NULL, LIMIT);
	__asm__ volatile("" ::: "memory");
}

static const struct {
	const char *name;
	void (*function)(void *argument);
	const char *object; /* whose own descriptions are of where it will be, not where it is */
	unsigned wrong_per_mille;
	unsigned cut; /* in start-up code without unwind information, at most */
	unsigned levels;
} cases[] = {
	{ "qsort", run_qsort, NULL, 0, 0, 0 },
	{ "printf", run_printf, NULL, 0, 0, 0 },
	{ "malloc", run_malloc, NULL, 0, 0, 0 },
	{ "regex", run_regex, NULL, 0, 0, 0 },
	{ "strings", run_strings, NULL, 0, 0, 0 },
	{ "math", run_math, NULL, 0, 0, 0 },
	{ "vdso", run_vdso, NULL, 0, 0, 0 },
	{ "lazy_plt", run_lazy_plt, NULL, 0, 0, 0 },
	{ "dlopen", run_dlopen, NULL, 0, 100, 0 },
	{ "iterate", run_iterate, NULL, 0, 0, 0 },
	{ "shapes", oracle_shapes, NULL, 0, 0, 0 },
	{ "plain", oracle_plain, NULL, 0, 0, 0 },
	{ "bare", oracle_bare, NULL, 0, LIMIT, 0 },
	{ "framed", oracle_framed, NULL, 0, LIMIT, 0 },
	{ "cxx_sort", oracle_cxx_sort, NULL, 0, 0, 0 },
	{ "longjmp", run_longjmp, "libc.so", 60, 0, 0 },
	{ "cxx_throw", oracle_cxx_throw, "libgcc_s.so", 10, 100, 0 },
	{ "untrue", oracle_untrue, NULL, 0, 0, 0 },
	{ "popping", run_popping, NULL, 0, 0, 0 },
	{ "deep_250", run_printf, NULL, 0, 0, 250 },
	{ "deep_300", run_printf, NULL, 0, 0, 300 },
	{ "deep_1000", run_printf, NULL, 0, 0, 1000 },
	{ "deep_10000", run_popping, NULL, 0, 0, 10000 },
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
		run_below(cases[i].levels, cases[i].function);
		good = counts->steps > 500 &&
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
