/* Counters with their totals, processes and losses; struct profile_trees holds the stacks. */
#include "runtime/profile/merge/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/now.h"
#include "runtime/profile/time/blocked.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/label_split.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/profile/spool/spool_files.h"
#include "runtime/profile/spool/spool_read.h"

struct counter {
	struct spool_counter about;
	struct profile_total total; /* without the sums that the call tree has */
};

struct profile {
	struct profile_trees merge;
	struct profile_summary summary;
	struct profile_processes processes;
	struct counter *counters;
	unsigned counter_count;
	struct spool_header *first;
	struct window_span window; /* CLOCK_REALTIME */
	struct window_cut_loss loss;
};

struct profile *profile_new(const struct profile_options *options)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (profile)
		profile->window.to_ns = UINT64_MAX;
	if (profile && profile_trees_open(&profile->merge, options)) {
		free(profile);
		return NULL;
	}
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	profile_trees_close(&profile->merge);
	profile_processes_free(&profile->processes);
	free(profile->counters);
	free(profile->first);
	free(profile);
}

/* Returns the index of the profile's counter with that name, made if it is new; -ENOMEM. */
static int find_counter(struct profile *profile, const struct spool_counter *counter)
{
	for (unsigned i = 0; i < profile->counter_count; i++) {
		struct spool_counter *known = &profile->counters[i].about;
		uint32_t unavailable = known->flags & counter->flags & SPOOL_COUNTER_UNAVAILABLE;

		if (strcmp(known->name, counter->name) != 0)
			continue;
		known->missing = known->missing && counter->missing;
		if (known->raised < counter->raised)
			known->raised = counter->raised;
		known->flags |= counter->flags;
		known->flags &= ~SPOOL_COUNTER_UNAVAILABLE;
		known->flags |= unavailable;
		return (int)i;
	}
	if (!grow(&profile->counters, profile->counter_count, sizeof(*profile->counters)))
		return -ENOMEM;
	profile->counters[profile->counter_count] = (struct counter){ .about = *counter };
	return (int)profile->counter_count++;
}

static void add_totals(struct profile *profile, const struct spool_read *spool,
		       const struct spool_read_thread *thread, const uint32_t *counter)
{
	for (uint32_t c = 0; c < spool->header.counter_count; c++) {
		struct profile_total *total = &profile->counters[counter[c]].total;

		total->counted += thread->slot.total[c].value;
		total->enabled_ns += thread->slot.total[c].enabled_ns;
		total->running_ns += thread->slot.total[c].running_ns;
		total->dropped += thread->slot.total[c].dropped;
		total->paused += thread->slot.total[c].paused;
	}
}

/* Counters that came with this spool refer to their leader by its number in the spool. */
static void adopt_leaders(struct profile *profile, const struct spool_read *spool,
			  const uint32_t *counter, unsigned known)
{
	uint32_t count = spool->header.counter_count;

	for (uint32_t c = 0; c < count; c++) {
		uint32_t leader = spool->header.counter[c].leader;

		if (counter[c] >= known)
			profile->counters[counter[c]].about.leader =
				counter[leader < count ? leader : c];
	}
}

static int add_contexts(struct profile *profile, const struct spool_read *spool)
{
	uint32_t counter[SPOOL_COUNTERS_MAX];
	unsigned known = profile->counter_count;

	for (uint32_t c = 0; c < spool->header.counter_count; c++) {
		int found = find_counter(profile, &spool->header.counter[c]);

		if (found < 0)
			return found;
		counter[c] = (uint32_t)found;
		lacks_add(&profile->counters[found].total.lacks, spool, c);
	}
	adopt_leaders(profile, spool, counter, known);
	for (size_t i = 0; i < spool->thread_count; i++)
		add_totals(profile, spool, &spool->threads[i], counter);
	return profile_trees_spool(&profile->merge, spool, counter);
}

static int add_spool(struct profile *profile, const struct spool_read *spool)
{
	int err;

	if (!profile->first) {
		profile->first = malloc(sizeof(*profile->first));
		if (!profile->first)
			return -ENOMEM;
		memcpy(profile->first, &spool->header, sizeof(spool->header));
	}
	err = profile_summary_add(&profile->summary, &profile->processes, spool);
	return err ? err : add_contexts(profile, spool);
}

static bool is_running(const struct spool_header *header, const char *path)
{
	return header->state == SPOOL_RUNNING &&
	       spool_files_state_of(path, header) == SPOOL_FILES_RUNNING;
}

/* The process of a spool without an end may run, or may have been killed. */
static uint64_t last_ns(const struct spool_read *spool, const char *path)
{
	uint64_t last = window_cut_last(spool), now;

	if (!is_running(&spool->header, path))
		return last;
	now = now_monotonic_ns();
	return now > last ? now : last;
}

/* Returns 0, or -EINVAL with `line` filled if no sample of the spool has a time. */
static int check_timed(const struct spool_header *header, const char *path, char *line,
		       size_t bytes)
{
	if (header->timeline_bytes)
		return 0;
	snprintf(line, bytes, "%s: its samples have no times%s", path,
		 header->version == 4 ? ", because an older flametrap made it: --from, --to and "
					"--last need a new profile"
				      : " (--timeline no): --from, --to and --last need a profile "
					"made without that");
	return -EINVAL;
}

int profile_expect_fd(struct profile *profile, int fd, const char *path, char *line, size_t bytes)
{
	struct spool_read spool = { .last_ns = 0 };
	int err = spool_read_header_fd(fd, path, &spool.header, line, bytes);

	if (!err)
		err = check_timed(&spool.header, path, line, bytes);
	if (!err && !spool.header.end_ns && !is_running(&spool.header, path))
		err = spool_read_timed_fd(fd, path, &spool, line, bytes);
	if (err < 0)
		return err;
	err = timeline_axis_add(&profile->merge.axis, &spool.header, last_ns(&spool, path));
	if (err)
		snprintf(line, bytes, "%s: %s", path, strerror(-err));
	spool_read_free(&spool);
	return err;
}

int profile_place(struct profile *profile, char *line, size_t bytes)
{
	const struct timeline_axis *axis = &profile->merge.axis;

	return window_place(&profile->merge.options.window, axis->start_ns, axis->end_ns,
			    &profile->window, line, bytes);
}

bool profile_window(const struct profile *profile, struct profile_window *window)
{
	const struct timeline_axis *axis = &profile->merge.axis;
	const struct window_span *span = &profile->window;

	window->whole_ns = axis->end_ns - axis->start_ns;
	window->from_ns = span->from_ns ? span->from_ns - axis->start_ns : 0;
	window->to_ns = span->to_ns == UINT64_MAX ? window->whole_ns : span->to_ns - axis->start_ns;
	window->loss = profile->loss;
	return window_is_set(&profile->merge.options.window);
}

static uint64_t moved(uint64_t ns, uint64_t offset_ns)
{
	return (int64_t)(ns - offset_ns) < 0 ? 0 : ns - offset_ns;
}

/* Take the part of a spool that lies in the window. */
static void cut(struct profile *profile, struct spool_read *spool)
{
	uint64_t offset_ns = timeline_axis_offset(&profile->merge.axis, &spool->header);
	const struct window_span *window = &profile->window;

	window_cut(spool, window->from_ns ? moved(window->from_ns, offset_ns) : 0,
		   window->to_ns == UINT64_MAX ? UINT64_MAX : moved(window->to_ns, offset_ns),
		   &profile->loss);
}

static int read_spool(const struct profile *profile, int fd, const char *path,
		      struct spool_read *spool, char *line, size_t bytes)
{
	const struct profile_options *options = &profile->merge.options;

	if (options->timeline || label_split_is_needed(options) || window_is_set(&options->window))
		return spool_read_timed_fd(fd, path, spool, line, bytes);
	return spool_read_fd(fd, path, spool, line, bytes);
}

static void refuse_unlabelled(const struct spool_header *header, const char *path, char *line,
			      size_t bytes)
{
	snprintf(line, bytes, "%s: its samples have no labels, %s", path,
		 header->version == 4 ? "because an older flametrap made it"
				      : "because it was made with --timeline no");
}

int profile_read_fd(struct profile *profile, int fd, const char *path, char *line, size_t bytes)
{
	const struct profile_options *options = &profile->merge.options;
	struct spool_read spool;
	struct stat st;
	int damaged = read_spool(profile, fd, path, &spool, line, bytes);
	int err;

	if (damaged < 0)
		return damaged;
	if ((options->label || options->only_key) && !spool.header.timeline_bytes) {
		refuse_unlabelled(&spool.header, path, line, bytes);
		spool_read_free(&spool);
		return -EINVAL;
	}
	spool.last_ns = last_ns(&spool, path);
	err = blocked_add(&spool, fd, profile->merge.namer);
	if (!err && window_is_set(&options->window))
		cut(profile, &spool);
	if (!err)
		err = add_spool(profile, &spool);
	if (!err) {
		profile_summary_add_state(&profile->summary, path, &spool.header);
		profile->summary.foreign |= fstat(fd, &st) || st.st_uid != geteuid();
	}
	spool_read_free(&spool);
	if (!err)
		return damaged;
	snprintf(line, bytes, "%s: %s", path, strerror(-err));
	return err;
}

int profile_read(struct profile *profile, const char *path, char *line, size_t bytes)
{
	int fd, err = spool_read_open(path, &fd, line, bytes);

	if (err)
		return err;
	err = profile_read_fd(profile, fd, path, line, bytes);
	close(fd);
	return err;
}

int profile_add_tree(struct profile *profile, struct frame_tree *tree)
{
	const struct spool_counter nameless = { .name = "value", .flags = SPOOL_COUNTER_SAMPLES };

	if (!profile->counter_count) {
		int counter = find_counter(profile, &nameless);

		if (counter < 0)
			return counter;
	}
	return profile_trees_tree(&profile->merge, tree, 0);
}

const struct profile_summary *profile_summary(const struct profile *profile)
{
	return &profile->summary;
}

const struct spool_header *profile_first(const struct profile *profile)
{
	return profile->first;
}

unsigned profile_counter_count(const struct profile *profile)
{
	return profile->counter_count;
}

const struct spool_counter *profile_counter(const struct profile *profile, unsigned counter)
{
	return &profile->counters[counter].about;
}

struct profile_total profile_total(const struct profile *profile, unsigned counter)
{
	struct profile_total total = profile->counters[counter].total;
	struct spool_read_weight carried = call_tree_sum(profile->merge.calls, counter);

	total.samples = carried.samples;
	total.events = carried.events;
	return total;
}

uint64_t profile_period(const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);

	if (about->period)
		return about->period;
	if (about->unit == SPOOL_UNIT_NS && about->frequency_hz)
		return 1000000000 / about->frequency_hz;
	return total.samples ? total.events / total.samples : 0;
}

double profile_per_sample(const struct profile *profile, unsigned counter)
{
	struct profile_total total = profile_total(profile, counter);
	uint64_t period = profile_period(profile, counter);

	if (!(profile_counter(profile, counter)->flags & SPOOL_COUNTER_OFF_CPU))
		return (double)period;
	return period > 1 && total.samples ? (double)total.events / (double)total.samples : 0;
}

int profile_settle(struct profile *profile)
{
	struct timeline *timeline = profile->merge.timeline;

	return timeline ? timeline_settle(timeline, profile->merge.axis.start_ns,
					  profile->window.from_ns, profile->window.to_ns)
			: 0;
}

const struct profile_trees *profile_merge(const struct profile *profile)
{
	return &profile->merge;
}
