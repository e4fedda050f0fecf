/* Texts that are cut into two parts are parts of argv, which is writable. */
#include "runtime/command/options/comparing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/options/input_options.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/maths.h"

#define CONFIDENCE_LEAST 50.0

static int take_confidence(const char *text, void *field, char *line, size_t bytes)
{
	struct comparing *comparing = field;
	char *end;
	double percent = strtod(text, &end);

	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(percent >= CONFIDENCE_LEAST && percent < 100))
		return refuse(line, bytes, -EINVAL,
			      "--confidence %.60s is not a percentage from 50 to less than 100",
			      text);
	comparing->alpha = 1 - percent / 100;
	return 0;
}

/* Returns the sign between two names, which may hold operators of C++: one that is no part of "==",
 * "<=" and the like.  NULL if there is none with text on both sides. */
static char *find_sign(const char *text)
{
	for (char *sign = strchr(text, '='); sign; sign = strchr(sign + 1, '='))
		if (sign > text && sign[1] && sign[1] != '=' && !strchr("=<>!", sign[-1]))
			return sign;
	return NULL;
}

static int take_rename(const char *text, void *field, char *line, size_t bytes)
{
	struct comparing *comparing = field;
	char *sign = find_sign(text);

	if (!sign)
		return refuse(line, bytes, -EINVAL, "--rename %.60s is not of the form OLD=NEW",
			      text);
	if (!grow(&comparing->renames, comparing->rename_count, sizeof(*comparing->renames)))
		return refuse(line, bytes, -ENOMEM, "%s", strerror(ENOMEM));
	*sign = '\0';
	comparing->renames[comparing->rename_count++] = (struct runs_rename){ text, sign + 1 };
	return 0;
}

static int take_limit(const char *text, void *field, char *line, size_t bytes)
{
	struct comparing *comparing = field;
	size_t count = comparing->limit_count;

	if (!grow(&comparing->limits, count, sizeof(*comparing->limits)))
		return refuse(line, bytes, -ENOMEM, "%s", strerror(ENOMEM));
	if (comparison_limit_parse((char *)text, &comparing->limits[count], line, bytes))
		return -EINVAL;
	comparing->limit_count++;
	return 0;
}

const struct manual_option manual_comparing[] = {
	{ "confidence", 0, "PERCENT", NULL, take_confidence, 0,
	  "confidence that the answer must have: from 50 to less than 100 (default 99)" },
	{ "rename", 0, "OLD=NEW", NULL, take_rename, 0,
	  "function OLD of the first is NEW of the second; may be given several times" },
	{ "fail-above", 0, "LIMIT", NULL, take_limit, 0,
	  "exit status 1 if the whole significantly grew by more than LIMIT percent (3%), or "
	  "something by its name: a measure, a counter, or a function with its callees "
	  "(compute=5%); may be given several times" },
	{ "json", 0, NULL, NULL, options_flag, offsetof(struct comparing, json),
	  "print JSON, for programs" },
	{ "markdown", 0, NULL, NULL, options_flag, offsetof(struct comparing, markdown),
	  "print Markdown, for a pull request" },
	{ "all", 0, NULL, NULL, options_flag, offsetof(struct comparing, all),
	  "also rows whose change is not significant" },
	{ 0 },
};

int comparing_check(const struct comparing *comparing, char *line, size_t bytes)
{
	if (comparing->json && comparing->markdown)
		return refuse(line, bytes, -EINVAL, "--json and --markdown exclude each other");
	/* a limit that can never be exceeded would let everything pass */
	if (comparing->limit_count && !maths_has_distributions())
		return refuse(line, bytes, -ELIBACC, "--fail-above needs intervals, and %s",
			      maths_no_distributions());
	return 0;
}

static int write_to(FILE *file, const struct comparing *comparing,
		    const struct comparison *comparison, unsigned rows)
{
	struct comparison_shown shown = {
		.rows = rows,
		.columns = input_options_columns(),
		.all = comparing->all,
	};

	if (comparing->json) {
		terminal_safe_data();
		return comparison_write_json(comparison, file);
	}
	if (comparing->markdown)
		return comparison_write_markdown(comparison, &shown, file);
	return comparison_write_text(comparison, &shown, file);
}

int comparing_write(const struct comparing *comparing, const struct comparison *comparison,
		    unsigned rows)
{
	int err;

	errno = 0;
	err = write_to(stdout, comparing, comparison, rows);
	if (fflush(stdout) && !err)
		err = -EIO;
	return err == -EIO && errno ? -errno : err;
}

int comparing_judge(const struct comparing *comparing, struct comparison *comparison, bool *above)
{
	char line[512];

	*above = false;
	for (size_t i = 0; i < comparing->limit_count; i++) {
		int answer =
			comparison_check(comparison, &comparing->limits[i], line, sizeof(line));

		if (answer < 0) {
			status_line_text(line);
			return answer;
		}
		*above |= answer == COMPARISON_ABOVE;
		/* who reads the data is a program, and who wonders about the status is not */
		if (answer == COMPARISON_ABOVE && (comparing->json || comparing->markdown))
			status_line_text(line);
		if (comparison_note(comparison, "%s", line))
			return status_line_error(NULL, -ENOMEM);
	}
	return 0;
}

void comparing_free(struct comparing *comparing)
{
	free(comparing->renames);
	free(comparing->limits);
	comparing->renames = NULL;
	comparing->limits = NULL;
}
