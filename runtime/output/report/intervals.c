/*
 * The run is cut into pieces of several lengths.  A piece is unusual if one function has a much
 * larger share of it than of the whole run, or if it has far fewer or far more samples than most
 * pieces.  Neighbours that are unusual in the same way are one moment, and moments of the same kind
 * are one entry of the list.
 */
#include "runtime/output/report/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/maths.h"

#define PIECES_MOST   4096u
#define PIECES_LEAST  64u
#define PIECES_FACTOR 4u
/* Evidence is a logarithm of how unlikely chance is. */
#define EVIDENCE_OF_PIECE 2

struct search {
	const struct interval_records *records;
	unsigned pieces;
	struct interval_counts counts;
	double sample_share[INTERVAL_FEATURES],
		record_share[INTERVAL_FEATURES]; /* of the whole run */
	struct interval *judged;		 /* by piece */
	struct interval *found;
	unsigned found_count;
};

/* Returns true if k of n records are more than a share p explains, with that much evidence. */
static bool is_more(double k, double n, double p, double least)
{
	double rest = n - k;

	return k > n * p &&
	       k * maths_log(k / (n * p)) +
			       (rest > 1e-9 ? rest * maths_log(rest / (n * (1 - p))) : 0) >
		       least;
}

static void set_shares(const double *values, unsigned pieces, double *shares)
{
	double whole = 0;

	memset(shares, 0, INTERVAL_FEATURES * sizeof(*shares));
	for (size_t i = 0; i < (size_t)pieces * INTERVAL_FEATURES; i++) {
		shares[i % INTERVAL_FEATURES] += values[i];
		whole += values[i];
	}
	for (unsigned i = 0; i < INTERVAL_FEATURES; i++)
		shares[i] /= whole;
}

/* The function whose share of the samples of one piece exceeds that of the whole most, and its
 * records among all of the piece. */
static struct interval mixture(const struct search *search, unsigned piece, double all)
{
	const double *samples = &search->counts.samples[(size_t)piece * INTERVAL_FEATURES];
	const double *records = &search->counts.records[(size_t)piece * INTERVAL_FEATURES];
	struct interval mix = { .kind = INTERVAL_MIX };

	for (unsigned i = 0; i < INTERVAL_FEATURES; i++) {
		double excess = samples[i] / all - search->sample_share[i];

		mix.samples += records[i];
		if (excess > mix.effect) {
			mix.effect = excess;
			mix.feature = i;
		}
	}
	mix.count = records[mix.feature];
	mix.usual = search->record_share[mix.feature];
	return mix;
}

static struct interval judge(const struct search *search, unsigned piece, double load, double usual)
{
	double all = load / search->records->lump;

	if (load > 0) {
		struct interval mix = mixture(search, piece, load);
		double whole = 1 / mix.samples; /* a piece may have a part of a record */

		if (whole < 1)
			whole = 1;
		if (mix.effect > 0.3 &&
		    is_more(mix.count * whole, mix.samples * whole, mix.usual, EVIDENCE_OF_PIECE))
			return mix;
	}
	if (usual >= 4 && all < 0.3 * usual)
		return (struct interval){ .kind = INTERVAL_QUIET,
					  .effect = 1 - all / usual,
					  .samples = usual,
					  .count = all };
	if (usual >= 4 && all > 2 * usual + 6 * __builtin_sqrt(usual))
		return (struct interval){ .kind = INTERVAL_BUSY,
					  .effect = all / usual / 6 < 1 ? all / usual / 6 : 1,
					  .samples = usual,
					  .count = all };
	return (struct interval){ .kind = load > 0 ? INTERVAL_NONE : INTERVAL_UNKNOWN };
}

static int judge_all(struct search *search)
{
	double *load = calloc((size_t)2 * search->pieces, sizeof(*load));
	double *sorted = load + search->pieces, usual;

	if (!load)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)search->pieces * INTERVAL_FEATURES; i++)
		load[i / INTERVAL_FEATURES] += search->counts.samples[i];
	memcpy(sorted, load, search->pieces * sizeof(*load));
	qsort(sorted, search->pieces, sizeof(*sorted), maths_ascending);
	usual = sorted[search->pieces / 2] / search->records->lump;
	for (unsigned i = 0; i < search->pieces; i++)
		search->judged[i] = judge(search, i, load[i], usual);
	free(load);
	return 0;
}

/* Joins neighbours of one kind, also over pieces of which nothing is known, if they are no longer
 * than the moment before them.  Where threads had to wait for a processor, what they did goes on
 * behind that: so quiet pieces are joined by themselves, and unknown to the others. */
static void join(struct search *search, bool quiet)
{
	const struct interval_records *records = search->records;
	double length_ns = (records->to_ns - records->from_ns) / search->pieces;
	struct interval *last = NULL;

	for (unsigned i = 0; i < search->pieces; i++) {
		struct interval what = search->judged[i];
		double from_ns = records->from_ns + i * length_ns;

		if ((what.kind == INTERVAL_QUIET) != quiet && what.kind > INTERVAL_UNKNOWN)
			what.kind = quiet ? INTERVAL_NONE : INTERVAL_UNKNOWN;
		if (quiet && what.kind == INTERVAL_UNKNOWN)
			what.kind = INTERVAL_NONE;
		if (what.kind > INTERVAL_UNKNOWN && last && last->kind == what.kind &&
		    last->feature == what.feature) {
			last->to_ns = from_ns + length_ns;
			last->samples += what.samples;
			last->count += what.count;
			if (what.effect > last->effect)
				last->effect = what.effect;
		} else if (what.kind != INTERVAL_UNKNOWN || !last ||
			   from_ns - last->to_ns >= last->to_ns - last->from_ns) {
			last = NULL;
			if (what.kind <= INTERVAL_UNKNOWN)
				continue;
			last = &search->found[search->found_count++];
			*last = what;
			last->from_ns = from_ns;
			last->to_ns = from_ns + length_ns;
			last->length_ns = length_ns;
		}
	}
}

/* Returns true if a moment is more than chance, which many pieces have to be unusual by. */
static bool is_certain(const struct interval *moment, unsigned pieces)
{
	double k = moment->count, n = moment->samples;

	if (moment->kind == INTERVAL_MIX)
		return k >= 4 && is_more(k, n, moment->usual,
					 maths_log((double)pieces * INTERVAL_FEATURES) + 3);
	return n - k + (k > 0 ? k * maths_log(k / n) : 0) > maths_log(pieces) + 2;
}

static void trim_quiet(const struct interval_records *records, struct interval *moment)
{
	size_t at = interval_records_at(records, (moment->from_ns + moment->to_ns) / 2);
	double low = at ? records->list[at - 1].time_ns : records->from_ns;
	double high = at < records->count ? records->list[at].time_ns - records->list[at].span_ns
					  : records->to_ns;

	if (high - low > 0.7 * (moment->to_ns - moment->from_ns)) {
		moment->from_ns = low + 1;
		moment->to_ns = high;
	}
}

/* Returns false if all of its records are of one time. */
static bool trim_mix(const struct interval_records *records, struct interval *moment)
{
	size_t end = interval_records_at(records, moment->to_ns + moment->length_ns);
	size_t first = SIZE_MAX, last = 0, before;
	double from_ns, least_ns;

	for (size_t i = interval_records_at(records, moment->from_ns - moment->length_ns); i < end;
	     i++)
		if (records->list[i].feature == moment->feature) {
			first = first == SIZE_MAX ? i : first;
			last = i;
		}
	if (first == SIZE_MAX || records->list[first].time_ns == records->list[last].time_ns)
		return false;
	before = interval_records_at(records, records->list[first].time_ns);
	least_ns = before ? records->list[before - 1].time_ns + 1 : records->from_ns;
	from_ns = records->list[first].time_ns - records->list[first].span_ns;
	moment->to_ns = records->list[last].time_ns + 1;
	moment->from_ns = from_ns > least_ns ? from_ns : least_ns;
	if (moment->from_ns > moment->to_ns - records->mean_ns)
		moment->from_ns = moment->to_ns - records->mean_ns;
	if (moment->from_ns < records->from_ns)
		moment->from_ns = records->from_ns;
	return true;
}

/* Moves the ends of a moment from those of its pieces to those of its records.  Returns false if it
 * is shorter than what a sample stands for. */
static bool trim(const struct interval_records *records, struct interval *moment)
{
	if (moment->kind == INTERVAL_QUIET)
		trim_quiet(records, moment);
	else if (moment->kind == INTERVAL_MIX && !trim_mix(records, moment))
		return false;
	return moment->to_ns - moment->from_ns >= maths_floor(records->mean_ns);
}

static unsigned key_of(const struct interval *moment)
{
	return moment->kind == INTERVAL_MIX ? moment->feature
					    : INTERVAL_FEATURES + (moment->kind == INTERVAL_BUSY);
}

/* The moments of one kind replace those of longer or shorter pieces that show it less. */
static int keep_best(struct search *search, unsigned key, struct intervals_alike *best)
{
	struct intervals_alike alike = { .list = calloc(search->found_count, sizeof(*alike.list)) };

	if (!alike.list)
		return -ENOMEM;
	for (unsigned i = 0; i < search->found_count; i++) {
		const struct interval *moment = &search->found[i];

		if (key_of(moment) != key)
			continue;
		alike.list[alike.count++] = *moment;
		alike.score += moment->effect * moment->effect * maths_log1p(moment->samples);
	}
	alike.score /= __builtin_sqrt(alike.count ? alike.count : 1);
	if (alike.score <= best->score) {
		free(alike.list);
		return 0;
	}
	free(best->list);
	*best = alike;
	return 0;
}

static int search_pieces(struct search *search, struct intervals *moments)
{
	unsigned kept = 0;
	int err = judge_all(search);

	search->found_count = 0;
	join(search, false);
	join(search, true);
	for (unsigned i = 0; i < search->found_count; i++)
		if (is_certain(&search->found[i], search->pieces) &&
		    trim(search->records, &search->found[i]))
			search->found[kept++] = search->found[i];
	search->found_count = kept;
	for (unsigned key = 0; !err && kept && key < INTERVALS_KINDS_MAX; key++)
		err = keep_best(search, key, &moments->kinds[key]);
	return err;
}

static int by_score(const void *a, const void *b)
{
	const struct intervals_alike *one = a, *other = b;

	return (one->score < other->score) - (one->score > other->score);
}

static int by_time(const void *a, const void *b)
{
	const struct interval *one = a, *other = b;

	return (one->from_ns > other->from_ns) - (one->from_ns < other->from_ns);
}

/* No piece is much shorter than what a sample stands for. */
static unsigned most_pieces(const struct interval_records *records)
{
	unsigned pieces = PIECES_MOST;

	while (pieces > PIECES_LEAST &&
	       (records->to_ns - records->from_ns) / pieces < records->mean_ns / 4)
		pieces /= PIECES_FACTOR;
	return pieces;
}

static int search_all(struct search *search, struct intervals *moments)
{
	int err = interval_counts_make(search->records, search->pieces, &search->counts);

	search->judged = calloc(search->pieces, sizeof(*search->judged));
	search->found = calloc((size_t)2 * search->pieces, sizeof(*search->found));
	if (!search->judged || !search->found)
		err = -ENOMEM;
	if (err)
		return err;
	set_shares(search->counts.samples, search->pieces, search->sample_share);
	set_shares(search->counts.records, search->pieces, search->record_share);
	for (;;) {
		err = search_pieces(search, moments);
		if (err || search->pieces == PIECES_LEAST)
			return err;
		interval_counts_join(&search->counts, search->pieces, PIECES_FACTOR);
		search->pieces /= PIECES_FACTOR;
	}
}

int intervals_find(const struct interval_records *records, struct intervals *moments)
{
	struct search search = { .records = records };
	int err = 0;

	*moments = (struct intervals){ 0 };
	if (!records->count || records->to_ns - records->from_ns < PIECES_LEAST)
		return 0;
	search.pieces = most_pieces(records);
	err = search_all(&search, moments);
	interval_counts_free(&search.counts);
	free(search.judged);
	free(search.found);
	qsort(moments->kinds, INTERVALS_KINDS_MAX, sizeof(*moments->kinds), by_score);
	while (moments->count < INTERVALS_KINDS_MAX && moments->kinds[moments->count].count)
		moments->count++;
	for (unsigned i = 0; i < moments->count; i++)
		qsort(moments->kinds[i].list, moments->kinds[i].count,
		      sizeof(*moments->kinds[i].list), by_time);
	return err;
}

void intervals_free(struct intervals *moments)
{
	for (unsigned i = 0; i < INTERVALS_KINDS_MAX; i++)
		free(moments->kinds[i].list);
	*moments = (struct intervals){ 0 };
}

const struct interval *intervals_typical(const struct intervals_alike *alike)
{
	const struct interval *typical = alike->list;

	for (unsigned i = 1; i < alike->count; i++)
		if (alike->list[i].effect * alike->list[i].samples >
		    typical->effect * typical->samples)
			typical = &alike->list[i];
	return typical;
}
