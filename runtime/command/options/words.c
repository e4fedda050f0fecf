/*
 * A word belongs here if other profilers have it; a test tries each answer.
 */
#include "runtime/command/options/words.h"

#include <stdint.h>
#include <string.h>

#include "config/text/distance.h"
#include "runtime/command/options/manual.h"

#define PREFIX_LEAST 3 /* least letters for a word to match as a beginning */

struct word {
	const char *word;
	const char *answer;
};

#define RUNNING                                                                         \
	"a process is profiled from its start (flametrap COMMAND, or LD_PRELOAD); "     \
	"flametrap list shows those that are, flametrap report PID reads one while it " \
	"runs"

static const struct word verbs[] = {
	{ "record", "flametrap COMMAND profiles COMMAND and writes a flame graph" },
	{ "stat", "flametrap -e EVENT,EVENT --format spool COMMAND counts, flametrap report "
		  "STEM.PID.spool shows the totals" },
	{ "script", "flametrap fold FILE prints the stacks, one on each line" },
	{ "annotate", "flametrap --lines COMMAND shows the line of each frame" },
	{ "view", "a run's STEM.svg opens in a browser; flametrap graph FILE draws one" },
	{ "top", RUNNING },
	{ "attach", RUNNING },
};

static const struct word options[] = {
	{ "-p", RUNNING },
	{ "--pid", RUNNING },
	{ "-t", "--threads id shows each thread apart" },
	{ "--tid", "--threads id shows each thread apart" },
	{ "-g", "stacks are always recorded" },
	{ "--call-graph", "stacks are always recorded" },
	{ "-a", "COMMAND and its children are profiled, not the whole machine" },
	{ "--all-cpus", "COMMAND and its children are profiled, not the whole machine" },
	{ "-d", "--stop 30s says how long to sample" },
	{ "--duration", "--stop 30s says how long to sample" },
	{ "-D", "--start 5s says when to begin" },
	{ "--delay", "--start 5s says when to begin" },
	{ "-r", "-F 999 says how many samples to take per second" },
	{ "--rate", "-F 999 says how many samples to take per second" },
	{ "-i", "-c 1000000 takes a sample every million events, -F 999 so many per second" },
	{ "--interval",
	  "-c 1000000 takes a sample every million events, -F 999 so many per second" },
	{ "-v", "--log info says more" },
	{ "--verbose", "--log info says more" },
	{ "-q", "--log quiet says nothing" },
	{ "--quiet", "--log quiet says nothing" },
};

static const char *find(const struct word *words, size_t count, const char *word, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0)
			return words[i].answer;
	return NULL;
}

const char *words_verb(const char *word)
{
	return find(verbs, sizeof(verbs) / sizeof(verbs[0]), word, strlen(word));
}

const char *words_option(const char *option)
{
	return find(options, sizeof(options) / sizeof(options[0]), option, strcspn(option, "="));
}

/* Returns the number of edits from a given word to a known one; UINT32_MAX if there are too many
 * for a typing error. */
static unsigned far(const char *given, size_t length, const char *known)
{
	unsigned edits = text_distance(given, length, known, strlen(known));

	if (edits && length >= PREFIX_LEAST && strncmp(given, known, length) == 0)
		return 1;
	return edits <= length / 2 && edits <= 3 ? edits : UINT32_MAX;
}

/* The first of the nearest candidates. */
struct nearest {
	const char *name;
	const char *answer; /* NULL for our own words */
	unsigned edits;
};

static void offer(struct nearest *best, const char *given, const char *name, const char *answer)
{
	unsigned edits = far(given, strcspn(given, "="), name);

	if (edits < best->edits)
		*best = (struct nearest){ name, answer, edits };
}

const char *words_nearest_verb(const char *word, const char **answer)
{
	struct nearest best = { .edits = UINT32_MAX };

	for (size_t i = 0; i < manual_verb_count; i++)
		offer(&best, word, manual_verbs[i]->name, NULL);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		offer(&best, word, verbs[i].word, verbs[i].answer);
	*answer = best.answer;
	return best.name;
}

const char *words_nearest_option(const struct manual *manual, const char *option,
				 const char **answer)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);
	struct nearest best = { .edits = UINT32_MAX };

	option += strspn(option, "-");
	for (size_t i = 0; i < count; i++)
		offer(&best, option, rows[i].name, NULL);
	for (size_t i = 0; manual->settings && i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].word[1] == '-')
			offer(&best, option, options[i].word + 2, options[i].answer);
	*answer = best.answer;
	return best.name;
}
