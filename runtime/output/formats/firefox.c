/*
 * The threads are written before the tables that they refer to, so that the strings are complete
 * when they are written, at the end.
 */
#include "runtime/output/formats/firefox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/formats/firefox_parts.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"

#define FORMAT_VERSION "60"
#define GECKO_VERSION  "31" /* of the format before processing; read by nobody */
#define NS_PER_MS      1000000U
#define MS_PER_S       1000.0

uint32_t firefox_string(struct firefox *firefox, const char *text, size_t bytes)
{
	uint32_t number = string_table_intern(&firefox->strings, text, bytes);

	if (!number)
		firefox->err = -ENOMEM;
	return number ? number - 1 : 0;
}

void firefox_write_text(const struct firefox *firefox, const char *key, const char *text)
{
	fprintf(firefox->file, "\"%s\":", key);
	safe_text_json(firefox->file, text, strlen(text));
	putc(',', firefox->file);
}

void firefox_write_column(struct firefox *firefox, const char *key, uint32_t count,
			  firefox_write_number *write)
{
	fprintf(firefox->file, "\"%s\":[", key);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			putc_unlocked(',', firefox->file);
		write(firefox, i);
	}
	fputs("],\n", firefox->file);
}

static void write_ms(const struct firefox *firefox, const char *key, uint64_t ns)
{
	fprintf(firefox->file, "\"%s\":", key);
	timed_write_ms(firefox->file, ns);
	putc(',', firefox->file);
}

/* Colours as in the page's own import of perf's profiles, and of JavaScript. */
static void write_categories(const struct firefox *firefox)
{
	static const char *const categories[FIREFOX_CATEGORIES][2] = {
		[FIREFOX_OTHER] = { "Other", "grey" },
		[FIREFOX_USER] = { "User", "yellow" },
		[FIREFOX_KERNEL] = { "Kernel", "orange" },
		[FIREFOX_JIT] = { "JIT", "green" },
		[FIREFOX_INTERP] = { "Interpreted", "blue" },
		[FIREFOX_OFF_CPU] = { "Off-CPU", "purple" },
	};

	fputs("\"categories\":[", firefox->file);
	for (unsigned i = 0; i < FIREFOX_CATEGORIES; i++)
		fprintf(firefox->file,
			"%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			i ? ",\n" : "", categories[i][0], categories[i][1]);
	fputs("],\n", firefox->file);
}

/* Returns ms between two samples of the first counter. */
static double interval_of(const struct firefox *firefox)
{
	const struct spool_counter *first;
	uint64_t period;

	if (!firefox->timed.counters)
		return 1;
	first = profile_counter(firefox->timed.profile, 0);
	period = profile_period(firefox->timed.profile, 0);
	if (first->unit == SPOOL_UNIT_NS && period)
		return (double)period / NS_PER_MS;
	return first->frequency_hz ? MS_PER_S / (double)first->frequency_hz : 1;
}

static void write_meta(const struct firefox *firefox)
{
	const struct timed *timed = &firefox->timed;
	char command[400];

	notes_command(timed->profile, command, sizeof(command));
	fputs("{\"meta\":{", firefox->file);
	fputs("\"version\":" GECKO_VERSION ",\"preprocessedProfileVersion\":" FORMAT_VERSION ",\n",
	      firefox->file);
	fprintf(firefox->file, "\"interval\":%.6g,", interval_of(firefox));
	write_ms(firefox, "startTime", timed->timeline->zero_realtime_ns);
	fprintf(firefox->file, "\"startTimeAsClockMonotonicNanosecondsSinceBoot\":%" PRIu64 ",\n",
		timed->zero_ns);
	write_ms(firefox, "profilingStartTime", timed->timeline->from_ns);
	write_ms(firefox, "profilingEndTime", timed->timeline->end_ns);
	firefox_write_text(firefox, "product", command[0] ? command : "flametrap");
	firefox_write_text(firefox, "importedFrom", "flametrap " FLAMETRAP_VERSION);
	write_categories(firefox);
	firefox_write_schemas(firefox);
	fputs("\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n"
	      "\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,\n"
	      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n"
	      "\"keepProfileThreadOrder\":true},\n",
	      firefox->file);
}

/* A pid names a process: an image that exec(2) began, and a process of another host, get a name of
 * their own. */
static void write_pid(const struct firefox *firefox, uint32_t process)
{
	const struct timeline_process *processes = firefox->timed.timeline->processes;
	unsigned earlier = 0;

	for (uint32_t i = 0; i < process; i++)
		earlier += processes[i].pid == processes[process].pid;
	fprintf(firefox->file, "\"pid\":\"%" PRIu32, processes[process].pid);
	if (earlier)
		fprintf(firefox->file, ".%u", earlier);
	fputs("\",", firefox->file);
}

static void write_process(const struct firefox *firefox, uint32_t number)
{
	const struct timeline_process *process = &firefox->timed.timeline->processes[number];

	write_pid(firefox, number);
	firefox_write_text(firefox, "processName", timed_text(&firefox->timed, process->command));
	fputs("\"processType\":\"default\",", firefox->file);
	write_ms(firefox, "processStartupTime", process->start_ns);
	write_ms(firefox, "processShutdownTime", process->end_ns);
}

/* A thread's samples of one counter; all but the first counter have a name of their own. */
static void write_thread(struct firefox *firefox, uint32_t number, unsigned counter)
{
	const struct timeline *timeline = firefox->timed.timeline;
	const struct timeline_track *track = &timeline->tracks[number];
	const char *name = timed_text(&firefox->timed, track->name);
	const char *of = counter ? profile_counter(firefox->timed.profile, counter)->name : "";
	bool leads = !counter && track->tid == timeline->processes[track->process].pid;
	char text[256];

	snprintf(text, sizeof(text), "%s%s%s", name[0] ? name : "[nameless thread]",
		 counter ? ": " : "", of);
	write_process(firefox, track->process);
	firefox_write_text(firefox, "name", text);
	snprintf(text, sizeof(text), "%" PRIu32 "%s%s", track->tid, counter ? " " : "", of);
	firefox_write_text(firefox, "tid", text);
	fprintf(firefox->file, "\"isMainThread\":%s,\"pausedRanges\":[],",
		leads ? "true" : "false");
	write_ms(firefox, "registerTime", track->start_ns);
	write_ms(firefox, "unregisterTime", track->end_ns);
	putc('\n', firefox->file);
	firefox_write_samples(firefox, number, counter);
	fputs(",\n", firefox->file);
	firefox_write_markers(firefox, counter ? TIMELINE_NONE : number);
}

static void write_threads(struct firefox *firefox)
{
	const struct timed *timed = &firefox->timed;
	const char *between = "";

	fputs("\"threads\":[", firefox->file);
	for (uint32_t i = 0; i < timed->timeline->track_count; i++)
		for (unsigned c = 0; c < timed->counters; c++) {
			size_t count;

			timed_samples(timed, i, c, &count);
			if (c && !count)
				continue;
			fprintf(firefox->file, "%s{", between);
			write_thread(firefox, i, c);
			putc('}', firefox->file);
			between = ",\n";
		}
	fputs("],\n", firefox->file);
}

/* Returns 0, -EIO or -ENOMEM. */
static int write_all(struct firefox *firefox)
{
	write_meta(firefox);
	firefox_write_libraries(firefox);
	write_threads(firefox);
	firefox_write_shared(firefox);
	fputs("}\n", firefox->file);
	if (fflush(firefox->file) || ferror(firefox->file))
		return -EIO;
	return firefox->err;
}

static int make_all(struct firefox *firefox, const struct profile *profile,
		    enum settings_weight weight)
{
	int err = timed_make(&firefox->timed, profile, weight);

	if (!err)
		err = timed_spans_make(firefox->timed.timeline, &firefox->spans,
				       &firefox->span_count);
	if (!err)
		err = firefox_make_marks(firefox);
	return err ? err : firefox_make_functions(firefox);
}

int firefox_write(const struct profile *profile, enum settings_weight weight, FILE *file)
{
	struct firefox firefox = { 0 };
	struct gzip *gzip = NULL;
	int err = make_all(&firefox, profile, weight);
	int ended;

	if (!err)
		err = gzip_new(file, &gzip);
	if (!err)
		err = gzip_stream(gzip, &firefox.file);
	if (!err)
		err = write_all(&firefox);
	if (firefox.file && fclose(firefox.file) && !err)
		err = -EIO;
	ended = gzip ? gzip_free(gzip) : 0;
	string_table_free(&firefox.strings);
	string_table_free(&firefox.sources);
	free(firefox.functions);
	free(firefox.function_of);
	free(firefox.spans);
	free(firefox.marks);
	free(firefox.first_mark);
	timed_free(&firefox.timed);
	return err ? err : ended;
}
