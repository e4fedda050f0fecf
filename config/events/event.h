/*
 * A counter as the user asked for it, and the list of counters.  The parsers of the event string
 * fill it (grammar.h); events_attr() and the runtime read it.
 */
#ifndef CONFIG_EVENTS_EVENT_H
#define CONFIG_EVENTS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define EVENTS_MAX	   16
#define EVENTS_NAME_MAX	   64
#define EVENTS_SYMBOL_MAX  256
#define EVENTS_PATH_MAX	   256
#define EVENTS_SCALE_MAX   40
#define EVENTS_MEASURE_MAX 16

enum events_unit {
	EVENTS_UNIT_COUNT = 0,
	EVENTS_UNIT_NS = 1,
};

struct event {
	char name[EVENTS_NAME_MAX]; /* as written with its modifiers: "task-clock", "cycles:u" */
	uint32_t type;		    /* PERF_TYPE_* */
	enum events_unit unit;
	uint64_t config;
	unsigned leader;	/* index of its group's leader; its own index if it leads */
	bool user_only;		/* :u */
	bool kernel_only;	/* :k */
	bool off_cpu;		/* context switches, weighted by the time until its return */
	uint64_t period;	/* 0: the general setting applies */
	uint64_t frequency_hz;	/* 0: the general setting applies */
	uint32_t refresh;	/* overflows after which the counter stops itself; 0: never */
	uint32_t wakeup_events; /* samples that share one signal; 0: each has its own */
	bool has_clock;		/* records are stamped by clockid; otherwise by CLOCK_MONOTONIC */
	int32_t clockid;

	/* The value of one count, as sysfs gives it for a PMU's named event: "3.2e-6" of "MiB".
	 * Empty: unknown. */
	char scale[EVENTS_SCALE_MAX];
	char measure[EVENTS_MEASURE_MAX];

	/* Other fields of perf_event_attr(2) that terms and modifiers set.  0: not set. */
	uint64_t config1;
	uint64_t config2;
	unsigned precise;  /* precise_ip: p 1, pp 2, ppp 3 */
	bool precise_most; /* P: the highest precise_ip that opens */
	bool pinned;	   /* D */
	bool exclusive;	   /* e */
	bool weak;	   /* W: a group that does not open is split into single events */
	bool exclude_hv;
	bool exclude_idle;
	bool exclude_host;
	bool exclude_guest;
	bool exclude_callchain_kernel;
	uint16_t sample_max_stack;

	/* PERF_TYPE_BREAKPOINT: at bp_addr, or bp_addr bytes after `symbol`. */
	uint32_t bp_type; /* HW_BREAKPOINT_R, _W, _X */
	uint64_t bp_addr;
	uint64_t bp_len;

	/* A place whose address is only known in the process: events_attr() leaves it out, and
	 * the runtime fills it in (plan/symbol_target.c).  Empty: nothing to look up. */
	char symbol[EVENTS_SYMBOL_MAX]; /* of mem:SYMBOL, uprobe:PATH:SYMBOL, kprobe:SYMBOL */
	char path[EVENTS_PATH_MAX];	/* of uprobe:PATH: the probed file */
	bool anywhere;			/* uprobe:SYMBOL: in the first loaded object that has it */
	uint64_t probe_offset; /* uprobe, kprobe: offset in bytes from the symbol, or in the file */
};

struct events {
	unsigned count;
	bool defaulted; /* chosen by default: the runtime takes task-clock if cycles does not
			 * open */
	struct event event[EVENTS_MAX];
};

#endif
