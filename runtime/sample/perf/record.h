/*
 * Parses one record of the kernel's ring: perf_event_open(2), "MMAP layout".  The parser is pure:
 * it reads `size` bytes at `bytes` and nothing else.  It leaves unknown types alone.  A record that
 * is shorter than its fields require is malformed.  All pointers of a record lead into `bytes`.
 * Fields that a record of its kind does not have are 0 or NULL.
 */
#ifndef RUNTIME_SAMPLE_PERF_RECORD_H
#define RUNTIME_SAMPLE_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/events/events.h"

#define RECORD_BUILD_ID_MAX 20

/* What the counter was told to write.  It decides which fields a record has. */
struct record_format {
	uint64_t sample_type; /* PERF_SAMPLE_* */
	uint64_t read_format; /* PERF_FORMAT_* */
	bool trailer;	      /* sample_id_all: records other than samples end with their time */
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	uint64_t regs_user;   /* mask of registers */
	uint64_t regs_intr;
};

enum record_kind {
	RECORD_OTHER, /* this version does not know the type */
	RECORD_SAMPLE,
	RECORD_LOST, /* the ring had no room for `lost` records */
	RECORD_THROTTLED,
	RECORD_COMM,
	RECORD_SWITCHED_OUT, /* the thread left the processor at time_ns … */
	RECORD_SWITCHED_IN,  /* … and came back */
	RECORD_MALFORMED,
	RECORD_UNTHROTTLED,
	RECORD_MAPPED,	/* `mapping` is new */
	RECORD_STARTED, /* a thread or process: pid, tid, parent_pid, parent_tid */
	RECORD_ENDED,	/* a thread or process: the same fields */
	RECORD_READ,	/* counts of an ended thread */
	RECORD_AUX,	/* `area` of the AUX buffer was written */
	RECORD_TRACED,	/* an instruction trace of pid, tid has started */
	RECORD_NAMESPACES,
	RECORD_KERNEL_SYMBOL,
	RECORD_BPF,
	RECORD_CGROUP, /* `text` is the path of cgroup `id` */
	RECORD_POKED,  /* kernel text changed, at `symbol` */
	RECORD_AUX_ID, /* `id` of the hardware that writes the AUX buffer */
	RECORD_KINDS,
};

/* Values of the counters of one group, leader first, or of one counter. */
struct record_counts {
	unsigned count;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t value[EVENTS_MAX];
	uint64_t lost[EVENTS_MAX];
};

/* PERF_RECORD_MMAP and _MMAP2; `text` is the name of the file. */
struct record_mapping {
	uint64_t start;
	uint64_t bytes;
	uint64_t offset; /* in the file */
	bool data;	 /* not code */
	bool has_inode;
	bool has_build_id;
	uint32_t major;
	uint32_t minor;
	uint64_t inode;
	uint64_t inode_generation;
	unsigned build_id_bytes;
	const uint8_t *build_id;
	uint32_t protection; /* PROT_* */
	uint32_t flags;	     /* MAP_* */
};

/* PERF_RECORD_KSYMBOL, with its name in `text`; and _TEXT_POKE, with the old and the new bytes. */
struct record_symbol {
	uint64_t start;
	uint32_t bytes;
	uint16_t type; /* PERF_RECORD_KSYMBOL_TYPE_* */
	bool removed;
	uint16_t old_bytes;
	uint16_t new_bytes;
	const uint8_t *code; /* the old bytes, then the new */
};

struct record_bpf {
	uint16_t type; /* PERF_BPF_EVENT_* */
	uint16_t flags;
	uint32_t program;
	const uint8_t *tag; /* 8 bytes */
};

/* PERF_RECORD_AUX */
struct record_area {
	uint64_t offset;
	uint64_t bytes;
	uint64_t flags; /* PERF_AUX_FLAG_* */
};

/* A part of a sample that is not parsed further. */
struct record_words {
	const uint64_t *word;
	unsigned count;
};

struct record_bytes {
	const uint8_t *byte;
	uint64_t count;
};

struct record {
	enum record_kind kind;
	bool in_kernel; /* the overflow was taken in the kernel */
	bool preempted; /* the thread was still runnable when it was switched out */
	bool exact;	/* ip is the address of the instruction that caused the overflow */
	bool executed;	/* the new name of RECORD_COMM comes from exec */
	uint32_t pid;
	uint32_t tid;
	uint32_t parent_pid; /* of a switch: the previous or the next thread */
	uint32_t parent_tid;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t id;
	uint64_t stream_id;
	uint64_t ip;
	uint64_t address; /* of the data */
	uint64_t period;
	const uint64_t *chain; /* kernel frames, leaf first */
	unsigned chain_depth;
	struct record_bytes raw;
	struct record_words branches; /* from, to, flags of each */
	uint64_t branch_index;	      /* PERF_SAMPLE_BRANCH_HW_INDEX */
	uint64_t regs_user_abi;
	struct record_words regs_user;
	struct record_bytes stack; /* the copied part of the stack */
	uint64_t weight;
	uint64_t data_source; /* union perf_mem_data_src */
	uint64_t transaction;
	uint64_t regs_intr_abi;
	struct record_words regs_intr;
	uint64_t physical_address;
	uint64_t cgroup;
	uint64_t data_page_bytes;
	uint64_t code_page_bytes;
	struct record_bytes aux;
	uint64_t lost;
	const char *comm;		/* RECORD_COMM, NUL-terminated */
	const char *text;		/* NUL-terminated; see the kinds */
	struct record_words namespaces; /* device and inode of each */
	union {
		struct record_mapping mapping;
		struct record_symbol symbol;
		struct record_bpf bpf;
		struct record_area area;
	};
	struct record_counts counts; /* last: its arrays are not cleared */
};

/* Parses one whole record.  `bytes` is 8-aligned; `size` is header.size.  Context: signal. */
void record_parse(const struct record_format *format, const void *bytes, size_t size,
		  struct record *record);

#endif
