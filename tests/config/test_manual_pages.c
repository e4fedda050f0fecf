/* Each example of an event in the manual pages perf-list(1) and perf-record(1), on a made-up
 * machine that has the named devices.  It is understood, or refused with a true reason. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "tests/support/event_text.h"
#include "tests/support/sysfs_made_up.h"

UNIT(begin)
{
	sysfs_made_up_usual();
	return 0;
}

static void understood(const char *text, uint32_t type, uint64_t config, const char *name)
{
	const struct event *event = reads(text);

	if (event->type != type || event->config != config)
		fail_msg("%s: type %u config %#lx", text, event->type,
			 (unsigned long)event->config);
	assert_string_equal(event->name, name);
}

static void refused(const char *text, const char *reason)
{
	struct complaint complaint = { 0 };

	if (!events_parse(&events, text, &complaint))
		fail_msg("%s is accepted", text);
	if (!strstr(complaint.reason, reason))
		fail_msg("%s: %s", text, complaint.reason);
}

TEST(its_examples_are_understood_or_refused)
{
	/* raw events */
	understood("r1a8", PERF_TYPE_RAW, 0x1a8, "r1a8");
	understood("r0C1:p", PERF_TYPE_RAW, 0xc1, "r0C1:p");
	understood("r076:p", PERF_TYPE_RAW, 0x76, "r076:p");
	understood("r20c0:ppp", PERF_TYPE_RAW, 0x20c0, "r20c0:ppp");
	understood("r20000038f", PERF_TYPE_RAW, 0x20000038f, "r20000038f");
	understood("cpu/r1a8/", 4, 0x1a8, "cpu/r1a8/");
	understood("cpu/r0x1a8/", 4, 0x1a8, "cpu/r0x1a8/");
	understood("cpu/r20000038f/", 4, 0x20000038f, "cpu/r20000038f/");
	understood("cpu/r0x20000038f/", 4, 0x20000038f, "cpu/r0x20000038f/");
	/* events of pmus */
	understood("cpu/event=0xa8,umask=0x1,name=LSD.UOPS_CYCLES,cmask=0x1/", 4, 0x10001a8,
		   "LSD.UOPS_CYCLES");
	understood("cpu/event=0xa8,umask=0x1,cmask=0x1,name=\\'LSD.UOPS_CYCLES:cmask=0x1\\'/", 4,
		   0x10001a8, "LSD.UOPS_CYCLES:cmask=0x1");
	understood("cpu/event=0,name='a, b/c'/", 4, 0, "a, b/c");
	understood("cpu/config=1,config1=2,config2=3/", 4, 1, "cpu/config=1,config1=2,config2=3/");
	understood("cpu/config=017/", 4, 017, "cpu/config=017/");
	understood("cpu/config=0xffffffffffffffff/", 4, UINT64_MAX,
		   "cpu/config=0xffffffffffffffff/");
	understood("cpu/event=0x0,umask=0x3/ukp", 4, 0x300, "cpu/event=0x0,umask=0x3/:ukp");
	understood("cpu/mem-loads,ldlat=30/P", 4, 0x1000001cd, "cpu/mem-loads,ldlat=30/:P");
	understood("cpu/event=60,edge/", 4, 0x4003c, "cpu/event=60,edge/");
	understood("uncore_imc_0/cas_count_read/,uncore_imc_0/cas_count_write/", 12, 4,
		   "uncore_imc_0/cas_count_read/");
	understood("power/energy-cores/", 10, 1, "power/energy-cores/");
	understood("hv_gpci/phys_processor_idx=0x2/", 20, 0, "hv_gpci/phys_processor_idx=0x2/");
	assert_int_equal(events.event[0].config1, 2);
	refused("hv_gpci/dtbp_ptitc,phys_processor_idx=0x2/",
		"its description in sysfs is not understood"); /* =?, of whole machines */
	refused("imc/cas_count_read/", "'imc' at 1 is not a known event or PMU");
	refused("*imc*/cas_count_read/", "a pattern names PMUs of whole sockets");
	refused("cpu/event=0,umask=0x3,percore=1/", "every thread has counters of its own");
	refused("cpu/@cfg1/", "a driver's parameters are for AUX tracing");
}

TEST(examples_of_terms_and_groups_are_too)
{
	/* terms of records */
	understood("cycles/period=100000/", PERF_TYPE_HARDWARE, 0, "cycles");
	understood("cycles/freq=4000/u", PERF_TYPE_HARDWARE, 0, "cycles:u");
	understood("cycles/time=1/", PERF_TYPE_HARDWARE, 0, "cycles");
	refused("cycles/time=0/", "term 'time' at 8: every record has its time");
	refused("cycles/call-graph=dwarf/", "every sample has its whole stack");
	refused("cycles/stack-size=8192/", "the stack is walked in place");
	refused("cycles/aux-output/", "means nothing within a process");
	refused("cycles/aux-sample-size=0/", "means nothing within a process");
	refused("cycles/overwrite/", "means nothing within a process");
	refused("cycles/no-inherit/", "every thread has counters of its own");
	refused("cycles/inherit/", "every thread has counters of its own");
	refused("cycles/max-stack=70000/", "more than the kernel keeps");
	/* groups probes and the rest */
	understood("{instructions,cycles}", PERF_TYPE_HARDWARE, 1, "instructions");
	understood("{cycles,instructions}:S", PERF_TYPE_HARDWARE, 0, "cycles:S");
	understood("cpu-cycles:p", PERF_TYPE_HARDWARE, 0, "cpu-cycles:p");
	understood("mem:0x1000", PERF_TYPE_BREAKPOINT, 0, "mem:0x1000");
	understood("mem:0x1000:rw", PERF_TYPE_BREAKPOINT, 0, "mem:0x1000:rw");
	assert_int_equal(events.event[0].bp_type, HW_BREAKPOINT_RW);
	understood("\\mem:0x1000/8:w", PERF_TYPE_BREAKPOINT, 0, "mem:0x1000/8:w");
	assert_int_equal(events.event[0].bp_len, 8);
	understood("sched:sched_switch", PERF_TYPE_TRACEPOINT, 314, "sched:sched_switch");
	refused("dummy", "never counts anything");
	refused("bpf-output", "counts nothing in a process");
	refused("sched:*", "a pattern");
	refused("./filter.c", "a BPF program");
	refused("filter.o", "a BPF program");
	refused("sdt_libc:setjmp", "'setjmp' at 10");
}
