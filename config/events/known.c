/* Names as perf-list(1) prints them, and exactly the aliases that perf accepts. */
#include "config/events/known.h"

#include <string.h>

#include <linux/perf_event.h>

#ifndef PERF_COUNT_SW_CGROUP_SWITCHES
#define PERF_COUNT_SW_CGROUP_SWITCHES 11 /* headers before 5.13 have no such name */
#endif

#define HARDWARE(text, alias_text, id, help_text)                                            \
	{                                                                                    \
		.name = (text), .alias = (alias_text), .type = PERF_TYPE_HARDWARE,           \
		.config = PERF_COUNT_HW_##id, .unit = EVENTS_UNIT_COUNT, .help = (help_text) \
	}
#define SOFTWARE(text, alias_text, id, unit_id, help_text)                                       \
	{                                                                                        \
		.name = (text), .alias = (alias_text), .type = PERF_TYPE_SOFTWARE,               \
		.config = PERF_COUNT_SW_##id, .unit = EVENTS_UNIT_##unit_id, .help = (help_text) \
	}

const struct known_event known_table[] = {
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES, "processor cycles"),
	HARDWARE("instructions", NULL, INSTRUCTIONS, "retired instructions"),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES, "last-level cache accesses"),
	HARDWARE("cache-misses", NULL, CACHE_MISSES, "last-level cache misses"),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS, "retired branches"),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES, "mispredicted branches"),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES, "bus cycles"),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 "cycles without an instruction to issue"),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
		 "cycles without a unit to issue to"),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES, "cycles at the reference clock"),
	SOFTWARE("task-clock", NULL, TASK_CLOCK, NS, "time the thread ran"),
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK, NS, "time the thread ran, by the CPU's timer"),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS, COUNT, "page faults"),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN, COUNT, "page faults without I/O"),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ, COUNT, "page faults with I/O"),
	SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES, COUNT, "context switches"),
	SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS, COUNT, "moves between CPUs"),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS, COUNT, "repaired unaligned accesses"),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS, COUNT, "emulated instructions"),
	SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES, COUNT, "switches to another cgroup"),
	{ "off-cpu", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, EVENTS_UNIT_NS, true,
	  NULL, "time off the processor: waiting, or preempted" },
	{ "dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, EVENTS_UNIT_COUNT, false,
	  " never counts anything", NULL },
	{ "bpf-output", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, EVENTS_UNIT_COUNT,
	  false, " carries a BPF program's output and counts nothing in a process", NULL },
};
const size_t known_count = sizeof(known_table) / sizeof(known_table[0]);

#define READ	 (1u << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE	 (1u << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1u << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* The operations that perf names: an instruction cache has no writes. */
const struct known_cache known_caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D, READ | WRITE | PREFETCH },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I, READ | PREFETCH },
	{ "LLC", PERF_COUNT_HW_CACHE_LL, READ | WRITE | PREFETCH },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB, READ | WRITE | PREFETCH },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB, READ },
	{ "branch", PERF_COUNT_HW_CACHE_BPU, READ },
	{ "node", PERF_COUNT_HW_CACHE_NODE, READ | WRITE | PREFETCH },
	{ NULL, 0, 0 },
};

#define USE(ending, operation, result)                                     \
	{                                                                  \
		ending,                                                    \
			PERF_COUNT_HW_CACHE_OP_##operation << 8 |          \
				PERF_COUNT_HW_CACHE_RESULT_##result << 16, \
			operation                                          \
	}

const struct known_cache known_cache_uses[] = {
	USE("-loads", READ, ACCESS),
	USE("-load-misses", READ, MISS),
	USE("-stores", WRITE, ACCESS),
	USE("-store-misses", WRITE, MISS),
	USE("-prefetches", PREFETCH, ACCESS),
	USE("-prefetch-misses", PREFETCH, MISS),
	{ NULL, 0, 0 },
};

static bool is(const char *known, const char *name, size_t length)
{
	return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

const struct known_event *known_find(const char *name, size_t length)
{
	for (size_t i = 0; i < known_count; i++) {
		if (is(known_table[i].name, name, length) || is(known_table[i].alias, name, length))
			return &known_table[i];
	}
	return NULL;
}

size_t known_spellings(void)
{
	size_t count = known_count;

	for (size_t i = 0; i < known_count; i++)
		count += known_table[i].alias ? 1 : 0;
	return count;
}

const char *known_spelling(size_t i, const void *context)
{
	(void)context;
	if (i < known_count)
		return known_table[i].name;
	i -= known_count;
	for (size_t row = 0; row < known_count; row++) {
		if (known_table[row].alias && i-- == 0)
			return known_table[row].alias;
	}
	return "";
}

bool known_is_clock(uint32_t type, uint64_t config)
{
	return type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

bool known_in_kernel(uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_TRACEPOINT)
		return true;
	return type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		config == PERF_COUNT_SW_CPU_MIGRATIONS || config == PERF_COUNT_SW_CGROUP_SWITCHES);
}
