/*
 * The spool: the one file in which the two halves of flametrap meet.
 *
 * runtime/sample writes it, mapped shared, from inside the target; runtime/profile reads it
 * beside or after the target, and does not trust its content.  There is one spool per process
 * and image: fork and exec each start a new one.  All words are in the byte order of the machine.
 * The magic shows a reader the byte order; the reader refuses a spool of another one.
 *
 * Layout: a header of SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS, then chunks of
 * SPOOL_CHUNK_BYTES, each with a struct spool_chunk at its head and entries of one kind
 * behind it.  Related chunks of one kind form a list linked by `next`.  There is one list of
 * threads, one of modules, one of functions of interpreters, one of texts (format_code.h), one of
 * labels and one of marks (format_log.h); each thread has one of nodes and one of its log.  The
 * file is sparse, and FLAMETRAP_MEMORY bounds its length.  Only bytes below `used_bytes` have a
 * meaning.
 *
 * Publication: the writer completes an entry and then counts it in its chunk's `count`
 * (release).  It completes a chunk and then links it (release).  What an entry refers to is
 * published before the entry.  A reader loads both words with acquire and may read while the target
 * runs; it reads logs before nodes and labels, nodes before functions, and functions and labels
 * before texts.  Weights and counts change later, one aligned word at a time; each word has one
 * writer.
 *
 * States, and the writers that change them (a reader reports any other state as damage):
 *
 *   header.state   0 -> RUNNING         the process, before the magic (session_spool.c)
 *                  RUNNING -> FINISHED  the process, when it ends (lifecycle_stop)
 *                  RUNNING -> EXECED    the process, before exec (lifecycle_stop)
 *                  EXECED -> RUNNING    the process, when exec failed (lifecycle_resume)
 *   thread.state   FREE -> LIVE         the thread, when it starts (thread_slot_take)
 *                  LIVE -> ENDED        the thread, when its slot is kept or becomes a sum
 *                  LIVE -> FREE         the thread, when it was merged into a sum (thread_slot_end)
 *   chunk.kind     FREE -> any other    the thread that takes the chunk (spool_alloc_take); for
 *                                       CODES, TEXTS and LABELS, the holder of the code table's
 *                                       lock
 *                  NODES, LOG -> FREE   the thread that was merged, or whose log was thinned
 *                                       (spool_alloc_give)
 *
 * A killed process leaves RUNNING behind.  pid and start_ticks show that it has ended.
 */
#ifndef RUNTIME_SPOOL_FORMAT_H
#define RUNTIME_SPOOL_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#include "runtime/spool/special_pc.h"

#define SPOOL_MAGIC	     0x31504152544d4c46ULL /* "FLMTRAP1" in little-endian memory */
#define SPOOL_VERSION	     9
#define SPOOL_CHUNK_BYTES    8192
#define SPOOL_HEADER_CHUNKS  4
#define SPOOL_COUNTERS_MAX   16
#define SPOOL_NAME_MAX	     64
#define SPOOL_SCALE_MAX	     40
#define SPOOL_MEASURE_MAX    16
#define SPOOL_TEXT_MAX	     4096
#define SPOOL_NODE_UNIT	     16 /* a node reference is its file offset divided by this */
#define SPOOL_BUILD_ID_MAX   32
#define SPOOL_PATH_MAX	     888
#define SPOOL_UNTIL_FOREVER  UINT32_MAX
#define SPOOL_NEVER_UNLOADED 0 /* a node's generation before any object was unloaded */

/* What the process was doing when the header was last written. */
enum spool_state {
	SPOOL_RUNNING = 1,  /* still writing, or killed: see pid and start_ticks */
	SPOOL_FINISHED = 2, /* the library saw the image end */
	SPOOL_EXECED = 3,   /* exec replaced the image with another one */
};

/* How overflows reach the process (the ladder of engines). */
enum spool_engine {
	SPOOL_ENGINE_NONE = 0,
	SPOOL_ENGINE_SIGTRAP = 1,
	SPOOL_ENGINE_SIGIO = 2,
	SPOOL_ENGINE_TIMER = 3,
};

enum spool_unit {
	SPOOL_UNIT_COUNT = 0,
	SPOOL_UNIT_NS = 1,
};

/* One counter, in the order of the user's event list.  Written before the spool is published. */
struct spool_counter {
	char name[SPOOL_NAME_MAX];   /* NUL-terminated; as the user wrote it, or its name=… */
	uint32_t unit;		     /* enum spool_unit, of `events` weights */
	uint32_t leader;	     /* index of its group's leader; its own index if it leads */
	uint64_t period;	     /* events per sample; 0: the counter is sampled by frequency */
	uint64_t frequency_hz;	     /* samples per second; 0: the counter is sampled by period */
	_Atomic uint64_t raised;     /* the longest period that any thread had to use; 0: no
					thread had to.  W: its handler.  R: anyone */
	uint32_t flags;		     /* SPOOL_COUNTER_* */
	_Atomic uint32_t missing;    /* 1: no object yet has its symbol.  W: when it is found */
	char scale[SPOOL_SCALE_MAX]; /* value of one event, a number as text; or empty */
	char measure[SPOOL_MEASURE_MAX]; /* unit of that value: "MiB", "Joules"; or empty */
};
#define SPOOL_COUNTER_EXCLUDE_KERNEL 1u /* only user-side events are counted */
#define SPOOL_COUNTER_EXCLUDE_USER   2u
#define SPOOL_COUNTER_UNAVAILABLE    4u	 /* it did not open: its weights stay 0 */
#define SPOOL_COUNTER_SAMPLES	     8u	 /* overflows of this counter take samples (leaders) */
#define SPOOL_COUNTER_OFF_CPU	     16u /* its unit is time off the processor */
#define SPOOL_COUNTER_AFTER	     32u /* the leaf is the instruction after the one that counted */
/* How exact the addresses of samples are: one of these; none: a spool of version 4. */
#define SPOOL_COUNTER_CLOCK   64u   /* where a timer interrupted the thread */
#define SPOOL_COUNTER_EXACT   128u  /* the kernel samples at what counted */
#define SPOOL_COUNTER_PRECISE 256u  /* the processor records what counted (precise_ip 2 and 3) */
#define SPOOL_COUNTER_SHIFTED 512u  /* a constant distance after it (precise_ip 1) */
#define SPOOL_COUNTER_SKIDS   1024u /* some instructions after it */

/* For how many threads a counter could not be opened, and how long they lived without it. */
struct spool_lack {
	_Atomic uint64_t ended_ns; /* lives of those that ended, less the time, modulo 2^64, that
				    * any thread had the counter before it lost it */
	_Atomic uint32_t threads;  /* W: like its neighbours, any thread */
	_Atomic uint32_t why; /* errno of the first of them, perhaps with SPOOL_LACK_FILTERED */
};
#define SPOOL_LACK_FILTERED 0x10000u /* a seccomp filter refused it */

/* What happened in one thread or in the process, good or bad.  All are 64-bit and only grow.
 * X(identifier, index among the counts, text in the report) */
#define SPOOL_COUNTS(X)                                                                   \
	X(SAMPLES, 0, "samples")                                                          \
	X(SIGNALS, 1, "overflow signals")                                                 \
	X(KERNEL_SAMPLES, 2, "samples taken in the kernel")                               \
	X(COMPLETE, 3, "stacks that reach the outermost frame")                           \
	X(GUESSED, 4, "stacks with a frame guessed: code without unwind information")     \
	X(TRUNCATED_DEPTH, 5, "stacks cut at the depth limit")                            \
	X(TRUNCATED_NO_RULE, 6, "stacks that end in code without unwind information")     \
	X(TRUNCATED_BOUNDS, 7, "stacks that leave the thread's stack")                    \
	X(TRUNCATED_BUSY, 8, "stacks cut because the unwinder was busy")                  \
	X(TRUNCATED_FAILED, 9, "stacks cut by an unwind rule that could not be followed") \
	X(LEAF_ONLY, 10,                                                                  \
	  "samples without a stack: over the handler's budget, come too late, or shared") \
	X(LOST_RING, 11, "samples lost in a full ring")                                   \
	X(LOST_REENTERED, 12, "signals that arrived inside our handler")                  \
	X(LOST_STACK, 13, "samples skipped for want of stack")                            \
	X(LOST_FULL, 14, "samples not stored at all: the spool was full")                 \
	X(OVERFLOW_NODES, 15, "samples in [overflow]: the spool was full")                \
	X(LOST_FOREIGN, 16, "overflow signals of a thread or process that is not ours")   \
	X(DEFERRED, 17, "samples delivered late because the target blocked the signal")   \
	X(THROTTLED, 18, "times the kernel throttled the counter")                        \
	X(STOPPED, 19, "times a counter stopped itself after the samples of its refresh") \
	X(MALFORMED, 20, "records of the kernel that could not be read")                  \
	X(MISSES, 21, "unwind rules asked of libunwind")                                  \
	X(BACKOFFS, 22, "times the handler slowed itself down")                           \
	X(REOPENED, 23, "times a counter was opened anew with twice the period")          \
	X(HANDLER_NS, 24, "nanoseconds in the handler")                                   \
	X(ATTACH_FAILED, 25, "threads whose counters could not be opened")                \
	X(DEGRADED, 26, "threads sampled by a timer: their counters could not be opened") \
	X(COARSE, 27, "threads without a clock for a while: they switch or start often")  \
	X(THREADS_ENDED, 28, "threads that ended and were merged")                        \
	X(CPU_NS, 29, "nanoseconds of CPU time of ended threads")                         \
	X(INTERP_MERGED, 30, "stacks with the functions of an interpreter")               \
	X(INTERP_PENDING, 31, "of these, stacks with a call or return in progress")       \
	X(INTERP_NO_STATE, 32, "stacks of an interpreter without a state of the thread")  \
	X(INTERP_UNMERGED, 33, "stacks of an interpreter that could not be merged")       \
	X(LOG_THINNED, 34, "samples joined with others in the timeline, to save space")   \
	X(LOG_DROPPED, 35, "samples not in the timeline: it was full")                    \
	X(LABELS_FULL, 36, "samples without their labels: the spool was full")

#define SPOOL_COUNT_ENUM(id, place, text) SPOOL_COUNT_##id = (place),
enum spool_count { SPOOL_COUNTS(SPOOL_COUNT_ENUM) };
#define SPOOL_COUNTS_NUMBER 37

/*
 * One node of a calling-context tree: frame `pc`, called from the frame of `parent`.  `pc` is the
 * address to look up: the exact address for a leaf or a frame interrupted by a signal, the return
 * address minus one for a caller.  Weights are *self* weights: they count the samples whose stack
 * ends at this node.  header.counter_count weights follow the struct.
 */
struct spool_weight {
	_Atomic uint64_t samples; /* W: the thread's handler, or the merge at its end.  R: anyone */
	_Atomic uint64_t events;  /* W, R: as above; in the counter's unit, scaled */
};

struct spool_node {
	uint64_t pc; /* absolute, at its object's first load address; kernel addresses as the kernel
				gave them; or SPOOL_PC_* */
	uint32_t parent;     /* an earlier node of the same list; 0: the node is outermost */
	uint32_t generation; /* see struct spool_module */
	struct spool_weight weight[];
};

/* Leaves below the function that caused them.  No code address has these bits alone. */
#define SPOOL_PC_DATA	     0x2000000000000000ULL /* plus the data address of a watchpoint */
#define SPOOL_PC_MEMORY	     0x4000000000000000ULL /* plus bits of union perf_mem_data_src */
#define SPOOL_PC_MEMORY_BITS 0x7ffffULL		   /* the operation, and the level that served it */
#define SPOOL_PC_REGION	     0x6000000000000000ULL /* plus enum spool_region, the target of a fault */
#define SPOOL_PC_FILE	     0x6000000000001000ULL /* from here on: a file, which has its own module */
#define SPOOL_PC_LIBRARY     0x6800000000000000ULL /* plus the start of the module it hit */
#define SPOOL_PC_REGION_END  0x7000000000000000ULL
/* A frame of an interpreted function: format_code.h. */
#define SPOOL_PC_CODE	  0x7000000000000000ULL
#define SPOOL_PC_CODE_END 0x7100000000000000ULL

enum spool_region {
	SPOOL_REGION_UNKNOWN = 1,
	SPOOL_REGION_STACK = 2,
	SPOOL_REGION_HEAP = 3, /* brk(2) */
	SPOOL_REGION_ANONYMOUS = 4,
	SPOOL_REGION_FILE = 5, /* a file beyond the number that has modules */
};

/* True totals of one counter of one thread.  They are taken at the end of the thread if user
 * code can read the counter, else from its last record. */
struct spool_total {
	_Atomic uint64_t value;
	_Atomic uint64_t enabled_ns;
	_Atomic uint64_t running_ns;
	_Atomic uint64_t lost;	  /* samples, as the kernel counted them */
	_Atomic uint64_t dropped; /* events of samples in no stack: the spool was full */
	_Atomic uint64_t paused;  /* events of samples outside FLAMETRAP_START and _STOP */
};

enum spool_thread_state {
	SPOOL_THREAD_FREE = 0,	/* the slot may be reused; its content has no meaning */
	SPOOL_THREAD_LIVE = 1,	/* one running thread */
	SPOOL_THREAD_ENDED = 2, /* the merged ended threads of one name; tid is that of the only
				   one, or 0 (FLAMETRAP_THREADS=id: one thread per slot) */
};

/* One thread, or the sum of the ended threads of one name. */
struct spool_thread {
	_Atomic uint32_t state;	      /* enum spool_thread_state.  W: attach and end.  R: anyone */
	_Atomic uint32_t tid;	      /* as seen in the target's pid namespace */
	_Atomic uint64_t name[2];     /* comm, 16 bytes, NUL-padded.  W: attach, handler, end */
	_Atomic uint64_t first_chunk; /* offset of the first SPOOL_CHUNK_NODES; 0: none yet */
	_Atomic uint64_t start_ns;    /* CLOCK_MONOTONIC */
	_Atomic uint64_t end_ns;      /* 0 while it runs */
	_Atomic uint64_t count[SPOOL_COUNTS_NUMBER];
	struct spool_total total[SPOOL_COUNTERS_MAX];
	_Atomic uint64_t first_log;   /* offset of the first SPOOL_CHUNK_LOG; 0: none */
	_Atomic uint64_t log_changes; /* how often chunks were taken out of the log.  A reader that
				       * finds another number afterwards reads the log again */
	/* With a counter that samples every switch (SPOOL_COUNTER_OFF_CPU): a moment at which
	 * the thread was on the processor, and its CPU time then.  The thread used any further
	 * CPU time before it left the processor.  So a reader that finds the thread waiting can
	 * compute since when.  W: attach, handler; seen_ns last.  R: anyone; 0: not known, or
	 * being written */
	_Atomic uint64_t seen_ns;     /* CLOCK_MONOTONIC */
	_Atomic uint64_t seen_cpu_ns; /* CLOCK_THREAD_CPUTIME_ID */
	_Atomic uint64_t lacks;	      /* bit n: counter n could not be opened: see spool_lack */
};

/* The file that an object was mapped from, as stat(2) had it then.  A file without a build-id is
 * recognised by it.  All zeroes: not known. */
struct spool_mapped {
	uint64_t device; /* st_dev */
	uint64_t inode;	 /* 0: of these, only `head` is known */
	uint64_t bytes;	 /* SPOOL_MAPPED_OTHER: the path led to another file than the mapped one */
	uint64_t changed_ns; /* st_ctim, which no change of a file's content leaves as it was */
	uint64_t head;	     /* file_head.h: of the mapped first page; 0: not known */
};
#define SPOOL_MAPPED_OTHER UINT64_MAX

/*
 * One loaded object.  A node {pc, generation g} lies in the module with start <= pc < end and until
 * > g; of several, in the one with the smallest `since`.  Generations count replacements: an object
 * that is loaded at the addresses of an unloaded one.  `since` is the number of replacements before
 * the object was found; `until` is the number of the object that replaced it.
 */
struct spool_module {
	uint64_t start; /* first mapped address */
	uint64_t end;	/* one past the last */
	uint64_t bias;	/* difference between addresses in memory and in the ELF file */
	uint32_t since;
	_Atomic uint32_t until; /* SPOOL_UNTIL_FOREVER while loaded.  W: dlclose */
	uint32_t flags;		/* SPOOL_MODULE_* */
	uint32_t build_id_bytes;
	uint8_t build_id[SPOOL_BUILD_ID_MAX];
	struct spool_mapped file;  /* known if there is no build-id */
	char path[SPOOL_PATH_MAX]; /* NUL-terminated absolute path, or "[vdso]" */
};
#define SPOOL_MODULE_EXECUTABLE 1u  /* the program itself */
#define SPOOL_MODULE_OURS	2u  /* libflametrap.so: its frames are not the target's */
#define SPOOL_MODULE_PATH_CUT	4u  /* the path was longer than SPOOL_PATH_MAX */
#define SPOOL_MODULE_FILE	16u /* a mapped file that faults hit; `start` is their pc */
#define SPOOL_MODULE_KERNEL	8u  /* kernel code created during the run (BPF): path is its name */
/* A function of the object around it, whose file was gone or replaced when the object was last
 * seen: path is its symbol, cut to what fits.  Only functions that have samples are there. */
#define SPOOL_MODULE_FUNCTION 32u

enum spool_chunk_kind {
	SPOOL_CHUNK_FREE = 0,
	SPOOL_CHUNK_THREADS = 1,
	SPOOL_CHUNK_MODULES = 2,
	SPOOL_CHUNK_NODES = 3,
	SPOOL_CHUNK_CODES = 4,
	SPOOL_CHUNK_TEXTS = 5,
	SPOOL_CHUNK_LOG = 6, /* of a thread, or the marks of the process */
	SPOOL_CHUNK_LABELS = 7,
};

struct spool_chunk {
	_Atomic uint32_t kind;	/* enum spool_chunk_kind */
	_Atomic uint32_t count; /* entries published.  W: owner (release).  R: anyone (acquire) */
	_Atomic uint64_t next;	/* offset of the next chunk of the list; 0 at its end */
	uint64_t number;  /* index in its list, from 0; LOG: how often its samples were joined with
			   * others.  W: before it is linked.  R: the writer, of LOG anyone */
	uint64_t base_ns; /* LOG: CLOCK_MONOTONIC, to which the times of its entries are relative */
	uint64_t reserved[4]; /* entries start 64 bytes into the chunk */
};
#define SPOOL_CHUNK_HEAD 64

/* At offset 0.  Everything but the atomics is written before the spool is published. */
struct spool_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes; /* sizeof(struct spool_header) */
	uint32_t thread_bytes; /* sizeof(struct spool_thread) */
	uint32_t module_bytes; /* sizeof(struct spool_module) */
	uint32_t node_bytes;   /* of a node with its weights; a multiple of SPOOL_NODE_UNIT */
	uint32_t counter_count;
	uint64_t size_bytes;	       /* of the mapping and the file */
	_Atomic uint64_t used_bytes;   /* chunks lie below.  W: spool_alloc_take */
	_Atomic uint64_t first_thread; /* offset of the first SPOOL_CHUNK_THREADS */
	_Atomic uint64_t first_module; /* offset of the first SPOOL_CHUNK_MODULES */
	_Atomic uint32_t state;	       /* enum spool_state */
	uint32_t engine;	       /* enum spool_engine */
	uint32_t pid;		       /* in the target's pid namespace */
	uint32_t parent_pid;
	uint32_t uid;
	uint32_t weight;      /* enum settings_weight, like the next two: see spool_settings.h */
	uint32_t threads;     /* enum settings_threads */
	uint32_t formats;     /* SETTINGS_FORMAT_* */
	uint32_t inlined;     /* 1: the profile shows frames of inlined functions */
	uint32_t lines;	      /* 1: the profile shows files and lines of frames */
	uint32_t wall;	      /* 1: a further graph shows time on and off the processor */
	uint32_t takes_ended; /* 1: the writer of this profile also writes its children's spools */
	uint64_t start_ticks; /* field 22 of /proc/PID/stat: tells a pid from a reused one */
	uint64_t start_realtime_ns; /* CLOCK_REALTIME when the spool was made */
	uint64_t start_ns;	    /* CLOCK_MONOTONIC, at the same moment */
	_Atomic uint64_t end_ns;    /* 0 while running */
	_Atomic uint64_t cpu_ns;    /* CPU time of the process since start_ns; 0 while running */
	_Atomic uint64_t count[SPOOL_COUNTS_NUMBER]; /* counts that belong to no thread */
	struct spool_counter counter[SPOOL_COUNTERS_MAX];
	char note[256];	  /* why this engine was chosen; empty if it is the one asked for */
	char command[16]; /* comm of the process */
	char host[SPOOL_NAME_MAX + 1];
	char executable[SPOOL_TEXT_MAX]; /* absolute path */
	char arguments[SPOOL_TEXT_MAX];	 /* as in /proc/PID/cmdline: each ends in NUL; may be cut */
	char output[SPOOL_TEXT_MAX];	 /* absolute stem of the output files, % resolved */
	char directory[SPOOL_TEXT_MAX];	 /* working directory when the program started */
	/* Samples from window_from_ns up to but not including window_to_ns are kept;
	 * CLOCK_MONOTONIC.  FLAMETRAP_START and _STOP set them; both UINT64_MAX: paused.  Only
	 * spool_window.h writes them. */
	_Atomic uint64_t window_from_ns;
	_Atomic uint64_t window_to_ns;
	uint64_t stop_after_ns;	     /* FLAMETRAP_STOP: length of a window that opens later, or 0 */
	_Atomic uint64_t first_code; /* offset of the first SPOOL_CHUNK_CODES; 0: none yet */
	_Atomic uint64_t first_text; /* offset of the first SPOOL_CHUNK_TEXTS; 0: none yet */
	uint32_t interp;	     /* enum settings_interp */
	uint32_t run;		     /* tells one run of the command from another; 0: not known */
	_Atomic uint64_t first_mark; /* offset of the first SPOOL_CHUNK_LOG of the process's
					marks; 0: none yet */
	_Atomic uint64_t first_label; /* offset of the first SPOOL_CHUNK_LABELS; 0: none yet */
	uint64_t timeline_bytes;      /* what all logs may take; 0: there is no timeline */
	struct spool_lack lack[SPOOL_COUNTERS_MAX]; /* of each counter */
	/* stat(2) of /tmp/perf-PID.map as the process saw it at its end, if samples met code of no
	 * file.  Inode 0: it did not look; SPOOL_MAP_NONE: there was none. */
	uint64_t map_device;
	uint64_t map_inode;
	/* CPU time that the process had used at start_ns, since its fork: what it did before exec,
	 * earlier images that have spools of their own, and the loader of this one. */
	uint64_t before_ns;
};
#define SPOOL_MAP_NONE UINT64_MAX

/*
 * Behind the header, in its chunks: files of the profile that were complete and about to get their
 * final names.  If their writer is killed, the next one recognises them by this list and writes
 * none twice.  W: the writer, under the spool's lock (flock(2)).
 */
struct spool_written {
	uint64_t device;
	uint64_t inode; /* 0: no file */
	uint64_t bytes;
	uint64_t mtime_ns;
};
#define SPOOL_WRITTEN_OFFSET 28672
#define SPOOL_WRITTEN_MAX    128

#endif
