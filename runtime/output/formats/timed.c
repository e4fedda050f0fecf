/*
 * The stacks are made from the tree of locations: each location becomes its inlined functions and
 * the function that holds them.  All tables are made once, before the first sample is written.
 */
#include "runtime/output/formats/timed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/spool/spool_settings.h"

#define NS_PER_MS 1000000U

const char *timed_text(const struct timed *timed, uint32_t number)
{
	return string_table_text(timed->strings, number);
}

/* Returns the address, or 0 for a frame that is no machine code: see enum spool_pc. */
static uint64_t code_address(uint64_t address)
{
	return address >= SPOOL_PC_DATA && address < SPOOL_PC_CODE_END ? 0 : address;
}

/* Add the frames of a location, outermost first. */
static int add_frames(struct timed *timed, const struct location *at)
{
	struct location_line list[LOCATIONS_LINES_MAX];
	size_t count = locations_functions(timed->locations, at, list);

	for (size_t i = count; i--;) {
		struct timed_frame frame = {
			.address = code_address(at->address),
			.mapping = at->mapping,
			.name = list[i].name,
			.file = list[i].file,
			.line = list[i].line,
			.start_line = list[i].start_line,
			.inlined = (uint32_t)(count - 1 - i),
		};
		size_t bytes;

		frame.kind = frame_kind_of(timed_text(timed, frame.name), &bytes);
		frame.name_bytes = (uint32_t)bytes;
		if (timed->frame_count == TIMED_NONE ||
		    !grow(&timed->frames, timed->frame_count, sizeof(frame)))
			return -ENOMEM;
		timed->frames[timed->frame_count++] = frame;
	}
	return 0;
}

/* Make the frames.  `first` gets, by location, the number of its first frame; and the end. */
static int make_frames(struct timed *timed, uint32_t *first)
{
	uint32_t count = timed->locations->table.count;
	int err = 0;

	for (uint32_t i = 1; !err && i <= count; i++) {
		struct location at = locations_get(timed->locations, i);

		first[i] = timed->frame_count;
		err = add_frames(timed, &at);
	}
	first[count + 1] = timed->frame_count;
	return err;
}

static int add_stack(struct timed *timed, uint32_t frame, uint32_t *stack)
{
	struct timed_stack made = { *stack, frame };

	if (timed->stack_count == TIMED_NONE ||
	    !grow(&timed->stacks, timed->stack_count, sizeof(made)))
		return -ENOMEM;
	*stack = timed->stack_count;
	timed->stacks[timed->stack_count++] = made;
	return 0;
}

/* The root's children are owners of stacks, and no frames. */
static int make_stacks(struct timed *timed, const uint32_t *first)
{
	const struct call_tree *calls = timed->locations->calls;
	int err = 0;

	timed->nodes = call_tree_count(calls);
	timed->stack_of = calloc(timed->nodes, sizeof(*timed->stack_of));
	if (!timed->stack_of)
		return -ENOMEM;
	timed->stack_of[CALL_TREE_ROOT] = TIMED_NONE;
	for (uint32_t i = 1; !err && i < timed->nodes; i++) {
		struct call_tree_node node = call_tree_node(calls, i);
		uint32_t stack = timed->stack_of[node.parent];

		for (uint32_t k = first[node.name];
		     !err && node.parent != CALL_TREE_ROOT && k < first[node.name + 1]; k++)
			err = add_stack(timed, k, &stack);
		timed->stack_of[i] = node.parent == CALL_TREE_ROOT ? TIMED_NONE : stack;
	}
	return err;
}

static int make_tables(struct timed *timed)
{
	/* Owners have numbers of their own, which may be above those of locations. */
	size_t numbers = (size_t)timed->locations->table.count + timed->locations->owners.count + 2;
	uint32_t *first = calloc(numbers, sizeof(*first));
	int err = first ? make_frames(timed, first) : -ENOMEM;

	if (!err)
		err = make_stacks(timed, first);
	free(first);
	return err;
}

static bool is_selected(const struct timeline_sample *sample)
{
	return sample->node != CALL_TREE_ROOT;
}

bool timed_has_events(const struct timeline_sample *sample)
{
	return is_selected(sample) && sample->events;
}

static size_t place_of(const struct timed *timed, const struct timeline_sample *sample)
{
	return (size_t)sample->track * timed->counters + sample->counter;
}

/* A counting sort keeps the order of time. */
static int make_order(struct timed *timed)
{
	const struct timeline *timeline = timed->timeline;
	size_t places = (size_t)timeline->track_count * timed->counters;
	size_t sum = 0;

	timed->first = calloc(places + 2, sizeof(*timed->first));
	timed->order = calloc(timeline->sample_count + 1, sizeof(*timed->order));
	if (!timed->first || !timed->order)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->sample_count; i++)
		if (is_selected(&timeline->samples[i]))
			timed->first[place_of(timed, &timeline->samples[i]) + 2]++;
	for (size_t i = 0; i < places + 2; i++)
		timed->first[i] = sum += timed->first[i];
	/* Each place now holds its beginning at the next index; filling moves it to its end. */
	for (size_t i = 0; i < timeline->sample_count; i++)
		if (is_selected(&timeline->samples[i]))
			timed->order[timed->first[place_of(timed, &timeline->samples[i]) + 1]++] =
				i;
	return 0;
}

const size_t *timed_samples(const struct timed *timed, uint32_t track, unsigned counter,
			    size_t *count)
{
	size_t place = (size_t)track * timed->counters + counter;

	*count = timed->first[place + 1] - timed->first[place];
	return timed->order + timed->first[place];
}

/* Clocks run at the same rate from the start of the first process on. */
static uint64_t find_zero(const struct timed *timed)
{
	const struct spool_header *first = profile_first(timed->profile);

	if (!first)
		return 0;
	return first->start_ns + timed->timeline->zero_realtime_ns - first->start_realtime_ns;
}

bool timed_has_all(const struct profile *profile)
{
	const struct timeline *timeline = profile_merge(profile)->timeline;

	return timeline && !timeline->partial && timeline->sample_count;
}

bool timed_is_possible(const struct profile *profile)
{
	const struct profile_trees *merge = profile_merge(profile);

	return merge->timeline && merge->locations && !merge->timeline->partial;
}

int timed_open(struct timed *timed, const struct profile *profile, enum settings_weight weight)
{
	const struct profile_trees *merge = profile_merge(profile);

	*timed = (struct timed){
		.profile = profile,
		.timeline = merge->timeline,
		.locations = merge->locations,
		.strings = &merge->strings,
		.counters = profile_counter_count(profile),
	};
	if (!merge->timeline)
		return -EINVAL;
	for (unsigned i = 0; i < timed->counters; i++)
		timed->weigh_events[i] =
			spool_settings_weigh_events(profile_counter(profile, i), weight);
	timed->zero_ns = find_zero(timed);
	return make_order(timed);
}

int timed_make(struct timed *timed, const struct profile *profile, enum settings_weight weight)
{
	int err = timed_open(timed, profile, weight);

	if (!err && !timed->locations)
		err = -EINVAL;
	return err ? err : make_tables(timed);
}

void timed_free(struct timed *timed)
{
	free(timed->frames);
	free(timed->stacks);
	free(timed->stack_of);
	free(timed->order);
	free(timed->first);
}

uint32_t timed_stack_of(const struct timed *timed, const struct timeline_sample *sample)
{
	return sample->location < timed->nodes ? timed->stack_of[sample->location] : TIMED_NONE;
}

uint64_t timed_value(const struct timed *timed, const struct timeline_sample *sample)
{
	return timed->weigh_events[sample->counter] ? sample->events : sample->samples;
}

uint64_t timed_begin(const struct timeline_sample *sample)
{
	return sample->time_ns > sample->events ? sample->time_ns - sample->events : 0;
}

bool timed_is_off_cpu(const struct timed *timed, unsigned counter)
{
	return profile_counter(timed->profile, counter)->flags & SPOOL_COUNTER_OFF_CPU;
}

bool timed_is_cpu_time(const struct timed *timed, unsigned counter)
{
	return profile_counter(timed->profile, counter)->unit == SPOOL_UNIT_NS &&
	       !timed_is_off_cpu(timed, counter);
}

const char *timed_mark_name(enum spool_mark kind)
{
	const char *name = timeline_mark_name(kind);

	return name ? name : "mark";
}

void timed_write_ms(FILE *file, uint64_t ns)
{
	char fraction[7] = ".000000";
	size_t used = sizeof(fraction);

	number_text_plain(file, ns / NS_PER_MS);
	ns %= NS_PER_MS;
	for (unsigned i = 6; i; i--, ns /= 10)
		fraction[i] = (char)('0' + ns % 10);
	while (used > 1 && fraction[used - 1] == '0')
		used--;
	fwrite_unlocked(fraction, 1, used > 1 ? used : 0, file);
}
