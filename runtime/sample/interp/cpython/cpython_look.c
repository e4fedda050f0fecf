/*
 * The layouts of CPython 3.9 to 3.14, as the headers of each version have them.
 *
 * What a loaded CPython publishes about itself: its version, its types, and offsets that the table
 * of layouts is checked against.  Everything is read by memory_copy(): the object may go.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/sample/interp/cpython/cpython.h"
#include "runtime/sample/sys/poison.h"

/* Until 3.11 the lock of the interpreter, with two mutexes, comes before these.  A mutex of glibc
 * has 40 bytes on x86-64 and 48 on aarch64. */
#define AFTER_LOCK(offset) ((offset) + 2 * (sizeof(pthread_mutex_t) - 40))

#define OBJECT_FRAME .frames = CPYTHON_OBJECTS, .code = 32, .previous = 24, .frame_bytes = 120
#define PLACE_3_9    .pc = 104, .marker = 116, .marker_value = 1, .pc_unit = 1
#define PLACE_3_10   .pc = 96, .marker = 108, .marker_value = 0, .pc_unit = CPYTHON_CODE_UNIT
#define OBJECT_CODE                                                                              \
	.first_line = 40, .file = 104, .name = 112, .table = 120, .start = 48, .ascii_data = 48, \
	.compact_data = 72
#define OBJECT_STATE                                                                              \
	.finalizing = 16, .key = AFTER_LOCK(584), .current = AFTER_LOCK(568), .interpreters = 32, \
	.collecting = 816, .threads = 8, .head = 24, .thread = 176

#define STATE_3_11                                                                        \
	.frames = CPYTHON_CFRAMES, .finalizing = 24, .key = AFTER_LOCK(592),              \
	.current = AFTER_LOCK(576), .interpreters = 40, .collecting = 848, .threads = 16, \
	.head = 56, .thread = 152, .cframe_frame = 8, .cframe_previous = 16
#define FRAME_3_11                                                                              \
	.code = 32, .previous = 48, .pc = 56, .marker = 68, .owner = 69, .generator_frame = 80, \
	.marker_value = 1, .frame_bytes = 76, .specials = 72
#define CODE_3_11                                                                                  \
	.lines = SPOOL_LINES_PEP657, .first_line = 72, .file = 112, .name = 120, .qualified = 128, \
	.table = 136, .start = 184, .locals = 76, .stack = 68, .ascii_data = 48,                   \
	.compact_data = 72

#define STATE_3_12                                                                 \
	.frames = CPYTHON_BOTH, .finalizing = 24, .key = 1544, .interpreters = 40, \
	.collecting = 312, .threads = 72, .head = 56, .thread = 136, .status = 24, \
	.status_attached = 16, .cframe_frame = 0, .cframe_previous = 8
#define FRAME_3_12                                                                            \
	.code = 0, .previous = 8, .pc = 56, .marker = 70, .owner = 70, .generator_frame = 72, \
	.marker_value = 3, .frame_bytes = 76, .specials = 72
#define CODE_3_12                                                                                  \
	.lines = SPOOL_LINES_PEP657, .first_line = 68, .file = 112, .name = 120, .qualified = 128, \
	.table = 136, .locals = 72, .stack = 64, .version = 92, .ascii_data = 40,                  \
	.compact_data = 56

#define STATE_3_13(last, key_at, newest, next_at)                                                \
	.frames = CPYTHON_ENTRIES, .finalizing = (last), .key = (key_at),                        \
	.interpreters = (newest), .next_interp = (next_at), .collecting = 7600, .threads = 7344, \
	.head = 72, .thread = 152, .status = 32, .status_attached = 16
#define FRAME_3_14                                                                    \
	.code = 0, .code_tag = 3, .previous = 8, .pc = 56, .marker = 74, .owner = 74, \
	.marker_value = 3, .frame_bytes = 80, .specials = 80

static const struct cpython_layout layouts[] = {
	{ .minor = 9,
	  .lines = SPOOL_LINES_LNOTAB,
	  OBJECT_STATE,
	  OBJECT_FRAME,
	  PLACE_3_9,
	  OBJECT_CODE },
	{ .minor = 10,
	  .lines = SPOOL_LINES_PEP626,
	  OBJECT_STATE,
	  OBJECT_FRAME,
	  PLACE_3_10,
	  OBJECT_CODE },
	{ .minor = 11, STATE_3_11, FRAME_3_11, CODE_3_11 },
	{ .minor = 12, STATE_3_12, FRAME_3_12, .start = 192, CODE_3_12 },
	{ .minor = 13, STATE_3_13(608, 2160, 632, 7264), FRAME_3_12, .start = 200, CODE_3_12 },
	{ .minor = 14, STATE_3_13(784, 2336, 808, 7272), FRAME_3_14, .start = 208, CODE_3_12 },
};

/* Returns the layout of 3.minor; NULL if it is not known. */
static const struct cpython_layout *layout_find(unsigned minor)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

#define COOKIE		    "xdebugpy"
#define MEMBERS_MAX	    64
#define NAME_BYTES	    32
#define DEBUG_OFFSETS_MINOR 13
#define OFFSETS_MAX	    128 /* words */
#define FREE_THREADED	    "is free-threaded"
#define CONTRADICTED	    "has other structures than are known"
#define UNKNOWN		    "is not known"
#define WHY_BYTES	    64

/* A symbol's address; 0: there is none. */
static uint64_t symbol(const struct interp_object *object, const char *name)
{
	uint64_t address, bytes;

	return interp_object_symbol(object, name, &address, &bytes) ? address : 0;
}

/* The version is a word from 3.11 on.  Before, functions tell that came with a version. */
static bool version_find(const struct interp_object *object, unsigned *minor)
{
	uint64_t address = symbol(object, "Py_Version");
	uint32_t version;

	if (!address) {
		if (!symbol(object, "PyFrame_GetCode"))
			return false;
		*minor = symbol(object, "PyIter_Send") ? 10 : 9;
		return true;
	}
	if (!memory_copy(&version, address, sizeof(version)) || version >> 24 != 3)
		return false;
	*minor = version >> 16 & 0xff;
	return true;
}

/* Where a type's table of members says that a member is.  -1: it does not say. */
static int64_t member_offset(uint64_t members, const char *name)
{
	for (unsigned i = 0; i < MEMBERS_MAX; i++, members += CPYTHON_MEMBER_BYTES) {
		uint64_t entry[CPYTHON_MEMBER_BYTES / sizeof(uint64_t)];
		char text[NAME_BYTES];

		if (!memory_copy(entry, members, sizeof(entry)) || !entry[0] ||
		    !memory_copy(text, entry[0], sizeof(text)))
			return -1;
		text[sizeof(text) - 1] = '\0';
		if (!strcmp(text, name))
			return (int64_t)entry[CPYTHON_MEMBER_OFFSET / sizeof(uint64_t)];
	}
	return -1;
}

static bool members_agree(const struct cpython *python)
{
	const struct cpython_layout *layout = python->layout;
	const struct {
		const char *name;
		unsigned offset;
	} known[] = {
		{ "co_firstlineno", layout->first_line },
		{ "co_filename", layout->file },
		{ "co_name", layout->name },
		{ "co_qualname", layout->qualified },
		{ layout->lines == SPOOL_LINES_LNOTAB ? "co_lnotab" : "co_linetable",
		  layout->table },
	};
	uint64_t members;

	if (!memory_copy(&members, python->code_type + CPYTHON_TYPE_MEMBERS, sizeof(members)))
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].offset && member_offset(members, known[i].name) != known[i].offset)
			return false;
	return true;
}

/* _Py_DebugOffsets, which _PyRuntime begins with from 3.13 on: words, in an order that each minor
 * version has of its own.  These are the indices of what offsets_check() compares. */
#define OFFSETS_WORDS 25

struct debug_order {
	unsigned minor;
	unsigned words; /* of all of it */
	uint8_t gc, collecting;
	uint8_t word[OFFSETS_WORDS];
};

static const struct debug_order orders[] = {
	{ .minor = 13, .words = 73, .gc = 10, .collecting = 72, .word = { 4,  22, 23, 24, 27,
									  29, 30, 31, 33, 35,
									  36, 37, 38, 39, 43,
									  45, 65, 66, 68, 69,
									  70, 5,  8,  9,  21 } },
	{ .minor = 14, .words = 83, .gc = 11, .collecting = 82, .word = { 4,  25, 26, 27, 30,
									  32, 33, 34, 36, 40,
									  41, 42, 43, 44, 48,
									  51, 75, 76, 78, 79,
									  80, 5,  8,  9,  24 } },
};

static const struct debug_order *order_find(unsigned minor)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (orders[i].minor == minor)
			return &orders[i];
	return NULL;
}

static const char *offsets_check(const struct cpython *python)
{
	const struct cpython_layout *layout = python->layout;
	const struct debug_order *order = order_find(layout->minor);
	const uint16_t known[OFFSETS_WORDS] = {
		layout->finalizing, CPYTHON_STATE_INTERP, layout->head,	       layout->thread,
		layout->status,	    layout->previous,	  layout->code,	       layout->pc,
		layout->marker,	    layout->file,	  layout->name,	       layout->qualified,
		layout->table,	    layout->first_line,	  layout->start,       CPYTHON_TYPE,
		CPYTHON_SIZE,	    CPYTHON_BYTES_DATA,	  CPYTHON_STR_STATE,   CPYTHON_SIZE,
		layout->ascii_data, layout->interpreters, layout->next_interp, layout->threads,
		CPYTHON_STATE_NEXT,
	};
	uint64_t offsets[OFFSETS_MAX];

	if (!order || !memory_copy(offsets, python->runtime, order->words * sizeof(*offsets)) ||
	    memcmp(offsets, COOKIE, sizeof(*offsets)) != 0)
		return CONTRADICTED;
	if (offsets[2])
		return FREE_THREADED;
	if (offsets[order->gc] + offsets[order->collecting] != layout->collecting)
		return CONTRADICTED;
	for (size_t i = 0; i < OFFSETS_WORDS; i++)
		if (offsets[order->word[i]] != known[i])
			return CONTRADICTED;
	return NULL;
}

/* Learn what the object of 3.minor publishes.  NULL: all of it is as it should be. */
static const char *publish(struct cpython *python, const struct interp_object *object,
			   unsigned minor)
{
	python->layout = layout_find(minor);
	if (!python->layout)
		return UNKNOWN;
	python->start = object->start;
	python->end = object->end;
	python->runtime = symbol(object, "_PyRuntime");
	python->code_type = symbol(object, "PyCode_Type");
	python->str_type = symbol(object, "PyUnicode_Type");
	python->bytes_type = symbol(object, "PyBytes_Type");
	python->none = symbol(object, "_Py_NoneStruct");
	if (!python->runtime || !python->none || !python->code_type || !python->str_type ||
	    !python->bytes_type ||
	    !interp_object_range(object, "_PyEval_EvalFrameDefault", &python->eval))
		return CONTRADICTED;
	interp_object_range(object, "PyGC_Collect", &python->collect);
	if (!members_agree(python))
		return CONTRADICTED;
	cpython_parts_find(python);
	return minor >= DEBUG_OFFSETS_MINOR ? offsets_check(python) : NULL;
}

bool cpython_parts_find(struct cpython *python)
{
	uint32_t state = CPYTHON_PARTS_UNKNOWN;

	/* pairs with the release below, as the next; walks of all threads only read the word */
	if (atomic_load_explicit(&python->parts, memory_order_acquire) == CPYTHON_PARTS_KNOWN)
		return true;
	if (!atomic_compare_exchange_strong_explicit(&python->parts, &state, CPYTHON_PARTS_SOUGHT,
						     memory_order_acquire, memory_order_acquire))
		return state == CPYTHON_PARTS_KNOWN;
	state = cpython_cold_find(python, &python->cold) &&
				cpython_collector_find(python, &python->collector)
			? CPYTHON_PARTS_KNOWN
			: CPYTHON_PARTS_UNKNOWN;
	atomic_store_explicit(&python->parts, state, memory_order_release);
	return state == CPYTHON_PARTS_KNOWN;
}

const char *cpython_look(struct cpython *python, const struct interp_object *object)
{
	static char why[WHY_BYTES]; /* W, R: the look */
	struct text line = text_into(why, sizeof(why));
	const char *reason;
	unsigned minor;

	if (!version_find(object, &minor))
		return "before 3.9 is not known";
	reason = publish(python, object, minor);
	if (!reason)
		return NULL;
	text_add_all(&line, "3.", NULL);
	text_number(&line, minor);
	text_add_all(&line, " ", reason, NULL);
	return why;
}
