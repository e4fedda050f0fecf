/* The whole event grammar of perf, on a made-up machine: kinds, terms, modifiers, refusals; and
 * each example of an event in the manual pages perf-list(1) and perf-record(1), which is
 * understood, or refused with a true reason. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "config/events/lookup.h"
#include "tests/support/event_text.h"
#include "tests/support/sysfs_made_up.h"

UNIT(begin)
{
	sysfs_made_up_usual();
	return 0;
}

TEST(caches_are_named_as_perf_names_them)
{
	static const struct {
		const char *name;
		uint64_t config;
	} caches[] = {
		{ "L1-dcache-loads", 0x00000 },	    { "L1-dcache-load-misses", 0x10000 },
		{ "L1-dcache-stores", 0x00100 },    { "L1-icache-load-misses", 0x10001 },
		{ "LLC-prefetch-misses", 0x10202 }, { "dTLB-store-misses", 0x10103 },
		{ "iTLB-load-misses", 0x10004 },    { "branch-loads", 0x00005 },
		{ "branch-load-misses", 0x10005 },  { "node-prefetches", 0x00206 },
	};

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		const struct event *event = reads(caches[i].name);

		assert_int_equal(event->type, PERF_TYPE_HW_CACHE);
		assert_int_equal(event->config, caches[i].config);
		assert_string_equal(event->name, caches[i].name);
	}
	refuses("L1-icache-stores", 0,
		"'L1-icache-stores' at 1: that cache has no such operation (perf-list(1))");
	assert_int_equal(reads("branch-misses")->type, PERF_TYPE_HARDWARE);
}

TEST(raw_numbers_are_hexadecimal_and_tracepoints_have_an_id)
{
	/* raw numbers are hexadecimal */
	assert_int_equal(reads("r1a8:u")->config, 0x1a8);
	assert_int_equal(events.event[0].type, PERF_TYPE_RAW);
	assert_true(events.event[0].user_only);
	assert_int_equal(reads("rFFFFFFFFFFFFFFFF")->config, UINT64_MAX);
	assert_int_equal(reads("ref-cycles")->type, PERF_TYPE_HARDWARE);
	/* tracepoints have an id */
	assert_int_equal(reads("sched:sched_switch/period=3/")->config, 314);
	assert_int_equal(events.event[0].type, PERF_TYPE_TRACEPOINT);
	assert_string_equal(events.event[0].name, "sched:sched_switch");
	refuses("sched:sched_swich", 6,
		"'sched_swich' at 7 is not a known tracepoint, nearest: sched_switch");
}

TEST(breakpoints_have_a_place_a_length_and_an_access)
{
	const struct event *event = reads("mem:0x1000/8:w:u");

	assert_int_equal(event->type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(event->bp_addr, 0x1000);
	assert_int_equal(event->bp_len, 8);
	assert_int_equal(event->bp_type, HW_BREAKPOINT_W);
	assert_true(event->user_only);
	event = reads("mem:counter+16:rw");
	assert_string_equal(event->symbol, "counter");
	assert_int_equal(event->bp_addr, 16);
	assert_int_equal(event->bp_len, 4); /* perf's default */
	event = reads("mem:ns::thing/1/period=5/");
	assert_string_equal(event->symbol, "ns::thing");
	assert_int_equal(event->period, 5);
	assert_int_equal(event->bp_type, HW_BREAKPOINT_RW);
	event = reads("mem:main:x");
	assert_int_equal(event->bp_type, HW_BREAKPOINT_X);
	assert_int_equal(event->bp_len, sizeof(long));
	refuses("mem:main/3:w", 9, "'3' at 10 bytes cannot be watched, accepted: 1, 2, 4 or 8");
	refuses("mem:main:rx", 9, "'rx' at 10: x (execution) cannot be combined with r or w");
	refuses("mem:0x1001/4:w", 4,
		"'0x1001/4:w' at 5: the address must be a multiple of the length");
	refuses("mem:", 4, "it ends at 4 without a symbol or address");
}

TEST(probes_are_looked_up_later_but_for_their_type)
{
	const struct event *event = reads("uprobe:/lib/libc.so.6:malloc+4/ret/");

	assert_int_equal(event->type, 9);
	assert_string_equal(event->path, "/lib/libc.so.6");
	assert_string_equal(event->symbol, "malloc");
	assert_int_equal(event->probe_offset, 4);
	assert_int_equal(event->config, 1);
	event = reads("uprobe:/bin/x:0x1234");
	assert_int_equal(event->probe_offset, 0x1234);
	assert_string_equal(event->symbol, "");
	assert_int_equal(reads("kretprobe:do_exit")->type, 8);
	refuses("cycles/ret/", 7, "'ret' at 8 is for uprobe: and kprobe: only");
	refuses("uprobe:/bin/x", 13, "it ends at 13 without ':'");
	event = reads("uprobe:deflate+4,task-clock");
	assert_true(event->anywhere);
	assert_string_equal(event->path, "");
	assert_string_equal(event->symbol, "deflate");
	assert_int_equal(event->probe_offset, 4);
	event = reads("uretprobe:zip::stream::read/period=3/");
	assert_true(event->anywhere && (event->config & 1));
	assert_string_equal(event->symbol, "zip::stream::read");
	event = reads("uprobe:libz.so.1:deflate");
	assert_false(event->anywhere);
	assert_string_equal(event->path, "libz.so.1");
	refuses("uprobe:0x1234", 7, "'0x1234' at 8: an offset needs a file, uprobe:PATH:OFFSET");
	lookup_use(NULL);
	refuses("kprobe:do_exit", 0,
		"'kprobe' at 1 cannot be counted here: this kernel has no such PMU in sysfs");
	sysfs_made_up_usual();
}

TEST(terms_of_a_pmu_go_to_the_bits_that_sysfs_says)
{
	const struct event *event = reads("cpu/event=0x1cd,umask=0x2,edge/u");

	assert_int_equal(event->type, 4);
	assert_true(event->config == (0x1000002cdULL | 1 << 18));
	assert_true(event->user_only);
	assert_string_equal(event->name, "cpu/event=0x1cd,umask=0x2,edge/:u");
	event = reads("cpu/mem-loads,name=loads,period=7/");
	assert_true(event->config == 0x1000001cdULL);
	assert_int_equal(event->config1, 3);
	assert_string_equal(event->name, "loads");
	event = reads("cpu/config=5,config1=6,config2=7/");
	assert_int_equal(event->config + event->config1 * 16 + event->config2 * 256, 0x765);
	refuses("cpu/umask=0x100/", 10, "'0x100' at 11 has more bits than the term takes");
	refuses("cpu/umsk=1/", 4,
		"'umsk' at 5 is not a known term or event of this PMU, nearest: umask");
	refuses("cpu/strange/", 4, "'strange' at 5: its description in sysfs is not understood");
	refuses("gpu/event=1/", 0, "'gpu' at 1 is not a known event or PMU, nearest: cpu");
}

TEST(modifiers_say_what_they_say_to_perf)
{
	const struct event *event = reads("cycles:uppp");

	assert_int_equal(event->precise, 3);
	assert_true(event->user_only);
	assert_string_equal(event->name, "cycles:uppp");
	event = reads("{cycles:p,instructions}:DeWSH");
	assert_true(event->pinned && event->exclusive && event->weak && event->exclude_guest);
	assert_int_equal(event->precise, 1);
	assert_int_equal(events.event[1].precise, 0);
	assert_true(reads("cycles:P")->precise_most);
	refuses("cycles:pppp", 10, "a fourth 'p' at 11: there are three levels of precision");
	refuses("cycles:G", 7,
		"modifier 'G' at 8 counts inside virtual machines only, where no process of this "
		"system runs");
	refuses("cycles:b", 7,
		"modifier 'b' at 8 counts with a BPF program, which needs rights over the whole "
		"machine");
}

TEST(attributes_are_settable_as_terms)
{
	struct perf_event_attr attr;

	reads("cycles/precise=2,pinned,exclude_hv,exclude_callchain_kernel,max-stack=40,"
	      "exclude_idle=1,exclusive=0/");
	events_attr(&events.event[0], 0, 999, true, &attr);
	assert_int_equal(attr.precise_ip, 2);
	assert_true(attr.pinned && attr.exclude_hv && attr.exclude_callchain_kernel &&
		    attr.exclude_idle && !attr.exclusive);
	assert_int_equal(attr.sample_max_stack, 40);
	reads("cycles/exclude_kernel/");
	events_attr(&events.event[0], 0, 999, true, &attr);
	assert_true(attr.exclude_kernel && !attr.exclude_user);
	refuses("cycles/precise=4/", 15, "'4' at 16 is not a precision, accepted: 0 to 3");
	refuses("cycles/pinned=2/", 14, "'2' at 15 is not a flag, accepted: 0 or 1");
}

TEST(counters_that_stop_themselves_are_no_clocks)
{
	assert_int_equal(reads("page-faults/refresh=3/")->refresh, 3);
	assert_int_equal(reads("mem:0x1000/8:w/refresh=0x10,period=2/")->refresh, 16);
	assert_int_equal(reads("{faults/refresh=2147483647/,task-clock}")->refresh, INT32_MAX);
	refuses("faults,task-clock/refresh=3/u", 7,
		"'task-clock' at 8 with refresh: a clock that stops itself freezes machines of "
		"Linux 6.16 and 6.17");
	refuses("off-cpu/refresh=3/", 0,
		"'off-cpu' at 1 with refresh: time off the processor needs every switch");
	refuses("faults/refresh=0/", 15,
		"'0' at 16 is not a number of samples from 1 to 2147483647");
	refuses("faults/refresh=2147483648/", 15,
		"'2147483648' at 16 is not a number of samples from 1 to 2147483647");
	refuses("{task-clock,faults/refresh=1/}", 27,
		"refresh for a member: only a group's first event takes samples");
}

TEST(several_samples_share_a_signal)
{
	assert_int_equal(reads("page-faults/wakeup_events=10/")->wakeup_events, 10);
	assert_int_equal(reads("task-clock/wakeup_events=1k,period=5/")->wakeup_events, 1000);
	assert_int_equal(reads("page-faults/wakeup_events=1/")->wakeup_events, 0);
	refuses("faults/wakeup_events=0/", 21,
		"'0' at 22 is not a number of samples from 1 to 1000");
	refuses("faults/wakeup_events=1001/", 21,
		"'1001' at 22 is not a number of samples from 1 to 1000");
	refuses("{task-clock,faults/wakeup_events=2/}", 33,
		"wakeup_events for a member: only a group's first event takes samples");
	refuses("faults/wakeup_events=2,refresh=3/", 0,
		"'faults' at 1 with wakeup_events and refresh: the last signal tells that it "
		"stopped");
	refuses("off-cpu/wakeup_events=2/", 0,
		"'off-cpu' at 1 with wakeup_events: each switch is measured when the thread is "
		"back");
	refuses("faults/wakeup_watermark=4096/", 7,
		"term 'wakeup_watermark' at 8: a watermark has no effect on the kernel's signal; "
		"wakeup_events=N asks for one signal per N samples");
}

TEST(records_are_stamped_by_the_clock_that_is_named)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} rows[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	char text[64];

	assert_false(reads("page-faults")->has_clock);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "page-faults/clockid=%s/", rows[i].name);
		assert_true(reads(text)->has_clock);
		assert_int_equal(reads(text)->clockid, rows[i].clock);
	}
	assert_true(reads("off-cpu/clockid=raw/")->has_clock);
	refuses("faults/clockid=sundial/", 15, "'sundial' at 16 is unknown");
	refuses("{task-clock,faults/clockid=tai/}", 27,
		"a clock for a member: its counts are in the records of the group's first event");
	refuses("off-cpu/clockid=boottime/", 0,
		"'off-cpu' at 1 with this clockid: waiting cannot be measured by a clock that can "
		"be set or runs in a suspended machine");
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

TEST(examples_of_raw_events_and_pmus_are_understood_or_refused)
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

TEST(examples_of_terms_groups_and_probes_are_understood_or_refused)
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
