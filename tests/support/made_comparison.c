/* A comparison without runs: its numbers are what they are. */
#include "tests/support/made_comparison.h"

#include "tests/support/unit.h"
#include "tests/support/written.h"

struct changes_value made_comparison_value(double before, double after, double half,
					   bool significant)
{
	double relative = before > 0 ? after / before - 1 : INFINITY;
	bool known = before > 0;

	return (struct changes_value){
		.change = { .mean = { before, after },
			    .change = after - before,
			    .low = after - before - half,
			    .high = after - before + half,
			    .relative = relative,
			    .relative_low = known ? relative - half / before : -INFINITY,
			    .relative_high = known ? relative + half / before : INFINITY,
			    .chance = significant ? .0001 : .4 },
		.share = { before / 2e9, after / 2.16e9 },
		.tested = true,
		.significant = significant,
	};
}

static struct changes_function function(const char *name, double before, double after, double half,
					bool significant)
{
	struct changes_value value = made_comparison_value(before, after, half, significant);

	return (struct changes_function){ .name = name, .self = value, .total = value };
}

struct made_comparison made;

UNIT(setup)
{
	static char note[] = "old <and> new are compared as one.", *notes[] = { note };

	made = (struct made_comparison){
		.functions = { function("compute", 5e8, 6.6e8, 1e7, true),
			       function("steady", 1e9, 1.001e9, 2e7, false),
			       function("fresh", 0, 2e7, 1e6, true),
			       function(MADE_COMPARISON_HOSTILE, 5e8, 4e8, 1e7, true) },
		.counter = { .name = "task-clock", .unit = "ns" },
		.measure = { .name = "wall", .unit = "ns" },
		.values = { { 2e9, 2.1e9 }, { 2.2e9, 2.3e9 } },
	};
	made.counter.changes = (struct changes){
		.runs = { 2, 2 },
		.method = STATISTICS_WELCH,
		.alpha = .01,
		.has_intervals = true,
		.whole = made_comparison_value(2e9, 2.16e9, 2e7, true),
		.normalized = made_comparison_value(2e9, 2.16e9, 2e7, true),
		.noise = made_comparison_value(1e7, 2e7, 3e7, false),
		.functions = made.functions,
		.count = 4,
	};
	made.measure.result = made_comparison_value(2.05e9, 2.25e9, 1e8, true);
	made.measure.value[0] = made.values[0];
	made.measure.value[1] = made.values[1];
	made.measure.drift[0].chance = made.measure.drift[1].chance = NAN;
	made.comparison = (struct comparison){
		.label = { "before.spool", "after.spool" },
		.runs = { 2, 2 },
		.alpha = .01,
		.measures = &made.measure,
		.measure_count = 1,
		.counters = &made.counter,
		.counter_count = 1,
		.notes = notes,
		.note_count = 1,
	};
	return 0;
}

void made_comparison_pace(void)
{
	struct changes *changes = &made.counter.changes;

	made.factors[0] = 0.8;
	made.factors[1] = made.factors[2] = 1;
	made.factors[3] = 1.2;
	changes->whole = made_comparison_value(2e9, 2.1e9, 2e8, false);
	changes->normalized = made_comparison_value(2e9, 2.04e9, 1e7, true);
	changes->speed = (struct speed_factor){
		.of_run = made.factors,
		.slowest = 1.5,
		.shift = made_comparison_value(0.9, 1.1, 0.3, false).change,
	};
}

void made_comparison_doubt(size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		made.functions[i].self.significant = made.functions[i].total.significant = false;
}

void made_comparison_text(struct comparison_shown shown)
{
	written_by(comparison_write_text(&made.comparison, &shown, written_begin()));
}

void made_comparison_markdown(struct comparison_shown shown)
{
	written_by(comparison_write_markdown(&made.comparison, &shown, written_begin()));
}

void made_comparison_json(void)
{
	written_by(comparison_write_json(&made.comparison, written_begin()));
}
