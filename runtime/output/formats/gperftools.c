/*
 * The reader takes "--" in a name as the separator of inlined functions, and `<…>` as template
 * arguments, which it leaves out: an interpreted function `app.<module>` would lose its name.  It
 * also takes a second frame that all stacks share for that of a signal handler, and removes it.  A
 * first stack of one frame with a count of 0 prevents that.
 */
#include "runtime/output/formats/gperftools.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/output/formats/format_content.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/spool/spool_settings.h"

static void put_word(FILE *file, uint64_t word)
{
	fwrite(&word, sizeof(word), 1, file);
}

static int number_names(struct string_table *strings, struct frame_tree *tree)
{
	struct frame *frame = frame_tree_root(tree);

	while ((frame = frame_tree_next(frame)))
		if (!string_table_intern(strings, frame->name, strlen(frame->name)))
			return -ENOMEM;
	return 0;
}

static void write_piece(FILE *file, const char *text, size_t bytes, bool interpreted)
{
	size_t whole;

	while (interpreted && (whole = strcspn(text, "<>")) < bytes) {
		safe_text_plain(file, text, whole);
		putc(text[whole] == '<' ? '[' : ']', file);
		text += whole + 1;
		bytes -= whole + 1;
	}
	safe_text_plain(file, text, bytes);
}

static void write_name(FILE *file, const char *name)
{
	size_t bytes;
	bool interpreted = frame_kind_of(name, &bytes) == FRAME_KIND_INTERP;
	const char *mark;

	while ((mark = strstr(name, "--"))) {
		write_piece(file, name, (size_t)(mark - name) + 1, interpreted);
		putc(' ', file);
		name = mark + 1;
	}
	write_piece(file, name, strlen(name), interpreted);
}

static void write_symbols(const struct string_table *strings, const char *program, FILE *file)
{
	fputs("--- symbol\n", file);
	if (program[0]) {
		fputs("binary=", file);
		safe_text_plain(file, program, strlen(program));
		putc('\n', file);
	}
	for (uint32_t i = 1; i <= strings->count; i++) {
		fprintf(file, "0x%016x ", i);
		write_name(file, string_table_text(strings, i));
		putc('\n', file);
	}
	fputs("---\n--- profile\n", file);
}

static void write_stack(struct string_table *strings, const struct frame *frame, FILE *file)
{
	uint64_t depth = 0;

	for (const struct frame *up = frame; up->parent; up = up->parent)
		depth++;
	put_word(file, frame->self);
	put_word(file, depth);
	for (; frame->parent; frame = frame->parent)
		put_word(file, string_table_intern(strings, frame->name, strlen(frame->name)));
}

static void write_profile(struct string_table *strings, struct frame_tree *tree, uint64_t period_us,
			  FILE *file)
{
	const uint64_t head[] = { 0, 3, 0, period_us, 0, 0, 1, 1 };
	const uint64_t end[] = { 0, 1, 0 };

	fwrite(head, sizeof(head[0]), sizeof(head) / sizeof(head[0]) - (strings->count ? 0 : 3),
	       file);
	for (struct frame *frame = frame_tree_root(tree); frame; frame = frame_tree_next(frame))
		if (frame->self)
			write_stack(strings, frame, file);
	fwrite(end, sizeof(end), 1, file);
}

int gperftools_write(struct frame_tree *tree, const char *program, uint64_t period_us, FILE *file)
{
	struct string_table strings = { 0 };
	int err = number_names(&strings, tree);

	if (!err) {
		write_symbols(&strings, program, file);
		write_profile(&strings, tree, period_us, file);
		err = ferror(file) ? -EIO : 0;
	}
	string_table_free(&strings);
	return err;
}

int format_gperftools(const struct format_content *content, FILE *file)
{
	const struct spool_header *first = profile_first(content->profile);
	const struct spool_counter *about = profile_counter(content->profile, content->counter);
	uint64_t period_ns = 0;

	if (!content->wall && about->unit == SPOOL_UNIT_NS &&
	    !spool_settings_weigh_events(about, content->weight))
		period_ns = profile_period(content->profile, content->counter);
	return gperftools_write(content->tree, first ? first->executable : "",
				(period_ns + 500) / 1000, file);
}
