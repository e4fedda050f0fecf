/*
 * The text of `perf script`, which FlameScope, stackcollapse-perf.pl, speedscope and Firefox
 * Profiler read: for each sample a line with thread, time, weight and counter, its frames from the
 * leaf to the outermost, and an empty line.
 *
 * Times are CLOCK_MONOTONIC.  The weight is the number of events.  The address of an inlined
 * function is that of the function it is inlined into, and its module is `inlined`; a function of
 * an interpreted program has the address 0 and its language as module.  Readers split words at
 * spaces and modules at parentheses: these become `_` in names of threads, counters and modules.
 *
 * A million samples repeat a few thousand frames: the text of each is made once and then copied.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/number_text.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/output/formats/timed.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/formats/format_content.h"

#define NS_PER_S 1000000000U

/* Texts made by one function, one behind the other. */
struct texts {
	char *text;
	size_t bytes;
	size_t *end; /* by number */
};

struct writer {
	struct timed timed;
	struct texts frames;   /* lines */
	struct texts tracks;   /* "comm pid/tid " */
	struct texts counters; /* " cycles:u: " */
	FILE *file;
};

typedef void write_text(const struct writer *writer, uint32_t number, FILE *file);

/* Write a name as one word that ends where its readers expect. */
static void write_word(FILE *file, const char *name, const char *otherwise)
{
	char *word = name[0] ? strdup(name) : NULL;

	for (char *c = word; c && *c; c++)
		if (strchr(" \t()", *c))
			*c = '_';
	if (word)
		safe_text_plain(file, word, strlen(word));
	else
		fputs(otherwise, file);
	free(word);
}

static void write_module(const struct writer *writer, const struct timed_frame *frame, FILE *file)
{
	const struct timed *timed = &writer->timed;
	const char *path = "";

	if (frame->mapping)
		path = timed_text(timed, timed->locations->mappings[frame->mapping - 1].path);
	putc('(', file);
	if (frame->inlined)
		fputs("inlined", file);
	else
		write_word(file, path, "[unknown]");
	putc(')', file);
}

static void write_frame(const struct writer *writer, uint32_t number, FILE *file)
{
	const struct timed_frame *frame = &writer->timed.frames[number];

	fprintf(file, "\t%16" PRIx64 " ", frame->address);
	if (frame->name_bytes)
		safe_text_plain(file, timed_text(&writer->timed, frame->name), frame->name_bytes);
	else
		fputs("[unknown]", file);
	putc(' ', file);
	write_module(writer, frame, file);
	putc('\n', file);
}

static void write_track(const struct writer *writer, uint32_t number, FILE *file)
{
	const struct timeline *timeline = writer->timed.timeline;
	const struct timeline_track *track = &timeline->tracks[number];

	write_word(file, timed_text(&writer->timed, track->name), "[nameless]");
	fprintf(file, " %" PRIu32 "/%" PRIu32 " ", timeline->processes[track->process].pid,
		track->tid);
}

static void write_counter(const struct writer *writer, uint32_t number, FILE *file)
{
	putc(' ', file);
	write_word(file, profile_counter(writer->timed.profile, number)->name, "counter");
	fputs(": \n", file);
}

static int make_texts(const struct writer *writer, struct texts *texts, uint32_t count,
		      write_text *write)
{
	FILE *file = open_memstream(&texts->text, &texts->bytes);
	int err;

	texts->end = calloc((size_t)count + 1, sizeof(*texts->end));
	err = file && texts->end ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < count; i++) {
		write(writer, i, file);
		if (fflush(file))
			err = -ENOMEM;
		texts->end[i] = texts->bytes;
	}
	if (file)
		fclose(file);
	return err;
}

static void free_texts(struct texts *texts)
{
	free(texts->text);
	free(texts->end);
}

static void put_text(const struct writer *writer, const struct texts *texts, uint32_t number)
{
	size_t start = number ? texts->end[number - 1] : 0;

	fwrite_unlocked(texts->text + start, 1, texts->end[number] - start, writer->file);
}

static void put_time(const struct writer *writer, uint64_t ns)
{
	char fraction[10];
	uint64_t rest = ns % NS_PER_S;

	for (unsigned i = 9; i; i--, rest /= 10)
		fraction[i] = (char)('0' + rest % 10);
	fraction[0] = '.';
	number_text_plain(writer->file, ns / NS_PER_S);
	fwrite_unlocked(fraction, 1, sizeof(fraction), writer->file);
	fwrite_unlocked(": ", 1, 2, writer->file);
}

static void put_sample(const struct writer *writer, const struct timeline_sample *sample)
{
	const struct timed *timed = &writer->timed;
	uint32_t stack = timed_stack_of(timed, sample);

	put_text(writer, &writer->tracks, sample->track);
	put_time(writer, timed->zero_ns + sample->time_ns);
	number_text_plain(writer->file, sample->events);
	put_text(writer, &writer->counters, sample->counter);
	for (; stack != TIMED_NONE; stack = timed->stacks[stack].caller)
		put_text(writer, &writer->frames, timed->stacks[stack].frame);
	putc_unlocked('\n', writer->file);
}

static int make_all(struct writer *writer)
{
	const struct timed *timed = &writer->timed;
	int err = make_texts(writer, &writer->frames, timed->frame_count, write_frame);

	if (!err)
		err = make_texts(writer, &writer->tracks, timed->timeline->track_count,
				 write_track);
	return err ? err : make_texts(writer, &writer->counters, timed->counters, write_counter);
}

int format_perfscript(const struct format_content *content, FILE *file)
{
	struct writer writer = { .file = file };
	int err = timed_make(&writer.timed, content->profile, SETTINGS_WEIGHT_EVENTS);

	if (!err)
		err = make_all(&writer);
	for (size_t i = 0; !err && i < writer.timed.timeline->sample_count; i++)
		if (timed_has_events(&writer.timed.timeline->samples[i]))
			put_sample(&writer, &writer.timed.timeline->samples[i]);
	if (!err && ferror(file))
		err = -EIO;
	free_texts(&writer.frames);
	free_texts(&writer.tracks);
	free_texts(&writer.counters);
	timed_free(&writer.timed);
	return err;
}
