/*
 * Where CPython keeps what a walk needs, for each minor version that is known.  Offsets are in
 * bytes, of the processor that this is compiled for.  They hold for builds with the global lock: a
 * free-threaded build has other structures.
 */
#ifndef RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_TABLE_H
#define RUNTIME_SAMPLE_INTERP_CPYTHON_CPYTHON_TABLE_H

#include <stdint.h>

#include "runtime/spool/format_code.h"

/* How the frames of a version are linked. */
enum cpython_frames {
	CPYTHON_OBJECTS, /* 3.9, 3.10: one object a frame, and one run of the loop a frame */
	CPYTHON_CFRAMES, /* 3.11: each run of the loop has a _PyCFrame on the native stack */
	CPYTHON_BOTH,	 /* 3.12: that, and an entry frame */
	CPYTHON_ENTRIES, /* 3.13, 3.14: each run of the loop has an entry frame on the native stack
			  */
};

#define CPYTHON_CODE_UNIT     2	 /* bytes of an instruction */
#define CPYTHON_FRAME_SLOT    8	 /* bytes of a local variable */
#define CPYTHON_TYPE	      8	 /* object: its type */
#define CPYTHON_SIZE	      16 /* object of variable size, str, bytes: its length */
#define CPYTHON_HASH	      24 /* str, bytes */
#define CPYTHON_STR_STATE     32
#define CPYTHON_BYTES_DATA    32
#define CPYTHON_STATE_NEXT    8	  /* thread state: the next one of its interpreter */
#define CPYTHON_STATE_INTERP  16  /* thread state: the interpreter that it belongs to */
#define CPYTHON_STATE_BYTES   192 /* of a thread state, enough for all that is read of it */
#define CPYTHON_CODE_BYTES    144 /* of a code object */
#define CPYTHON_TYPE_MEMBERS  240 /* type: its members … */
#define CPYTHON_MEMBER_BYTES  40  /* … each has its name first … */
#define CPYTHON_MEMBER_OFFSET 16  /* … and its offset here */

struct cpython_layout {
	unsigned minor;
	enum cpython_frames frames;
	enum spool_lines lines;

	/* _PyRuntime */
	uint16_t finalizing;   /* the state of the thread that ends the interpreter */
	uint16_t key;	       /* {int initialised; pthread_key_t key;} of a thread's own state */
	uint16_t current;      /* the state that holds the lock; 0: there is none */
	uint16_t interpreters; /* the newest interpreter; the main one is the word behind */

	/* PyInterpreterState */
	uint16_t collecting;  /* int: the garbage collector runs */
	uint16_t next_interp; /* the next older interpreter; 0 in the oldest one */
	uint16_t threads;     /* its newest thread state; not below next_interp */

	/* PyThreadState */
	uint16_t head; /* the innermost frame or _PyCFrame */
	uint16_t thread;
	uint16_t status; /* byte with `active`, from 3.12 on */

	/* _PyCFrame */
	uint16_t cframe_frame, cframe_previous;

	/* _PyInterpreterFrame, or PyFrameObject */
	uint16_t code, previous, pc, marker, owner;
	uint16_t generator_frame; /* in a generator object */
	uint16_t frame_bytes;	  /* that are read of it */
	uint16_t specials;	  /* bytes before the local variables */
	uint8_t marker_value;	  /* at `marker`: the loop was entered with this frame; until 3.10,
				   * the frame executes */
	uint8_t pc_unit;	  /* pc is a number of these, not an address; 0: an address */
	uint8_t code_tag;	  /* bits of the pointer to the code that are not part of it */
	uint8_t status_attached;  /* bits in `status`: this thread holds the lock */

	/* PyCodeObject */
	uint16_t first_line, file, name, qualified, table, start;
	uint16_t locals, stack; /* ints: the numbers of slots in a frame */
	uint16_t version;	/* uint32: another for each code object made; 0: there is none */

	/* PyUnicodeObject */
	uint16_t ascii_data, compact_data;
};

/* Returns the layout of 3.minor; NULL if it is not known.  Context: any. */
const struct cpython_layout *cpython_table_find(unsigned minor);

#endif
