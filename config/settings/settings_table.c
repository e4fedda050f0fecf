/*
 * The table of settings: names, help, and the rule by which a text becomes a field.  The
 * documented and the accepted values are in one row.  The text of the table is made line by line in
 * a small buffer, because it also runs in the target.
 */
#include "config/settings/settings.h"

#include <string.h>

#include "config/events/known.h"
#include "config/events/lookup.h"
#include "config/text/glob.h"
#include "config/text/text.h"

#define TEXT_OF_IT(number) #number
#define TEXT_OF(number)	   TEXT_OF_IT(number)

#define FREQUENCY_MOST 1000000
#define MEMORY_LEAST   (1ULL << 20)
#define TIMELINE_LEAST (64ULL << 10)
#define TIMELINE_MOST  (1ULL << 34)
#define MEMORY_MOST    (1ULL << 36) /* a node reference counts units of 16 bytes in 32 bits */

static const struct scan_word mode_words[] = {
	VALUES_SWITCH(SETTINGS_ON, SETTINGS_OFF),
	{ "help", SETTINGS_HELP },
	{ NULL, 0 },
};
#define FORMAT_WORD(id, name, number, ending, facts)   { #name, number },
#define FORMAT_LISTED(id, name, number, ending, facts) #name ", "

static const struct scan_word format_words[] = {
	SETTINGS_FORMATS(FORMAT_WORD){ "spool", SETTINGS_FORMAT_SPOOL },
	{ NULL, 0 },
};
static const struct scan_word weight_words[] = {
	{ "auto", SETTINGS_WEIGHT_AUTO },
	{ "samples", SETTINGS_WEIGHT_SAMPLES },
	{ "events", SETTINGS_WEIGHT_EVENTS },
	{ NULL, 0 },
};
static const struct scan_word thread_words[] = {
	{ "merge", SETTINGS_THREADS_MERGE },
	{ "name", SETTINGS_THREADS_NAME },
	{ "id", SETTINGS_THREADS_ID },
	{ NULL, 0 },
};
static const struct scan_word kernel_words[] = {
	{ "auto", SETTINGS_KERNEL_AUTO },
	VALUES_SWITCH(SETTINGS_KERNEL_YES, SETTINGS_KERNEL_NO),
	{ NULL, 0 },
};
static const struct scan_word interp_words[] = {
	{ "merge", SETTINGS_INTERP_MERGE },
	{ "only", SETTINGS_INTERP_ONLY },
	{ "no", SETTINGS_INTERP_NO },
	{ NULL, 0 },
};
static const struct scan_word notify_words[] = {
	{ "auto", SETTINGS_NOTIFY_AUTO },
	{ "sigtrap", SETTINGS_NOTIFY_SIGTRAP },
	{ "sigio", SETTINGS_NOTIFY_SIGIO },
	{ "timer", SETTINGS_NOTIFY_TIMER },
	{ NULL, 0 },
};
static const struct scan_word log_words[] = {
	{ "quiet", SETTINGS_LOG_QUIET },
	{ "error", SETTINGS_LOG_ERROR },
	{ "info", SETTINGS_LOG_INFO },
	{ NULL, 0 },
};
static const struct scan_word start_words[] = { { "now", false }, { "paused", true }, { NULL, 0 } };

/* The struct of a field that a rule fills. */
static struct settings *all_of(const struct values_rule *rule, void *field)
{
	return (struct settings *)(void *)((char *)field - rule->field);
}

/* The text stays in the environment until the events were read. */
static int encoded(const struct values_rule *rule, void *field, const char *text,
		   struct complaint *complaint)
{
	struct scan scan = { .text = text, .complaint = complaint };

	(void)rule;
	do {
		if (!scan_word_length(&scan) && (!text[scan.at] || !strchr(":=,", text[scan.at])))
			return scan_expected(&scan, "code");
	} while (text[++scan.at]);
	lookup_encoded(text);
	*(bool *)field = true;
	return 0;
}

static int frequency(const struct values_rule *rule, void *field, const char *text,
		     struct complaint *complaint)
{
	if (strcmp(text, "max") != 0)
		return values_count(rule, field, text, complaint);
	*(uint64_t *)field = SETTINGS_FREQUENCY_MAX;
	return 0;
}

static int period(const struct values_rule *rule, void *field, const char *text,
		  struct complaint *complaint)
{
	struct settings *settings = all_of(rule, field);
	int err = values_count(rule, &settings->period, text, complaint);

	if (!err)
		settings->frequency_hz = 0;
	return err;
}

static int follow(const struct values_rule *rule, void *field, const char *text,
		  struct complaint *complaint)
{
	struct settings *settings = all_of(rule, field);
	int err;

	if (!values_switch(rule, &settings->follow, text, complaint)) {
		settings->follow_glob[0] = '\0';
		return 0;
	}
	err = glob_check(text, complaint);
	if (!err)
		err = values_text(rule, settings->follow_glob, text, complaint);
	if (!err)
		settings->follow = true;
	return err;
}

static int timeline(const struct values_rule *rule, void *field, const char *text,
		    struct complaint *complaint)
{
	struct settings *settings = all_of(rule, field);

	settings->timeline_bytes = 0;
	if (!values_switch(rule, &settings->timeline, text, complaint))
		return 0;
	settings->timeline = true;
	return values_size(rule, &settings->timeline_bytes, text, complaint);
}

static int start(const struct values_rule *rule, void *field, const char *text,
		 struct complaint *complaint)
{
	struct settings *settings = all_of(rule, field);
	unsigned paused = false;
	uint64_t delay_ns = 0;
	int err;

	if (text[0] >= '0' && text[0] <= '9')
		err = values_duration(rule, &delay_ns, text, complaint);
	else
		err = values_word(rule, &paused, text, complaint);
	if (err)
		return err;
	settings->start_paused = paused;
	settings->start_delay_ns = delay_ns;
	return 0;
}

/* Rules by the field that they fill, with words or bounds if needed. */
#define RULE(parser, member, table, low, high)                                                   \
	{                                                                                        \
		.parse = (parser), .field = offsetof(struct settings, member), .words = (table), \
		.least = (low), .most = (high)                                                   \
	}
#define FILL(parser, member)		  RULE(parser, member, NULL, 0, 0)
#define WORD(parser, member, table)	  RULE(parser, member, table, 0, 0)
#define NUMBER(parser, member, low, high) RULE(parser, member, NULL, low, high)

#define ROW(variable_text, option_text, key_byte, argument_text, values_text, fallback_text,       \
	    shown_text, the_rule, help_text)                                                       \
	{                                                                                          \
		.variable = (variable_text), .option = (option_text), .key = (key_byte),           \
		.argument = (argument_text), .values = (values_text), .fallback = (fallback_text), \
		.shown = (shown_text), .help = (help_text), .rule = the_rule,                      \
	}

#define FLAG(variable_text, option_text, member, help_text)                                 \
	{                                                                                   \
		.variable = (variable_text), .option = (option_text), .argument = "[=YES]", \
		.values = "yes, no", .fallback = "no", .help = (help_text),                 \
		.rule = FILL(values_switch, member), .flag = true,                          \
	}

/* variable, option, key, argument, values, default, default in words, rule, help */
const struct setting settings_table[] = {
	ROW("FLAMETRAP", NULL, 0, "MODE", "on, off, help", "on", NULL,
	    WORD(values_word, mode, mode_words),
	    "off: the library stays out; help: print this table and stay out"),
	{
		.variable = "FLAMETRAP_ENCODED",
		.values = "NAME=TYPE:CONFIG:CONFIG1:CONFIG2,...",
		.fallback = "",
		.help = "set by the command: a processor's own names in FLAMETRAP_EVENTS",
		.rule = FILL(encoded, encoded),
		.internal = true,
	},
	ROW("FLAMETRAP_EVENTS", "events", 'e', "LIST",
	    "perf's names (flametrap help events), rHEX, pmu/term=N/, system:tracepoint, "
	    "mem:WHERE/LEN:rwx, uprobe:[PATH:]SYMBOL, {a,b} groups, :ukhHpPSDeW modifiers, "
	    "/period=N,freq=N,refresh=N,wakeup_events=N,clockid=CLOCK,name=TEXT/",
	    "", "cycles, or task-clock where no PMU answers", FILL(values_events, events),
	    "what to count"),
	ROW("FLAMETRAP_FREQUENCY", "frequency", 'F', "HZ", "a number of samples per second, or max",
	    TEXT_OF(SETTINGS_FREQUENCY), NULL, NUMBER(frequency, frequency_hz, 1, FREQUENCY_MOST),
	    "samples per second of counted time"),
	ROW("FLAMETRAP_PERIOD", "period", 'c', "COUNT", "a number of events", "", NULL,
	    NUMBER(period, period, 1, INT64_MAX),
	    "events per sample; excludes FLAMETRAP_FREQUENCY"),
	ROW("FLAMETRAP_OUTPUT", "output", 'o', "STEM",
	    "a path in which %p is the pid, %e the executable, %h the host, %t seconds since 1970, "
	    "%n a sequence number, %{VAR} a variable, %% a %",
	    "flametrap.%e.%p", NULL, FILL(values_stem, output),
	    "stem of the output files; directories are made"),
	ROW("FLAMETRAP_FORMAT", "format", 0, "LIST",
	    "a list of " SETTINGS_FORMATS(FORMAT_LISTED) "spool", "folded",
	    "folded; the command: folded,svg,html", WORD(values_words, formats, format_words),
	    "what to write"),
	ROW("FLAMETRAP_WEIGHT", "weight", 0, "WHAT", "auto, samples, events", "auto", NULL,
	    WORD(values_word, weight, weight_words),
	    "what the numbers in the output count; auto: samples, but nanoseconds of off-cpu"),
	ROW("FLAMETRAP_THREADS", "threads", 0, "HOW", "merge, name, id", "merge", NULL,
	    WORD(values_word, threads, thread_words),
	    "add a frame for each name of threads, or for each thread, after the command's"),
	FLAG("FLAMETRAP_INLINE", "inline", inlined,
	     "frames of functions that the compiler inlined (name_[i]), from debug information"),
	FLAG("FLAMETRAP_LINES", "lines", lines,
	     "file and line of each frame, from debug information"),
	ROW("FLAMETRAP_INTERP", "interp", 0, "HOW", "merge, only, no", "merge", NULL,
	    WORD(values_word, interp, interp_words),
	    "functions of interpreted programs: merge them into native stacks, show only them, or "
	    "no"),
	FLAG("FLAMETRAP_OFF_CPU", "off-cpu", off_cpu,
	     "also count the time off the processor (event off-cpu), in nanoseconds"),
	FLAG("FLAMETRAP_WALL", "wall", wall,
	     "like --off-cpu, and draw time on and off the processor in one graph, STEM.wall.svg"),
	ROW("FLAMETRAP_KERNEL", "kernel", 0, "WHEN", "auto, yes, no", "auto", NULL,
	    WORD(values_word, kernel, kernel_words),
	    "count the kernel's side; auto: where it is allowed"),
	ROW("FLAMETRAP_COARSE", "coarse", 0, "YES", "yes, no", "yes", NULL,
	    FILL(values_switch, coarse),
	    "spare threads that switch or start very often the cost of a clock"),
	ROW("FLAMETRAP_NOTIFY", "notify", 0, "HOW", "auto, sigtrap, sigio, timer", "auto", NULL,
	    WORD(values_word, notify, notify_words), "how an overflow reaches the program"),
	ROW("FLAMETRAP_SIGNAL", "signal", 0, "SIGNAL", "a signal's name (USR2, RTMIN+3) or number",
	    "", "a free real-time signal", FILL(values_signal, signal),
	    "signal that sigio and timer use"),
	ROW("FLAMETRAP_DEPTH", "depth", 0, "FRAMES", "a number of frames from 1 to 4096", "512",
	    NULL, NUMBER(values_digits, depth, 1, SETTINGS_DEPTH_MAX),
	    "frames kept, from the leaf; the rest is one [truncated] frame"),
	ROW("FLAMETRAP_MEMORY", "memory", 0, "SIZE", "a size from 1M to 64G", "64M", NULL,
	    NUMBER(values_size, memory_bytes, MEMORY_LEAST, MEMORY_MOST),
	    "largest size of the spool of one process"),
	ROW("FLAMETRAP_TIMELINE", "timeline", 0, "SIZE", "yes, no, or a size from 64K to 16G",
	    "yes", "yes: a quarter of FLAMETRAP_MEMORY, less on a small file system",
	    NUMBER(timeline, timeline, TIMELINE_LEAST, TIMELINE_MOST),
	    "keep the time of each sample; when SIZE is used up, older samples are thinned"),
	ROW("FLAMETRAP_SPOOL", "spool", 0, "DIRECTORY", "a directory", "",
	    "a memory file system, else beside the output", FILL(values_directory, spool),
	    "directory of the spools"),
	ROW("FLAMETRAP_FOLLOW", "follow", 0, "WHICH",
	    "yes, no, or a pattern of executable names such as cc*", "yes", NULL,
	    FILL(follow, follow), "which children are profiled"),
	FLAG("FLAMETRAP_RUNTIMES", "runtimes", runtimes,
	     "set what node, java, .NET and, with --interp no, python need to name compiled code "
	     "(command only)"),
	ROW("FLAMETRAP_START", "start", 0, "WHEN",
	    "now, paused (until flametrap start), or a duration such as 5s", "now", NULL,
	    RULE(start, start_paused, start_words, 0, INT64_MAX), "when sampling begins"),
	ROW("FLAMETRAP_STOP", "stop", 0, "DURATION", "a duration such as 30s or 1.5m", "", "never",
	    NUMBER(values_duration, stop_after_ns, 1, INT64_MAX), "how long to sample"),
	ROW("FLAMETRAP_LOG", "log", 0, "LEVEL", "quiet, error, info", "error", NULL,
	    WORD(values_word, log, log_words), "messages on standard error"),
	FLAG("FLAMETRAP_STRICT", "strict", strict, "do not run the program unprofiled"),
	FLAG("FLAMETRAP_WAIT", "wait", wait,
	     "wait for all that the program started, also for daemons (command only)"),
	{
		.variable = "FLAMETRAP_COLLECT",
		.values = "yes, no",
		.fallback = "no",
		.help = "set by the command: leave the spool to it",
		.rule = FILL(values_switch, collected),
		.internal = true,
	},
};
const size_t settings_count = sizeof(settings_table) / sizeof(settings_table[0]);

_Static_assert(sizeof(settings_table) / sizeof(settings_table[0]) <= SETTINGS_ROWS_MAX,
	       "each row has a bit in struct settings.given and a place in struct options.value");

#define LINE_MAX_BYTES	   240
#define MARKDOWN_MAX_BYTES 700
#define EVENT_COLUMN	   26

/* Adds "-o, --output", each in the given quotes; nothing for a setting without an option. */
static void add_option(struct text *line, const struct setting *setting, const char *quote)
{
	const char key[] = { (char)setting->key, '\0' };

	if (key[0])
		text_add_all(line, quote, "-", key, quote, ", ", NULL);
	if (setting->option)
		text_add_all(line, quote, "--", setting->option, quote, NULL);
}

static void print_line(void (*print)(const char *line), const char *before, const char *text)
{
	char out[LINE_MAX_BYTES];

	text_make(out, sizeof(out), before, text, NULL);
	print(out);
}

static void print_row(const struct setting *setting, void (*print)(const char *line))
{
	const char *fallback = settings_fallback(setting);
	char out[LINE_MAX_BYTES];
	struct text line = text_into(out, sizeof(out));

	text_add_all(&line, setting->variable, setting->option ? ", " : "", NULL);
	add_option(&line, setting, "");
	text_add_all(&line, "  ", setting->argument, NULL);
	print(out);
	print_line(print, "    ", setting->help);
	print_line(print, "    accepted: ", setting->values);
	if (fallback[0])
		print_line(print, "    default: ", fallback);
}

void table_settings(void (*print)(const char *line))
{
	for (size_t row = 0; row < settings_count; row++) {
		if (!settings_table[row].internal)
			print_row(&settings_table[row], print);
	}
}

static void print_markdown(const struct setting *setting, void (*print)(const char *line))
{
	const char *fallback = settings_fallback(setting);
	char out[MARKDOWN_MAX_BYTES];
	struct text line = text_into(out, sizeof(out));

	text_add_all(&line, "| `", setting->variable, "` | ", NULL);
	add_option(&line, setting, "`");
	text_add_all(&line, setting->option ? " " : "", setting->argument, " | ", setting->help,
		     " | ", setting->values, " | ", fallback, fallback[0] ? " |" : "|", NULL);
	print(out);
}

void table_markdown(void (*print)(const char *line))
{
	print("| variable | option | meaning | accepted | default |");
	print("|---|---|---|---|---|");
	for (size_t row = 0; row < settings_count; row++) {
		if (!settings_table[row].internal)
			print_markdown(&settings_table[row], print);
	}
}

void table_events(void (*print)(const char *line))
{
	for (size_t row = 0; row < known_count; row++) {
		const struct known_event *event = &known_table[row];
		char out[LINE_MAX_BYTES];
		struct text line = text_into(out, sizeof(out));

		if (event->refused)
			continue;
		text_add(&line, event->name);
		do {
			text_add(&line, " ");
		} while (line.used < EVENT_COLUMN);
		text_add(&line, event->help);
		if (event->alias)
			text_add_all(&line, " (also ", event->alias, ")", NULL);
		print(out);
	}
}
