/*
 * pprof's profile.proto, gzipped: all counters of a profile in one file, by address.
 *
 * Readers require, and the file has: numbers of mappings, locations and functions that count from 1
 * without a gap; the program as the first mapping; addresses within their mapping; `samples` as the
 * first kind of value, then the counters with the user's first one last, because readers show the
 * last one when default_sample_type is not set; text in UTF-8.  Addresses are those to look up: a
 * caller's is its return address minus one.
 *
 * Order: the tables, then the description of the profile, then the samples, which refer to both;
 * the strings come last, when all are known.  The message is compressed while it is packed.
 */
#include <errno.h>
#include <pprof.pb-c.c> /* NOLINT(bugprone-suspicious-include): made by protoc */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/profile/base/gzip.h"
#include "runtime/output/formats/pprof_tables.h"
#include "runtime/output/formats/protobuf.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/formats/format_content.h"

#define COLUMNS_MAX  (SPOOL_COUNTERS_MAX + 1)
#define COMMENTS_MAX (SPOOL_COUNTERS_MAX + 8)

struct builder {
	const struct profile *profile;
	const struct call_tree *calls;
	struct pprof_tables tables;
	Pprof__Profile message;
	Pprof__ValueType period;
	Pprof__ValueType type[COLUMNS_MAX];
	Pprof__ValueType *types[COLUMNS_MAX];
	unsigned counter[COLUMNS_MAX]; /* for each kind of value after the first, `samples` */
	unsigned columns;
	int64_t comment[COMMENTS_MAX];
};

static int64_t string(struct builder *builder, const char *text)
{
	return pprof_tables_string(&builder->tables, text, strlen(text));
}

static int64_t signed_value(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static bool is_cpu_time(const struct spool_counter *counter)
{
	size_t length = strcspn(counter->name, ":/");

	return (length == strlen("task-clock") && !strncmp(counter->name, "task-clock", length)) ||
	       (length == strlen("cpu-clock") && !strncmp(counter->name, "cpu-clock", length));
}

/* Readers know CPU time as "cpu"; the name must not occur twice. */
static const char *type_name(const struct builder *builder, unsigned counter)
{
	const struct spool_counter *about = profile_counter(builder->profile, counter);

	for (unsigned i = 0; i < profile_counter_count(builder->profile); i++) {
		const struct spool_counter *other = profile_counter(builder->profile, i);

		if (i != counter && (is_cpu_time(other) || !strcmp(other->name, "cpu")))
			return about->name;
	}
	return is_cpu_time(about) ? "cpu" : about->name;
}

static void set_type(struct builder *builder, Pprof__ValueType *type, unsigned counter)
{
	bool ns = profile_counter(builder->profile, counter)->unit == SPOOL_UNIT_NS;

	pprof__value_type__init(type);
	type->type = string(builder, type_name(builder, counter));
	type->unit = string(builder, ns ? "nanoseconds" : "count");
}

static void describe_values(struct builder *builder)
{
	Pprof__ValueType *samples = &builder->type[0];

	pprof__value_type__init(samples);
	samples->type = string(builder, "samples");
	samples->unit = string(builder, "count");
	builder->columns = 1;
	for (unsigned i = profile_counter_count(builder->profile); i--;) {
		if (profile_counter(builder->profile, i)->flags & SPOOL_COUNTER_UNAVAILABLE ||
		    builder->columns == COLUMNS_MAX)
			continue;
		builder->counter[builder->columns] = i;
		set_type(builder, &builder->type[builder->columns++], i);
	}
	for (unsigned i = 0; i < builder->columns; i++)
		builder->types[i] = &builder->type[i];
	builder->message.sample_type = builder->types;
	builder->message.n_sample_type = builder->columns;
}

static void describe_period(struct builder *builder)
{
	const struct profile_summary *summary = profile_summary(builder->profile);
	Pprof__Profile *message = &builder->message;
	struct profile_window window;
	uint64_t start_ns = summary->start_realtime_ns, duration_ns = summary->wall_ns;

	if (profile_window(builder->profile, &window)) {
		start_ns += window.from_ns;
		duration_ns = window.to_ns - window.from_ns;
	}
	message->time_nanos = signed_value(start_ns);
	message->duration_nanos = signed_value(duration_ns);
	if (builder->columns < 2)
		return;
	set_type(builder, &builder->period, builder->counter[builder->columns - 1]);
	message->period_type = &builder->period;
	message->period = signed_value(
		profile_period(builder->profile, builder->counter[builder->columns - 1]));
}

__attribute__((format(printf, 2, 3))) static void comment(struct builder *builder,
							  const char *format, ...)
{
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (builder->message.n_comment < COMMENTS_MAX)
		builder->comment[builder->message.n_comment++] = string(builder, text);
}

static void describe_counter(struct builder *builder, unsigned counter)
{
	struct profile_total total = profile_total(builder->profile, counter);
	const struct spool_counter *about = profile_counter(builder->profile, counter);
	char rate[96];

	notes_rate(builder->profile, counter, rate, sizeof(rate));
	if (about->flags & SPOOL_COUNTER_UNAVAILABLE)
		comment(builder, "%s: could not be opened", about->name);
	else
		comment(builder, "%s: %s; counted %llu, in stacks %llu, paused %llu", about->name,
			rate, (unsigned long long)total.counted, (unsigned long long)total.events,
			(unsigned long long)total.paused);
}

/* Comments for readers of the numbers: pprof -comments. */
static void describe_run(struct builder *builder)
{
	const struct profile_summary *summary = profile_summary(builder->profile);
	char command[400];
	char engines[64];

	notes_command(builder->profile, command, sizeof(command));
	notes_engines(summary->engines, engines, sizeof(engines));
	builder->message.comment = builder->comment;
	comment(builder, "flametrap " FLAMETRAP_VERSION);
	if (!summary->spools)
		return;
	comment(builder, "command: %s", command);
	for (unsigned i = 0; i < profile_counter_count(builder->profile); i++)
		describe_counter(builder, i);
	comment(builder, "%llu samples of %u threads in %u processes, by %s; %llu lost",
		(unsigned long long)summary->count[SPOOL_COUNT_SAMPLES], summary->threads,
		summary->processes, engines, (unsigned long long)summary->lost);
	comment(builder, "overhead: %llu ns in the handler; %llu ns of %llu ns CPU time",
		(unsigned long long)summary->count[SPOOL_COUNT_HANDLER_NS],
		(unsigned long long)summary->cpu_handler_ns, (unsigned long long)summary->cpu_ns);
	if (summary->damaged)
		comment(builder, "part of the data could not be read");
}

/* Computes the values of a node; false if all are 0. */
static bool values_of(const struct builder *builder, uint32_t node, int64_t *value)
{
	uint64_t samples = 0;
	bool any;

	for (unsigned i = 0; i < profile_counter_count(builder->profile); i++)
		if (profile_counter(builder->profile, i)->flags & SPOOL_COUNTER_SAMPLES)
			samples += call_tree_weight(builder->calls, node, i).samples;
	value[0] = signed_value(samples);
	any = samples > 0;
	for (unsigned i = 1; i < builder->columns; i++) {
		value[i] = signed_value(
			call_tree_weight(builder->calls, node, builder->counter[i]).events);
		any = any || value[i];
	}
	return any;
}

/* Lists the stack leaf first; the outermost node is the owner and no frame.  Returns the owner. */
static uint32_t stack_of(const struct builder *builder, uint32_t node, Pprof__Sample *sample)
{
	struct call_tree_node at = call_tree_node(builder->calls, node);

	for (; at.depth > 1; at = call_tree_node(builder->calls, at.parent))
		sample->location_id[sample->n_location_id++] = at.name;
	return at.name;
}

static void fill_sample(struct builder *builder, uint32_t node, Pprof__Sample *sample)
{
	uint32_t owner = stack_of(builder, node, sample);

	sample->n_value = builder->columns;
	sample->label = builder->tables.labels + builder->tables.first_label[owner - 1];
	sample->n_label =
		builder->tables.first_label[owner] - builder->tables.first_label[owner - 1];
}

static int make_samples(struct builder *builder)
{
	uint32_t nodes = call_tree_count(builder->calls);
	int64_t value[COLUMNS_MAX];
	size_t count = 0;
	size_t frames = 0;
	Pprof__Sample *sample;
	uint64_t *ids;
	int64_t *values;

	for (uint32_t i = 1; i < nodes; i++) {
		if (!values_of(builder, i, value))
			continue;
		count++;
		frames += call_tree_node(builder->calls, i).depth;
	}
	sample = pprof_tables_take(&builder->tables, count, sizeof(*sample));
	ids = pprof_tables_take(&builder->tables, frames, sizeof(*ids));
	values = pprof_tables_take(&builder->tables, count, builder->columns * sizeof(*values));
	builder->message.sample =
		pprof_tables_take(&builder->tables, count, sizeof(Pprof__Sample *));
	if (!sample || !ids || !values || !builder->message.sample)
		return -ENOMEM;
	for (uint32_t i = 1; i < nodes; i++) {
		if (!values_of(builder, i, value))
			continue;
		memcpy(values, value, builder->columns * sizeof(*values));
		pprof__sample__init(sample);
		sample->location_id = ids;
		sample->value = values;
		fill_sample(builder, i, sample);
		ids += sample->n_location_id;
		values += builder->columns;
		builder->message.sample[builder->message.n_sample++] = sample++;
	}
	return 0;
}

struct sink {
	ProtobufCBuffer base;
	struct gzip *gzip;
};

static void append(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes)
{
	gzip_write(((struct sink *)buffer)->gzip, bytes, length);
}

static int pack(const struct builder *builder, FILE *file)
{
	struct sink sink = { .base = { .append = append } };
	int err = protobuf_load();

	if (!err)
		err = gzip_new(file, &sink.gzip);
	if (err)
		return err;
	protobuf_pack(&builder->message.base, &sink.base);
	return gzip_free(sink.gzip);
}

int format_pprof(const struct format_content *content, FILE *file)
{
	const struct locations *locations = profile_merge(content->profile)->locations;
	struct builder builder = { .profile = content->profile };
	int err;

	if (!locations)
		return -EINVAL;
	builder.calls = locations->calls;
	pprof__profile__init(&builder.message);
	err = pprof_tables_make(&builder.tables, locations, &builder.message);
	if (!err) {
		describe_values(&builder);
		describe_period(&builder);
		describe_run(&builder);
		err = make_samples(&builder);
	}
	if (!err)
		err = pprof_tables_strings(&builder.tables, &builder.message);
	if (!err)
		err = pack(&builder, file);
	pprof_tables_free(&builder.tables);
	return err;
}
