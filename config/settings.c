/*
 * The table of settings, and what is done with its rows.
 */
#include "config/settings.h"

#include <errno.h>
#include <string.h>

#include "config/line.h"
#include "config/values.h"

#define SHOWN_MAX 60

#define ROW(variable_text, option_text, key_byte, argument_text, values_text, fallback_text,       \
	    shown_text, parser, help_text)                                                         \
	{                                                                                          \
		.variable = (variable_text), .option = (option_text), .key = (key_byte),           \
		.argument = (argument_text), .values = (values_text), .fallback = (fallback_text), \
		.shown = (shown_text), .help = (help_text), .parse = (parser),                     \
	}

#define FLAG(variable_text, option_text, parser, help_text)                                    \
	{                                                                                      \
		.variable = (variable_text), .option = (option_text), .argument = "[=YES]",    \
		.values = "yes, no", .fallback = "no", .help = (help_text), .parse = (parser), \
		.flag = true,                                                                  \
	}

/* variable, option, key, argument, values, default, default in words, parser, help */
const struct setting settings_table[] = {
	ROW("FLAMETRAP", NULL, 0, "MODE", "on, off, help", "on", NULL, values_mode,
	    "off: the library stays out; help: print this table and stay out"),
	{
		.variable = "FLAMETRAP_ENCODED",
		.values = "NAME=TYPE:CONFIG:CONFIG1:CONFIG2,...",
		.fallback = "",
		.help = "set by the command: a processor's own names in FLAMETRAP_EVENTS",
		.parse = values_encoded,
		.internal = true,
	},
	ROW("FLAMETRAP_EVENTS", "events", 'e', "LIST",
	    "perf's names (flametrap help events), rHEX, pmu/term=N/, system:tracepoint, "
	    "mem:WHERE/LEN:rwx, uprobe:[PATH:]SYMBOL, {a,b} groups, :ukhHpPSDeW modifiers, "
	    "/period=N,freq=N,refresh=N,wakeup_events=N,clockid=CLOCK,name=TEXT/",
	    "", "cycles, or task-clock where no PMU answers", values_events, "what to count"),
	ROW("FLAMETRAP_FREQUENCY", "frequency", 'F', "HZ", "a number of samples per second, or max",
	    "999", NULL, values_frequency, "samples per second of counted time"),
	ROW("FLAMETRAP_PERIOD", "period", 'c', "COUNT", "a number of events", "", NULL,
	    values_period, "events per sample; excludes FLAMETRAP_FREQUENCY"),
	ROW("FLAMETRAP_OUTPUT", "output", 'o', "STEM",
	    "a path in which %p is the pid, %e the executable, %h the host, %t seconds since 1970, "
	    "%n a sequence number, %{VAR} a variable, %% a %",
	    "flametrap.%e.%p", NULL, values_output,
	    "stem of the output files; directories are made"),
	ROW("FLAMETRAP_FORMAT", "format", 0, "LIST",
	    "a list of folded, svg, pprof, speedscope, gperftools, spool", "folded",
	    "folded; the command: folded,svg", values_format, "what to write"),
	ROW("FLAMETRAP_WEIGHT", "weight", 0, "WHAT", "auto, samples, events", "auto", NULL,
	    values_weight,
	    "what the numbers in the output count; auto: samples, but nanoseconds of off-cpu"),
	ROW("FLAMETRAP_THREADS", "threads", 0, "HOW", "merge, name, id", "merge", NULL,
	    values_threads,
	    "add a frame for each name of threads, or for each thread, after the command's"),
	FLAG("FLAMETRAP_INLINE", "inline", values_inline,
	     "frames of functions that the compiler inlined (name_[i]), from debug information"),
	FLAG("FLAMETRAP_LINES", "lines", values_lines,
	     "file and line of each frame, from debug information"),
	FLAG("FLAMETRAP_OFF_CPU", "off-cpu", values_off_cpu,
	     "also count the time off the processor (event off-cpu), in nanoseconds"),
	FLAG("FLAMETRAP_WALL", "wall", values_wall,
	     "like --off-cpu, and draw time on and off the processor in one graph, STEM.wall.svg"),
	ROW("FLAMETRAP_KERNEL", "kernel", 0, "WHEN", "auto, yes, no", "auto", NULL, values_kernel,
	    "count the kernel's side; auto: where it is allowed"),
	ROW("FLAMETRAP_COARSE", "coarse", 0, "YES", "yes, no", "yes", NULL, values_coarse,
	    "sample threads that switch very often by a coarse timer, which switches cost nothing"),
	ROW("FLAMETRAP_NOTIFY", "notify", 0, "HOW", "auto, sigtrap, sigio, timer", "auto", NULL,
	    values_notify, "how an overflow reaches the program"),
	ROW("FLAMETRAP_SIGNAL", "signal", 0, "SIGNAL", "a signal's name (USR2, RTMIN+3) or number",
	    "", "a free real-time signal", values_signal, "signal that sigio and timer use"),
	ROW("FLAMETRAP_DEPTH", "depth", 0, "FRAMES", "a number of frames from 1 to 4096", "512",
	    NULL, values_depth, "frames kept, from the leaf; the rest is one [truncated] frame"),
	ROW("FLAMETRAP_MEMORY", "memory", 0, "SIZE", "a size from 1M to 64G", "64M", NULL,
	    values_memory, "largest size of the spool of one process"),
	ROW("FLAMETRAP_SPOOL", "spool", 0, "DIRECTORY", "a directory", "",
	    "a memory file system, else beside the output", values_spool,
	    "directory of the spools"),
	ROW("FLAMETRAP_FOLLOW", "follow", 0, "WHICH",
	    "yes, no, or a pattern of executable names such as cc*", "yes", NULL, values_follow,
	    "which children are profiled"),
	FLAG("FLAMETRAP_RUNTIMES", "runtimes", values_runtimes,
	     "set what node, java, python and .NET need to name compiled code (command only)"),
	ROW("FLAMETRAP_START", "start", 0, "WHEN",
	    "now, paused (until flametrap start), or a duration such as 5s", "now", NULL,
	    values_start, "when sampling begins"),
	ROW("FLAMETRAP_STOP", "stop", 0, "DURATION", "a duration such as 30s or 1.5m", "", "never",
	    values_stop, "how long to sample"),
	ROW("FLAMETRAP_LOG", "log", 0, "LEVEL", "quiet, error, info", "error", NULL, values_log,
	    "messages on standard error"),
	FLAG("FLAMETRAP_STRICT", "strict", values_strict, "do not run the program unprofiled"),
	{
		.variable = "FLAMETRAP_COLLECT",
		.values = "yes, no",
		.fallback = "no",
		.help = "set by the command: leave the spool to it",
		.parse = values_collect,
		.internal = true,
	},
};
const size_t settings_count = sizeof(settings_table) / sizeof(settings_table[0]);

void settings_defaults(struct settings *settings)
{
	struct complaint complaint;

	memset(settings, 0, sizeof(*settings));
	for (size_t row = 0; row < settings_count; row++) {
		if (settings_table[row].fallback[0])
			settings_table[row].parse(settings, settings_table[row].fallback,
						  &complaint);
	}
	events_parse(&settings->events, "cycles", &complaint);
	settings->events.defaulted = true;
}

int settings_set(struct settings *settings, const struct setting *setting, const char *text,
		 char *line, size_t bytes)
{
	struct complaint complaint = { 0 };
	struct line out;
	int err;

	err = setting->parse(settings, text, &complaint);
	if (!err) {
		settings->given |= UINT32_C(1) << (setting - settings_table);
		return 0;
	}
	out = line_start(line, bytes);
	line_add(&out, setting->variable);
	line_add(&out, "=");
	line_add_escaped(&out, text, strlen(text), SHOWN_MAX);
	line_add(&out, ": ");
	line_add(&out, complaint.reason);
	line_add(&out, "; accepted: ");
	line_add(&out, setting->values);
	return err;
}

bool settings_given(const struct settings *settings, const char *variable)
{
	const struct setting *setting = settings_find(variable);

	return settings->given & UINT32_C(1) << (setting - settings_table);
}

static int contradiction(const char *text, char *line, size_t bytes)
{
	struct line out = line_start(line, bytes);

	line_add(&out, text);
	return -EINVAL;
}

int settings_check(const struct settings *settings, char *line, size_t bytes)
{
	if (settings_given(settings, "FLAMETRAP_PERIOD") &&
	    settings_given(settings, "FLAMETRAP_FREQUENCY"))
		return contradiction("FLAMETRAP_PERIOD and FLAMETRAP_FREQUENCY exclude each "
				     "other; accepted: one of the two",
				     line, bytes);
	if (settings_given(settings, "FLAMETRAP_SIGNAL") &&
	    settings->notify == SETTINGS_NOTIFY_SIGTRAP)
		return contradiction("FLAMETRAP_SIGNAL and FLAMETRAP_NOTIFY=sigtrap exclude each "
				     "other; accepted: a signal with sigio, timer or auto",
				     line, bytes);
	for (unsigned i = 0; i < settings->events.count; i++) {
		if (settings->events.event[i].kernel_only && settings->kernel == SETTINGS_KERNEL_NO)
			return contradiction("FLAMETRAP_KERNEL=no leaves nothing to count of an "
					     "event with :k in FLAMETRAP_EVENTS; accepted: one of "
					     "the two",
					     line, bytes);
		if (settings->events.event[i].wakeup_events &&
		    settings->notify != SETTINGS_NOTIFY_SIGIO)
			return contradiction("wakeup_events= in FLAMETRAP_EVENTS needs "
					     "FLAMETRAP_NOTIFY=sigio: SIGTRAP comes with each "
					     "overflow, before the thread goes on; accepted: both, "
					     "or neither",
					     line, bytes);
		if (settings->events.event[i].refresh && settings->notify != SETTINGS_NOTIFY_SIGIO)
			return contradiction("refresh= in FLAMETRAP_EVENTS needs "
					     "FLAMETRAP_NOTIFY=sigio: a counter that stops itself "
					     "reports it in that signal; accepted: both, "
					     "or neither",
					     line, bytes);
	}
	return 0;
}

const struct setting *settings_find(const char *name)
{
	for (size_t row = 0; row < settings_count; row++) {
		const struct setting *setting = &settings_table[row];

		if (strcmp(setting->variable, name) == 0 ||
		    (setting->option && strcmp(setting->option, name) == 0))
			return setting;
	}
	return NULL;
}

const char *settings_nearest(const char *name)
{
	const char *best = settings_table[0].variable;
	unsigned distance = UINT32_MAX;

	for (size_t row = 0; row < settings_count; row++) {
		const char *variable = settings_table[row].variable;
		unsigned far = line_distance(name, strlen(name), variable, strlen(variable));

		if (settings_table[row].internal || far >= distance)
			continue;
		distance = far;
		best = variable;
	}
	return best;
}
