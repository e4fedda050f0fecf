/*
 * Settings and events are printed from their tables; texts of verbs are here.
 */
#include "preload/launcher/help.h"

#include <stdio.h>
#include <string.h>

#include "config/table.h"
#include "preload/launcher/say.h"
#include "preload/launcher/verbs.h"

static const char overview[] =
	"flametrap [run] [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"    profile COMMAND and its children; the status is COMMAND's\n"
	"flametrap watch [OPTION...] PLACE [--] COMMAND [ARGUMENT...]\n"
	"    who reads or writes a variable: a profile of the accesses\n"
	"flametrap fold FILE...\n"
	"    folded stacks on standard output, from spools or folded files, merged\n"
	"flametrap graph FILE... [-o OUT.svg]\n"
	"    flame graph of spools or folded files; --color-by A/B: by a ratio of two counters\n"
	"flametrap diff BEFORE AFTER [-o OUT.svg]\n"
	"    what changed between two profiles, as a picture and a table\n"
	"flametrap report FILE...\n"
	"    top functions, losses and overhead as a table\n"
	"flametrap start PID|SPOOL..., flametrap stop PID|SPOOL...\n"
	"    begin and end sampling in processes that run, as after --start paused\n"
	"flametrap recover [DIRECTORY]\n"
	"    list and fold spools whose process has died\n"
	"flametrap events [--all] [PATTERN]\n"
	"    what can be counted here, each tried\n"
	"flametrap doctor\n"
	"    what works here, what is refused, by which setting, what would help\n"
	"flametrap help [settings|events|COMMAND]\n"
	"    settings: every option and its variable; events: names for -e\n"
	"flametrap --version\n";

static const char run_text[] =
	"flametrap [run] [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"\n"
	"Profile COMMAND and its children and write folded stacks and a flame graph.\n"
	"Options end at COMMAND.  Each has a variable of the environment that says the same.\n"
	"Exit status: COMMAND's own; 125 if flametrap fails before it starts; 126 if COMMAND\n"
	"cannot be executed; 127 if it is not found; 128+N if signal N ended it.\n"
	"\n";

static const char grammar_text[] =
	"\n"
	"And: caches (L1-dcache-load-misses, LLC-stores, dTLB-load-misses, ...), rHEX,\n"
	"pmu/TERM=N,.../ as /sys/bus/event_source/devices has them, SYSTEM:TRACEPOINT,\n"
	"mem:ADDRESS_or_SYMBOL+OFFSET/LENGTH:rwx, uprobe:[PATH:]SYMBOL+OFFSET, "
	"kprobe:SYMBOL+OFFSET.\n"
	"With libpfm4 installed, what the processor's manual calls its events: "
	"INST_RETIRED.ANY_P,\n"
	"skl::L1D.REPLACEMENT; by the command only.\n"
	"flametrap events lists what there is on this machine.\n"
	"\n"
	"{a,b,c} counts b and c whenever a does; a takes the samples.  Behind an event or a "
	"group,\n"
	":u user side only   :k kernel side only   :h hypervisor   :H not in virtual machines\n"
	":p :pp :ppp :P ever more precise, P as precise as can be had   :D pinned   :e exclusive\n"
	":W a group that does not open falls apart   :S, :I as is done anyway\n"
	"\n"
	"Terms, EVENT/TERM,.../:\n"
	"period=N      a sample every N events\n"
	"freq=N        N samples per second\n"
	"refresh=N     stop after N samples of a thread (--notify sigio; not for clocks)\n"
	"wakeup_events=N  one signal for N samples of a thread (--notify sigio): the one it\n"
	"              came for has a stack, the others their own address, [leaf only]\n"
	"clockid=CLOCK what stamps the records: monotonic, monotonic_raw; of software events\n"
	"              also realtime, boottime, tai (perf record -k)\n"
	"name=TEXT     the counter's name in files and tables\n"
	"config=N, config1=N, config2=N, precise=N, pinned, exclusive, exclude_user,\n"
	"exclude_kernel, exclude_hv, exclude_idle, exclude_host, exclude_guest,\n"
	"exclude_callchain_kernel, max-stack=N    as in perf_event_open(2)\n"
	"ret           of uprobe and kprobe: when the function returns\n";

/* Verbs that print their own usage. */
static const struct topic {
	const char *name;
	int (*verb)(int argc, char **argv);
} topics[] = {
	{ "watch", verb_watch },   { "fold", verb_fold },     { "graph", verb_graph },
	{ "diff", verb_diff },	   { "report", verb_report }, { "recover", verb_recover },
	{ "doctor", verb_doctor }, { "start", verb_start },   { "stop", verb_stop },
};

static int flushed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	say("standard output cannot be written");
	return 1;
}

int help_version(void)
{
	puts("flametrap " FLAMETRAP_VERSION);
	return flushed();
}

int help_topic(const char *topic)
{
	if (!topic) {
		fputs(overview, stdout);
		return flushed();
	}
	if (strcmp(topic, "run") == 0)
		fputs(run_text, stdout);
	if (strcmp(topic, "run") == 0 || strcmp(topic, "settings") == 0) {
		table_settings(say_out);
		return flushed();
	}
	if (strcmp(topic, "events") == 0) {
		table_events(say_out);
		fputs(grammar_text, stdout);
		return flushed();
	}
	if (strcmp(topic, "markdown") == 0) {
		table_markdown(say_out);
		return flushed();
	}
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (strcmp(topics[i].name, topic) == 0) {
			char *argv[] = { (char *)topics[i].name, (char *)"--help", NULL };

			return topics[i].verb(2, argv);
		}
	}
	say("no help on %.60s; topics: run, watch, fold, graph, diff, report, recover, doctor, "
	    "settings, events",
	    topic);
	return 2;
}

int verb_help(int argc, char **argv)
{
	if (argc > 2) {
		say("help takes one topic");
		return 2;
	}
	return help_topic(argc > 1 ? argv[1] : NULL);
}
