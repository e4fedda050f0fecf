/* Help, as plain text of at most 79 columns. */
#include "runtime/command/options/manual_text.h"

#include <stdio.h>
#include <string.h>

#include "config/settings/settings.h"
#include "runtime/command/base/status_line.h"

/* The syntax after -e, besides the names in the table of known events. */
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

#define WIDTH	     79
#define TEXT_COLUMN  26
#define ABOUT_INDENT 6

static void spaces(size_t count)
{
	printf("%*s", (int)count, "");
}

/* Prints words from `column` on, later lines indented; a newline in the text starts a new line. */
static void wrap(const char *text, size_t indent, size_t column)
{
	bool first = true;

	while (*text) {
		size_t length = strcspn(text, " \n");

		if (!first && column + 1 + length > WIDTH) {
			putchar('\n');
			spaces(indent);
			column = indent;
		} else if (!first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, text);
		column += length;
		first = false;
		text += length;
		if (*text == '\n') {
			putchar('\n');
			spaces(text[1] == '\n' ? 0 : indent);
			column = indent;
			first = true;
		}
		text += *text != '\0';
	}
	putchar('\n');
}

/* Prints the form on the left and its meaning on the right, or below if the form is long. */
static void print_row(const char *form, const char *about)
{
	size_t length = 2 + strlen(form);

	if (length + 2 > TEXT_COLUMN) {
		spaces(2);
		wrap(form, 2, 2);
		length = 0;
	} else {
		printf("  %s", form);
	}
	spaces(TEXT_COLUMN - length);
	wrap(about, TEXT_COLUMN, TEXT_COLUMN);
}

static void print_option(const struct manual_option *option)
{
	const char *argument = option->argument ? option->argument : "";
	char form[128];
	size_t used = 0;

	if (!option->help)
		return;
	if (option->letter)
		used = (size_t)snprintf(form, sizeof(form), "-%c, ", option->letter);
	snprintf(form + used, sizeof(form) - used,
		 manual_is_optional(option) ? "--%s[=%s]" : "--%s%s%s", option->name,
		 manual_is_optional(option) || !*argument ? argument : " ", argument);
	print_row(form, option->help);
}

static void print_options(const struct manual *manual)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);

	puts("\nOptions:");
	for (size_t i = 0; i < count; i++)
		print_option(&rows[i]);
}

void manual_print_verb(const struct manual *manual)
{
	for (size_t i = 0; i < MANUAL_SYNOPSES && manual->synopsis[i]; i++)
		printf("%s flametrap %s\n", i ? "      " : "usage:", manual->synopsis[i]);
	putchar('\n');
	wrap(manual->text, 0, 0);
	print_options(manual);
	puts("\nExamples:");
	for (size_t i = 0; i < MANUAL_EXAMPLES; i++) {
		printf("  %s\n", manual->examples[i].command);
		spaces(ABOUT_INDENT);
		wrap(manual->examples[i].about, ABOUT_INDENT, ABOUT_INDENT);
	}
	fputs("\nExit status: ", stdout);
	wrap(manual->status, 0, strlen("Exit status: "));
}

void manual_print_version(void)
{
	puts("flametrap " FLAMETRAP_VERSION);
}

void manual_print_overview(void)
{
	puts("usage: flametrap [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	     "       flametrap VERB [OPTION...] [ARGUMENT...]\n\nVerbs:");
	for (size_t i = 0; i < manual_verb_count; i++)
		print_row(manual_verbs[i]->name, manual_verbs[i]->summary);
	puts("\nflametrap VERB --help explains a verb, with examples; flametrap help settings\n"
	     "lists every option of a run and its variable; flametrap help events the names\n"
	     "that -e takes; flametrap --version prints the version.");
}

void manual_print_events(void)
{
	table_events(status_line_out);
	for (const struct manual_section *section = manual_grammar; section->heading; section++) {
		printf("\n%s:\n", section->heading);
		wrap(section->text, 0, 0);
		for (const struct manual_row *row = section->row; row->form; row++)
			print_row(row->form, row->about);
	}
}
