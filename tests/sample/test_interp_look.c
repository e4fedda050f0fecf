/* Interpreters of unknown versions and builds are left alone, with a line that says why.  PHP's
 * calls are read in the thread that runs PHP: a frame that was only guessed may show its loop in
 * another one. */

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/interp/interp_runtime.h"
#include "tests/support/unit.h"

#if defined(__x86_64__)
static const unsigned char version_8_4[16] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 0x15, 0x3a, 1, 0, 0xc3
};
static const unsigned char version_8_5[16] = { 0xb8, 0x74, 0x3a, 1, 0, 0xc3 };
static const unsigned char version_hidden[16] = { 0x55, 0x48, 0x89, 0xe5 };
#else
static const uint32_t version_8_4[4] = { 0xd503245f, 0x528742a0, 0x72a00020, 0xd65f03c0 };
static const uint32_t version_8_5[4] = { 0x52874e80, 0x72a00020, 0xd65f03c0 };
static const uint32_t version_hidden[4] = { 0xa9bf7bfd };
#endif

struct exported {
	const char *name;
	const void *at;
	uint64_t bytes;
};

static const struct exported *exported; /* ends with a null name */

WRAP(bool, interp_object_symbol, const struct interp_object *object, const char *name,
     uint64_t *address, uint64_t *bytes)
{
	(void)object;
	for (const struct exported *each = exported; each->name; each++) {
		if (strcmp(each->name, name))
			continue;
		*address = (uint64_t)(uintptr_t)each->at;
		*bytes = each->bytes;
		return true;
	}
	return false;
}

static const char *why; /* the last look refused an object */

/* Have the runtime look at an object that exports these symbols. */
static bool look_at(const struct interp_runtime *runtime, const struct exported *symbols)
{
	const struct interp_object object = { 0 };

	exported = symbols;
	why = NULL;
	return runtime->look(&object, &why);
}

/* Returns why the runtime refuses such an object; "" if it does not. */
static const char *refusal(const struct interp_runtime *runtime, const struct exported *symbols)
{
	if (!look_at(runtime, symbols))
		return why ? why : "silently";
	runtime->forget();
	return "";
}

/* clang-format off */
#define PHP	   { "execute_ex", version_8_4, 16 }
#define GLOBALS	   { "executor_globals", version_8_4, 2000 }
#define VERSION(v) { "php_version_id", v, 16 }
/* clang-format on */

TEST(php_is_known_by_what_it_exports)
{
	static const char unknown[] = "is not of versions 8.1 to 8.4";
	static const struct {
		struct exported symbols[4];
		const char *refusal;
	} cases[] = {
		{ { PHP, GLOBALS, VERSION(version_8_4) }, "" },
		{ { PHP, GLOBALS, { "zend_fiber_switch_context", version_8_4, 1 } }, "" },
		{ { PHP }, "is built for threads (ZTS)" },
		{ { PHP, GLOBALS, VERSION(version_8_5) }, unknown },
		{ { PHP, GLOBALS }, unknown }, /* it is older */
		{ { PHP, GLOBALS, VERSION(version_hidden) }, "has a version that is not known" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(refusal(&interp_php, cases[i].symbols), cases[i].refusal);
}

/* clang-format off */
#define PERL	    { "Perl_runops_standard", version_8_4, 16 }, { "perl_run", version_8_4, 16 }
#define KEY	    { "PL_thr_key", version_8_4, 4 }
#define NUMBER(v)   { "PL_version", &(v), 1 }
#define SIZED(size) { "PL_interp_size", &(size), 2 }
/* clang-format on */

TEST(perl_is_known_by_its_version_and_the_size_of_an_interpreter)
{
	static const uint8_t new_version = 36, old_version = 32;
	static const uint16_t right_size = 0xeb8, other_size = 0xd00;
	static const char unknown[] =
		"has a version other than 5.34 to 5.42, or is built in another way";
	static const struct {
		struct exported symbols[6];
		const char *refusal;
	} cases[] = {
		{ { PERL, KEY, NUMBER(new_version), SIZED(right_size) }, "" },
		{ { PERL }, "is built without threads" },
		{ { PERL, KEY, NUMBER(new_version), SIZED(other_size) }, unknown },
		{ { PERL, KEY, NUMBER(old_version), SIZED(right_size) }, unknown },
		{ { PERL, KEY }, "silently" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(refusal(&interp_perl, cases[i].symbols), cases[i].refusal);
}

static const char loop[64];
static uint64_t globals[256];

/* An interpreter that makes no call. */
static void start_php(void)
{
	static const struct exported symbols[] = {
		{ "execute_ex", loop, sizeof(loop) },
		{ "executor_globals", globals, sizeof(globals) },
		{ "zend_fiber_switch_context", globals, sizeof(globals) },
		{ NULL, NULL, 0 },
	};

	memory_start();
	assert_true(look_at(&interp_php, symbols));
}

static enum interp_outcome walk(bool complete)
{
	static ucontext_t context;
	uint64_t pcs[1] = { (uint64_t)(uintptr_t)loop }, sps[2] = { 0 };
	struct interp_stack stack = { .pcs = pcs,
				      .sps = sps,
				      .depth = 1,
				      .context = &context,
				      .ends = complete,
				      .complete = complete };
	struct interp_places places = { 0 };
	static struct interp_reader reader;

	interp_read_begin(&reader, 0, 0);
	return interp_php.walk(&stack, &reader, &places);
}

/* What another thread sees, with a guessed stack and then with a whole one. */
static struct {
	enum interp_outcome guessed, whole;
} other;

static void *be_other(void *unused)
{
	other.guessed = walk(false);
	other.whole = walk(true);
	return unused;
}

static void run_other(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, be_other, NULL), 0);
	pthread_join(thread, NULL);
}

TEST(a_guessed_stack_of_another_thread_is_left_alone)
{
	start_php();
	assert_int_equal(walk(true), INTERP_PENDING);
	assert_int_equal(walk(false), INTERP_PENDING);
	run_other();
	assert_int_equal(other.guessed, INTERP_NO_STATE);
	assert_int_equal(other.whole, INTERP_PENDING);
	assert_int_equal(walk(false), INTERP_NO_STATE); /* PHP is the other's now */
}

TEST(until_a_whole_stack_is_seen_any_thread_may_be_php_s)
{
	start_php();
	assert_int_equal(walk(false), INTERP_PENDING);
	run_other();
	assert_int_equal(other.guessed, INTERP_PENDING);
}
