/*
 * The layouts of CPython 3.9 to 3.14, as the headers of each version have them.
 */
#include "runtime/sample/interp/cpython/cpython_table.h"

#include <pthread.h>
#include <stddef.h>

#include "runtime/sample/sys/poison.h"

/* Until 3.11 the lock of the interpreter, with two mutexes, comes before these.  A mutex of glibc
 * has 40 bytes on x86-64 and 48 on aarch64. */
#define AFTER_LOCK(offset) ((offset) + 2 * (sizeof(pthread_mutex_t) - 40))

#define OBJECT_FRAME .code = 32, .previous = 24, .frame_bytes = 120
#define OBJECT_CODE                                                                              \
	.first_line = 40, .file = 104, .name = 112, .table = 120, .start = 48, .ascii_data = 48, \
	.compact_data = 72
#define OBJECT_STATE                                                                              \
	.finalizing = 16, .key = AFTER_LOCK(584), .current = AFTER_LOCK(568), .interpreters = 32, \
	.collecting = 816, .threads = 8, .head = 24, .thread = 176

#define FRAME_3_12                                                                            \
	.code = 0, .previous = 8, .pc = 56, .marker = 70, .owner = 70, .generator_frame = 72, \
	.marker_value = 3
#define CODE_3_12                                                                                 \
	.first_line = 68, .file = 112, .name = 120, .qualified = 128, .table = 136, .locals = 72, \
	.stack = 64, .version = 92, .ascii_data = 40, .compact_data = 56

static const struct cpython_layout layouts[] = {
	{ .minor = 9,
	  .frames = CPYTHON_OBJECTS,
	  .lines = SPOOL_LINES_LNOTAB,
	  OBJECT_STATE,
	  OBJECT_FRAME,
	  .pc = 104,
	  .marker = 116,
	  .marker_value = 1,
	  .pc_unit = 1,
	  OBJECT_CODE },
	{ .minor = 10,
	  .frames = CPYTHON_OBJECTS,
	  .lines = SPOOL_LINES_PEP626,
	  OBJECT_STATE,
	  OBJECT_FRAME,
	  .pc = 96,
	  .marker = 108,
	  .marker_value = 0,
	  .pc_unit = CPYTHON_CODE_UNIT,
	  OBJECT_CODE },
	{ .minor = 11,
	  .frames = CPYTHON_CFRAMES,
	  .lines = SPOOL_LINES_PEP657,
	  .finalizing = 24,
	  .key = AFTER_LOCK(592),
	  .current = AFTER_LOCK(576),
	  .interpreters = 40,
	  .collecting = 848,
	  .threads = 16,
	  .head = 56,
	  .thread = 152,
	  .cframe_frame = 8,
	  .cframe_previous = 16,
	  .code = 32,
	  .previous = 48,
	  .pc = 56,
	  .marker = 68,
	  .owner = 69,
	  .generator_frame = 80,
	  .marker_value = 1,
	  .frame_bytes = 76,
	  .specials = 72,
	  .first_line = 72,
	  .file = 112,
	  .name = 120,
	  .qualified = 128,
	  .table = 136,
	  .start = 184,
	  .locals = 76,
	  .stack = 68,
	  .ascii_data = 48,
	  .compact_data = 72 },
	{ .minor = 12,
	  .frames = CPYTHON_BOTH,
	  .lines = SPOOL_LINES_PEP657,
	  .finalizing = 24,
	  .key = 1544,
	  .interpreters = 40,
	  .collecting = 312,
	  .threads = 72,
	  .head = 56,
	  .thread = 136,
	  .status = 24,
	  .status_attached = 16,
	  .cframe_frame = 0,
	  .cframe_previous = 8,
	  FRAME_3_12,
	  .frame_bytes = 76,
	  .specials = 72,
	  .start = 192,
	  CODE_3_12 },
	{ .minor = 13,
	  .frames = CPYTHON_ENTRIES,
	  .lines = SPOOL_LINES_PEP657,
	  .finalizing = 608,
	  .key = 2160,
	  .interpreters = 632,
	  .collecting = 7600,
	  .next_interp = 7264,
	  .threads = 7344,
	  .head = 72,
	  .thread = 152,
	  .status = 32,
	  .status_attached = 16,
	  FRAME_3_12,
	  .frame_bytes = 76,
	  .specials = 72,
	  .start = 200,
	  CODE_3_12 },
	{ .minor = 14,
	  .frames = CPYTHON_ENTRIES,
	  .lines = SPOOL_LINES_PEP657,
	  .finalizing = 784,
	  .key = 2336,
	  .interpreters = 808,
	  .collecting = 7600,
	  .next_interp = 7272,
	  .threads = 7344,
	  .head = 72,
	  .thread = 152,
	  .status = 32,
	  .status_attached = 16,
	  .code = 0,
	  .code_tag = 3,
	  .previous = 8,
	  .pc = 56,
	  .marker = 74,
	  .owner = 74,
	  .marker_value = 3,
	  .frame_bytes = 80,
	  .specials = 80,
	  .start = 208,
	  CODE_3_12 },
};

const struct cpython_layout *cpython_table_find(unsigned minor)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}
