/* flametrap events [PATTERN]: every counter that is available here, each tried. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "config/events/perf_errors.h"
#include "runtime/command/base/kernel_access.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/inspect/events_list.h"
#include "runtime/command/options/arguments.h"

#define ERRNO_MAX     256
#define PATTERN_BYTES 512

struct listing {
	const char *pattern; /* NULL: all */
	bool all;
	const char *section; /* printed before its first name */
	bool printed;	     /* the section's name was printed */
	unsigned opened;
	unsigned refused;
	unsigned untried;
	bool seen[ERRNO_MAX]; /* errno values to be explained at the end */
};

static void print_section(struct listing *listing)
{
	if (!listing->printed)
		printf("%s%s\n", listing->opened + listing->refused ? "\n" : "", listing->section);
	listing->printed = true;
}

static void outcome(struct listing *listing, const struct counter_probe *probe, char *text,
		    size_t bytes)
{
	const struct perf_error *error = perf_errors_find(probe->err);

	if (!probe->err) {
		listing->opened++;
		snprintf(text, bytes, "%s%s", probe->kernel ? "opens" : "opens, user side",
			 probe->sigtrap ? "" : ", no SIGTRAP");
		return;
	}
	listing->refused++;
	if (-probe->err < ERRNO_MAX)
		listing->seen[-probe->err] = true;
	if (error && error->name)
		snprintf(text, bytes, "refused (%s)", error->name);
	else
		snprintf(text, bytes, "refused (errno %d)", -probe->err);
}

static void print_event(void *context, const struct events_list_entry *entry)
{
	struct listing *listing = context;
	char text[64] = "not tried";

	if (listing->pattern && fnmatch(listing->pattern, entry->name, 0) != 0)
		return;
	print_section(listing);
	if (entry->tried)
		outcome(listing, &entry->probe, text, sizeof(text));
	else
		listing->untried++;
	if (entry->about[0])
		printf("  %-32s  %-17s  %s\n", entry->name, text, entry->about);
	else
		printf("  %-32s  %s\n", entry->name, text);
}

static void explain(const struct listing *listing)
{
	bool first = true;

	for (int err = 1; err < ERRNO_MAX; err++) {
		const struct perf_error *error = perf_errors_find(err);
		char reason[256];

		if (!listing->seen[err])
			continue;
		counter_probe_reason(-err, reason, sizeof(reason));
		printf("%s%s: %s\n", first ? "\n" : "",
		       error && error->name ? error->name : "errno", reason);
		first = false;
	}
}

static bool is_empty(const struct listing *listing)
{
	return !listing->opened && !listing->refused && !listing->untried;
}

static const struct {
	const char *name;
	void (*list)(const struct events_list *list);
	bool (*summarise)(char *line, size_t bytes); /* for a long or empty list */
} sections[] = {
	{ "software events of the kernel: any user; the kernel side needs paranoid 1",
	  events_list_software, NULL },
	{ "hardware events of the processor's PMU: any user up to paranoid 2", events_list_hardware,
	  NULL },
	{ "cache events of the processor's PMU: any user up to paranoid 2", events_list_caches,
	  NULL },
	{ "breakpoints at user addresses: any user", events_list_breakpoints, NULL },
	{ "probes: need CAP_PERFMON or CAP_SYS_ADMIN", events_list_probes, NULL },
	{ "PMUs in /sys/bus/event_source/devices", events_list_pmus, NULL },
	{ "the processor's own names, from libpfm4: by the command only", events_list_cpu_names,
	  events_list_cpu_summary },
	{ "tracepoints of the kernel: need a readable tracefs and the kernel side; one is tried "
	  "for all",
	  events_list_tracepoints, events_list_tracepoint_summary },
};

/* One line stands for a list that is long, or says why it is empty. */
static void print_summary(struct listing *listing, bool (*summarise)(char *line, size_t bytes))
{
	char line[256];

	print_section(listing);
	summarise(line, sizeof(line));
	printf("  %s\n", line);
}

static void print_all(struct listing *listing)
{
	const struct events_list list = { print_event, listing };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		bool (*summarise)(char *line, size_t bytes) = sections[i].summarise;

		listing->section = sections[i].name;
		listing->printed = false;
		if (listing->all || listing->pattern || !summarise)
			sections[i].list(&list);
		if (summarise && !listing->pattern && !listing->printed)
			print_summary(listing, summarise);
	}
	explain(listing);
}

/* A word that is no name stands for all names that contain it. */
static void print_parts(struct listing *listing)
{
	const char *word = listing->pattern;
	char pattern[PATTERN_BYTES];

	if (strpbrk(word, "*?[\\") ||
	    snprintf(pattern, sizeof(pattern), "*%s*", word) >= (int)sizeof(pattern))
		return;
	listing->pattern = pattern;
	print_all(listing);
	listing->pattern = word;
}

static int list(struct listing *listing)
{
	print_all(listing);
	if (listing->pattern && is_empty(listing))
		print_parts(listing);
	if (status_line_flushed())
		return 1;
	if (listing->pattern && is_empty(listing))
		return fail(1, "no event here matches %.200s", listing->pattern);
	return 0;
}

static const struct manual_option events_options[] = {
	{ "all", 'a', NULL, NULL, options_flag, 0,
	  "list tracepoints and the names of the processor's manual too" },
	{ 0 },
};

const struct manual manual_events = {
	.name = "events",
	.synopsis = { "events [--all] [PATTERN]" },
	.summary = "list the events of this machine, and try each of them",
	.text = "Lists what can be counted and sampled on this machine: the name, whether its "
		"counter opened when tried, and what it counts. PATTERN is a glob over names; a "
		"word that is not a name lists all names that contain it. Tracepoints and the "
		"processor's own names are only counted, unless --all or a PATTERN is given.\n\n"
		"flametrap help events describes the names and terms that -e takes.",
	.options = { events_options },
	.most = 1,
	.operands = MANUAL_EVENT,
	.status = "0; 1 if nothing here has such a name; 2 for wrong usage.",
	.examples = {
		{ "flametrap events", "Everything but the long lists" },
		{ "flametrap events --all", "The long lists too" },
		{ "flametrap events page-faults", "One event" },
		{ "flametrap events '*-faults'", "All kinds of faults" },
		{ "flametrap events 'c*'", "All that begin with c" },
	},
};

int verb_events(int argc, char **argv)
{
	struct listing listing = { 0 };
	int status = 2;
	int first = arguments_read(&manual_events, argc, argv, ARGUMENTS(&listing.all), &status);

	if (first < 0)
		return status;
	listing.pattern = first < argc ? argv[first] : NULL;
	return list(&listing);
}
