/* The summary at the top of a report: what ran, how it was sampled, and what was lost. */
#include "runtime/output/report/report.h"

#include <stdint.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/analysis/truncations.h"

#define TRUNCATIONS_SHOWN 10

/* Print every nonzero count that is not printed elsewhere. */
static void print_counts(const struct profile_summary *summary, FILE *file)
{
#define TEXT(id, place, text) [SPOOL_COUNT_##id] = (text),
	static const char *const texts[] = { SPOOL_COUNTS(TEXT) };
#undef TEXT

	for (unsigned i = 0; i < SPOOL_COUNTS_NUMBER; i++) {
		if (!summary->count[i] || i == SPOOL_COUNT_SAMPLES || i == SPOOL_COUNT_HANDLER_NS ||
		    i == SPOOL_COUNT_CPU_NS || i == SPOOL_COUNT_THREADS_ENDED)
			continue;
		fprintf(file, "  %12llu  %s\n", (unsigned long long)summary->count[i], texts[i]);
	}
}

/* Print the modules in which stacks end: unwind information is missing there. */
static void print_truncations(const struct profile *profile, FILE *file)
{
	const struct profile_trees *merge = profile_merge(profile);
	uint64_t samples = profile_summary(profile)->count[SPOOL_COUNT_SAMPLES];
	size_t count;
	const struct truncation *list = truncations_list(merge->truncations, &count);

	if (count)
		fprintf(file, "cut short  stacks that end before their outermost frame, in\n");
	for (size_t i = 0; i < count && i < TRUNCATIONS_SHOWN; i++)
		fprintf(file, "  %12llu  %5.2f %%  %s %s\n", (unsigned long long)list[i].samples,
			maths_percent(list[i].samples, samples),
			string_table_text(&merge->strings, list[i].module),
			string_table_text(&merge->strings, list[i].reason));
	if (count > TRUNCATIONS_SHOWN)
		fprintf(file, "%25s%zu more\n", "", count - TRUNCATIONS_SHOWN);
}

static void print_overhead(const struct profile_summary *summary, FILE *file)
{
	uint64_t handler_ns = summary->count[SPOOL_COUNT_HANDLER_NS];
	uint64_t samples = summary->count[SPOOL_COUNT_SAMPLES];
	char text[64];

	number_text_duration(handler_ns, text, sizeof(text));
	fprintf(file, "overhead   %s in the handler", text);
	if (samples)
		fprintf(file, ", %.2f us per sample", (double)handler_ns / 1e3 / (double)samples);
	if (summary->cpu_ns)
		fprintf(file, ", %.2f %% of CPU time",
			maths_percent(summary->cpu_handler_ns, summary->cpu_ns));
	fputc('\n', file);
}

/* Returns how long processes have run that still run: up to now, or up to the moment of reading
 * that ends the last window. */
static uint64_t since_ns(const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	struct profile_window window;
	uint64_t now_ns;

	if (profile_window(profile, &window))
		return window.whole_ns;
	now_ns = now_realtime_ns();
	return now_ns > summary->start_realtime_ns ? now_ns - summary->start_realtime_ns : 0;
}

/* Print the state of processes that did not simply end. */
static void print_states(const struct profile_summary *summary, FILE *file)
{
	if (summary->processes == 1 && summary->running + summary->killed == 1) {
		fputs(summary->running ? ", running" : ", killed", file);
		return;
	}
	if (summary->running)
		fprintf(file, ", %u running", summary->running);
	if (summary->killed)
		fprintf(file, ", %u killed", summary->killed);
}

/* Losses and cost are known for the whole run only. */
static void print_window(const struct profile *profile, const char *window, FILE *file)
{
	char line[512];

	fprintf(file, "window     %s; what was lost and what it cost is not known for a part\n",
		window);
	if (notes_estimated(profile, line, sizeof(line)))
		fprintf(file, "estimate   %s\n", line);
	print_truncations(profile, file);
}

void report_summary(const struct profile *profile, FILE *file)
{
	const struct profile_summary *summary = profile_summary(profile);
	const struct spool_header *first = profile_first(profile);
	char line[512];
	char engines[64];
	char wall[64];
	char cpu[64];

	notes_command(profile, line, sizeof(line));
	notes_engines(summary->engines, engines, sizeof(engines));
	number_text_duration(summary->running ? since_ns(profile) : summary->wall_ns, wall,
			     sizeof(wall));
	number_text_duration(summary->cpu_ns, cpu, sizeof(cpu));
	fprintf(file, "command    %s\n", line);
	fprintf(file, "ran        %u process%s, %u thread%s", summary->processes,
		summary->processes == 1 ? "" : "es", summary->threads,
		summary->threads == 1 ? "" : "s");
	print_states(summary, file);
	if (summary->running || summary->wall_ns)
		fprintf(file, "; %s%s", wall, summary->running ? " so far" : "");
	if (summary->cpu_ns)
		fprintf(file, ", %s of CPU time%s", cpu,
			summary->running + summary->killed ? " in the others" : "");
	fputc('\n', file);
	fprintf(file, "samples    %llu by %s",
		(unsigned long long)summary->count[SPOOL_COUNT_SAMPLES], engines);
	if (first && first->note[0])
		fprintf(file, " (%s)", first->note);
	fputc('\n', file);
	if (notes_window(profile, line, sizeof(line))) {
		print_window(profile, line, file);
		return;
	}
	fprintf(file, "lost       %llu", (unsigned long long)summary->lost);
	if (summary->damaged)
		fprintf(file, "; %u of %u spools are damaged and were read in part",
			summary->damaged, summary->spools);
	fputc('\n', file);
	if (notes_before(profile, line, sizeof(line)))
		fprintf(file, "before     %s\n", line);
	print_overhead(summary, file);
	print_counts(summary, file);
	if (notes_interpreted(profile, line, sizeof(line)))
		fprintf(file, "functions  %s\n", line);
	print_truncations(profile, file);
}
