/* A word belongs here if other profilers have it; a test tries each answer. */
#include "runtime/command/options/arguments.h"

#include <stdint.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/command/options/manual.h"

#define PREFIX_LEAST 3 /* least letters for a word to match as a beginning */

struct word {
	const char *word;
	char letter; /* the option's other spelling; 0: none */
	const char *answer;
};

#define RUNNING                                                                         \
	"a process is profiled from its start (flametrap COMMAND, or LD_PRELOAD); "     \
	"flametrap list shows those that are, flametrap report PID reads one while it " \
	"runs"

static const struct word verbs[] = {
	{ "record", 0, "flametrap COMMAND profiles COMMAND and writes a flame graph" },
	{ "stat", 0,
	  "flametrap -e EVENT,EVENT --format spool COMMAND counts, flametrap report "
	  "STEM.PID.spool shows the totals" },
	{ "script", 0, "flametrap fold FILE prints the stacks, one on each line" },
	{ "view", 0, "a run's STEM.html opens in a browser; flametrap graph FILE draws one" },
	{ "top", 0, RUNNING },
	{ "attach", 0, RUNNING },
};

static const struct word options[] = {
	{ "--pid", 'p', RUNNING },
	{ "--tid", 't', "--threads id shows each thread apart" },
	{ "--call-graph", 'g', "stacks are always recorded" },
	{ "--all-cpus", 'a', "COMMAND and its children are profiled, not the whole machine" },
	{ "--duration", 'd', "--stop 30s says how long to sample" },
	{ "--delay", 'D', "--start 5s says when to begin" },
	{ "--rate", 'r', "-F 999 says how many samples to take per second" },
	{ "--interval", 'i',
	  "-c 1000000 takes a sample every million events, -F 999 so many per second" },
	{ "--verbose", 'v', "--log info says more" },
	{ "--quiet", 'q', "--log quiet says nothing" },
};

const char *suggestions_verb(const char *word)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].word, word) == 0)
			return verbs[i].answer;
	return NULL;
}

const char *suggestions_option(const char *option)
{
	size_t length = strcspn(option, "=");

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if ((length == 2 && option[0] == '-' && option[1] == options[i].letter) ||
		    (strlen(options[i].word) == length &&
		     memcmp(options[i].word, option, length) == 0))
			return options[i].answer;
	return NULL;
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

const char *suggestions_nearest_verb(const char *word, const char **answer)
{
	struct nearest best = { .edits = UINT32_MAX };

	for (size_t i = 0; i < manual_verb_count; i++)
		offer(&best, word, manual_verbs[i]->name, NULL);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		offer(&best, word, verbs[i].word, verbs[i].answer);
	*answer = best.answer;
	return best.name;
}

const char *suggestions_nearest_option(const struct manual *manual, const char *option,
				       const char **answer)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);
	struct nearest best = { .edits = UINT32_MAX };

	option += strspn(option, "-");
	for (size_t i = 0; i < count; i++)
		offer(&best, option, rows[i].name, NULL);
	for (size_t i = 0; manual->settings && i < sizeof(options) / sizeof(options[0]); i++)
		offer(&best, option, options[i].word + 2, options[i].answer);
	*answer = best.answer;
	return best.name;
}
