/*
 * A profile as Firefox Profiler (profiler.firefox.com) stores its own: JSON, gzipped.
 *
 * The file has preprocessedProfileVersion 60, the first one with tables shared by all threads;
 * later versions of the page convert it.  Each thread has the samples of the first counter, with
 * its weights, and with the CPU time between them if the counter is one of CPU time.  The samples
 * of each further counter are a track of their own below, because a track has one weight.  Marks,
 * labels and time off the processor are markers.
 *
 * The threads are written before the tables that they refer to, so that the strings are complete
 * when they are written, at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/output/formats/firefox_parts.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/formats/format_content.h"

#define FORMAT_VERSION 60
#define GECKO_VERSION  31 /* of the format before processing; read by nobody */
#define NS_PER_MS      1000000U
#define MS_PER_S       1000.0

uint32_t firefox_string(struct firefox *firefox, const char *text, size_t bytes)
{
	uint32_t number = string_table_intern(&firefox->strings, text, bytes);

	if (!number)
		firefox->err = -ENOMEM;
	return number ? number - 1 : 0;
}

static void write_ms(struct json *json, const char *key, uint64_t ns)
{
	timed_write_ms(json_value(json, key), ns);
}

/* Colours as in the page's own import of perf's profiles, and of JavaScript. */
static void write_categories(struct json *json)
{
	static const char *const categories[FIREFOX_CATEGORIES][2] = {
		[FIREFOX_OTHER] = { "Other", "grey" },
		[FIREFOX_USER] = { "User", "yellow" },
		[FIREFOX_KERNEL] = { "Kernel", "orange" },
		[FIREFOX_JIT] = { "JIT", "green" },
		[FIREFOX_INTERP] = { "Interpreted", "blue" },
		[FIREFOX_OFF_CPU] = { "Off-CPU", "purple" },
	};

	json_array(json, "categories");
	for (unsigned i = 0; i < FIREFOX_CATEGORIES; i++) {
		json_next_line(json);
		json_object(json, NULL);
		json_members(json, "name:%s color:%s", categories[i][0], categories[i][1]);
		json_raw(json, "\"subcategories\":[\"Other\"]");
		json_end(json, "}");
	}
	json_end(json, "]");
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

static void write_times(struct firefox *firefox)
{
	const struct timed *timed = &firefox->timed;
	struct json *json = &firefox->json;

	json_line(json);
	json_real(json, "interval", interval_of(firefox), 6);
	write_ms(json, "startTime", timed->timeline->zero_realtime_ns);
	json_uint(json, "startTimeAsClockMonotonicNanosecondsSinceBoot", timed->zero_ns);
	json_line(json);
	write_ms(json, "profilingStartTime", timed->timeline->from_ns);
	write_ms(json, "profilingEndTime", timed->timeline->end_ns);
}

static void write_meta(struct firefox *firefox)
{
	struct json *json = &firefox->json;
	char command[400];

	notes_command(firefox->timed.profile, command, sizeof(command));
	json_object(json, "meta");
	json_members(json, "version:%d preprocessedProfileVersion:%d", GECKO_VERSION,
		     FORMAT_VERSION);
	write_times(firefox);
	json_members(json, "product:%s importedFrom:%s", command[0] ? command : "flametrap",
		     "flametrap " FLAMETRAP_VERSION);
	write_categories(json);
	firefox_write_schemas(firefox);
	json_line(json);
	json_raw(json, "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		       "\"threadCPUDelta\":\"ns\"},\n"
		       "\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,\n"
		       "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n"
		       "\"keepProfileThreadOrder\":true");
	json_end(json, "}");
}

/* A pid names a process: an image that exec(2) began, and a process of another host, get a name of
 * their own. */
static void write_pid(struct firefox *firefox, uint32_t process)
{
	const struct timeline_process *processes = firefox->timed.timeline->processes;
	unsigned earlier = 0;

	for (uint32_t i = 0; i < process; i++)
		earlier += processes[i].pid == processes[process].pid;
	json_text_begin(&firefox->json, "pid");
	fprintf(firefox->json.file, "%" PRIu32, processes[process].pid);
	if (earlier)
		fprintf(firefox->json.file, ".%u", earlier);
	json_text_end(&firefox->json);
}

static void write_process(struct firefox *firefox, uint32_t number)
{
	const struct timeline_process *process = &firefox->timed.timeline->processes[number];

	write_pid(firefox, number);
	json_members(&firefox->json, "processName:%s processType:%s",
		     timed_text(&firefox->timed, process->command), "default");
	write_ms(&firefox->json, "processStartupTime", process->start_ns);
	write_ms(&firefox->json, "processShutdownTime", process->end_ns);
}

/* A thread's samples of one counter; all but the first counter have a name of their own. */
static void write_thread(struct firefox *firefox, uint32_t number, unsigned counter)
{
	const struct timeline *timeline = firefox->timed.timeline;
	const struct timeline_track *track = &timeline->tracks[number];
	const char *name = timed_text(&firefox->timed, track->name);
	const char *of = counter ? profile_counter(firefox->timed.profile, counter)->name : "";
	bool leads = !counter && track->tid == timeline->processes[track->process].pid;
	struct json *json = &firefox->json;
	char text[256];

	json_next_line(json);
	json_object(json, NULL);
	snprintf(text, sizeof(text), "%s%s%s", name[0] ? name : "[nameless thread]",
		 counter ? ": " : "", of);
	write_process(firefox, track->process);
	json_text(json, "name", text);
	snprintf(text, sizeof(text), "%" PRIu32 "%s%s", track->tid, counter ? " " : "", of);
	json_text(json, "tid", text);
	json_bool(json, "isMainThread", leads);
	json_raw(json, "\"pausedRanges\":[]");
	write_ms(json, "registerTime", track->start_ns);
	write_ms(json, "unregisterTime", track->end_ns);
	json_line(json);
	firefox_write_samples(firefox, number, counter);
	json_line(json);
	firefox_write_markers(firefox, counter ? TIMELINE_NONE : number);
	json_end(json, "}");
}

static void write_threads(struct firefox *firefox)
{
	const struct timed *timed = &firefox->timed;

	json_list(&firefox->json, "threads");
	for (uint32_t i = 0; i < timed->timeline->track_count; i++)
		for (unsigned c = 0; c < timed->counters; c++) {
			size_t count;

			timed_samples(timed, i, c, &count);
			if (!c || count)
				write_thread(firefox, i, c);
		}
	json_end(&firefox->json, "]");
	json_line(&firefox->json);
}

/* Returns 0, -EIO or -ENOMEM. */
static int write_all(struct firefox *firefox)
{
	json_object(&firefox->json, NULL);
	write_meta(firefox);
	firefox_write_libraries(firefox);
	write_threads(firefox);
	firefox_write_shared(firefox);
	json_end(&firefox->json, "}");
	putc('\n', firefox->json.file);
	if (fflush(firefox->json.file) || ferror(firefox->json.file))
		return -EIO;
	return firefox->err;
}

static int make_all(struct firefox *firefox, const struct format_content *content)
{
	int err = timed_make(&firefox->timed, content->profile, content->weight);

	if (!err)
		err = timed_spans_make(firefox->timed.timeline, &firefox->spans,
				       &firefox->span_count);
	if (!err)
		err = firefox_make_marks(firefox);
	return err ? err : firefox_make_functions(firefox);
}

int format_firefox(const struct format_content *content, FILE *file)
{
	struct firefox firefox = { 0 };
	struct gzip *gzip = NULL;
	int err = make_all(&firefox, content);
	int ended;

	if (!err)
		err = gzip_new(file, &gzip);
	if (!err)
		err = gzip_stream(gzip, &firefox.json.file);
	if (!err)
		err = write_all(&firefox);
	if (firefox.json.file && fclose(firefox.json.file) && !err)
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
