/*
 * The syntax after -e, besides the names in the table of known events.
 */

#include "runtime/command/options/manual_text.h"

const struct manual_section manual_grammar[] = {
	{ "Other events",
	  "flametrap events lists what there is on this machine. A list of events is separated by "
	  "commas, or -e is given once with all of them.",
	  { { "L1-dcache-load-misses, LLC-stores, dTLB-load-misses, ...",
	      "caches: a cache, an operation, and misses or nothing" },
	    { "rHEX", "a number of the processor's PMU" },
	    { "PMU/TERM=N,.../", "a PMU of /sys/bus/event_source/devices, with the terms it has" },
	    { "SYSTEM:TRACEPOINT", "a tracepoint of the kernel" },
	    { "mem:PLACE/LENGTH:rwx",
	      "accesses to an address or SYMBOL+OFFSET: read, write, execute" },
	    { "uprobe:[PATH:]SYMBOL+OFFSET", "calls of a function of the program or a library" },
	    { "kprobe:SYMBOL+OFFSET", "calls of a function of the kernel" },
	    { "INST_RETIRED.ANY_P, skl::L1D.REPLACEMENT",
	      "names of the processor's manual, where libpfm4 is installed; by the command "
	      "only" } } },
	{ "Groups and modifiers",
	  "A modifier stands behind an event or a group.",
	  { { "{a,b,c}", "counts b and c whenever a counts; a takes the samples" },
	    { ":u", "user side only" },
	    { ":k", "kernel side only" },
	    { ":h", "hypervisor" },
	    { ":H", "not in virtual machines" },
	    { ":p :pp :ppp :P", "ever more precise; P is as precise as possible" },
	    { ":D", "pinned" },
	    { ":e", "exclusive" },
	    { ":W", "a group that does not open falls apart into single events" },
	    { ":S :I", "accepted without effect: flametrap always does this" } } },
	{ "Terms",
	  "Terms stand between slashes behind an event: EVENT/TERM,.../",
	  { { "period=N", "a sample every N events" },
	    { "freq=N", "N samples per second" },
	    { "refresh=N", "stop after N samples of a thread (--notify sigio; not for clocks)" },
	    { "wakeup_events=N",
	      "one signal for N samples of a thread (--notify sigio): the sample that it comes for "
	      "has a stack, the others have their own address and [leaf only]" },
	    { "clockid=CLOCK", "what stamps the records: monotonic or monotonic_raw; for software "
			       "events also realtime, boottime and tai (perf record -k)" },
	    { "name=TEXT", "the name of the counter in files and tables" },
	    { "config=N, config1=N, config2=N, precise=N, pinned, exclusive, exclude_user, "
	      "exclude_kernel, exclude_hv, exclude_idle, exclude_host, exclude_guest, "
	      "exclude_callchain_kernel, max-stack=N",
	      "as in perf_event_open(2)" },
	    { "ret", "of uprobe and kprobe: when the function returns" } } },
	{ 0 },
};
