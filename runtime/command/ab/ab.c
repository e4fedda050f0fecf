/*
 * Runs in turns, interim analyses, and the answer.
 *
 * The signals that ask us to end stay blocked from the first run to the last and are taken
 * between the runs, so a ctrl-C ends the program that runs, as it would without us, and then us:
 * with the answer so far, and nothing left behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "runtime/command/ab/ab.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/profile/base/maths.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/machine.h"

#define STATUS_ABOVE   1
#define STATUS_REFUSED 125
#define STATUS_SIGNAL  128
#define LINE_BYTES     1024

struct ab {
	struct ab_options options;
	struct variant variant[RUNS_SIDES];
	struct child_signals signals;
	struct starter starter;
	struct machine *machine;
	struct runs_options runs;
	struct samples samples;
	struct comparison comparison; /* of the last analysis */
	int ending;		      /* the signal that asked us to end; 0: none */
};

/* Say how a run ended.  Returns 0 if it counts; or -ECANCELED after a message. */
static int check_end(const struct ab *ab, const struct variant_run *run,
		     const struct variant *variant, const char *name)
{
	int status = child_exit_status(&run->child);

	if (!status || ab->options.ignore_failure)
		return 0;
	return fail(-ECANCELED,
		    "%s (%s) ended with status %d; --ignore-failure compares such runs too", name,
		    variant->label, status);
}

static int check_profiled(const struct variant *variant, const struct run_result *result,
			  const char *name)
{
	const struct settings *settings = &variant->launch.settings;

	if (result->profiled || !settings->strict || settings->follow_glob[0])
		return 0;
	return fail(-ENOTSUP, "%s (%s) was not profiled (FLAMETRAP_STRICT)", name, variant->label);
}

/* Run a variant once, and read what it left.  Returns 0; -EINTR if we are to end; or -errno after a
 * message.  Call run_result_free() in any case. */
static int run_once(struct ab *ab, enum runs_side which, const char *name, bool counts,
		    struct run_result *result)
{
	struct variant *variant = &ab->variant[which];
	char line[LINE_BYTES], save[PATH_MAX];
	struct variant_run run;
	int err = starter_run(&ab->starter, ab->variant, which, &run, line, sizeof(line));

	ab->ending = run.child.ending;
	if (err && err != -EINTR)
		status_line_text(line);
	if (!err)
		err = check_end(ab, &run, variant, name);
	if (!err)
		err = run_result_make(result, variant, &run, ab->machine,
				      counts ? ab_output_stem(&ab->options, name, save,
							      sizeof(save))
					     : NULL);
	if (!err)
		err = check_profiled(variant, result, name);
	variant_end(variant, &run);
	return err;
}

/* A line for each pair: commands may write to the terminal, too, so none is taken back. */
static void show_progress(const struct ab *ab, size_t pair, const struct run_result *result)
{
	if (isatty(STDERR_FILENO))
		status_line("run %zu of %u: %.3g s, %.3g s", pair + 1, ab->options.runs,
			    result[RUNS_BEFORE].value[VARIANT_WALL] / 1e9,
			    result[RUNS_AFTER].value[VARIANT_WALL] / 1e9);
}

/* The run before the one that failed may have left spools. */
static void forget_pair(const struct ab *ab, size_t pair)
{
	for (int which = 0; which < RUNS_SIDES; which++) {
		char name[32];

		variant_name((enum runs_side)which, false, pair, name, sizeof(name));
		ab_output_forget(&ab->options, name);
	}
}

/* A pair counts as a whole or not at all. */
static int run_pair(struct ab *ab, size_t pair, bool warmup)
{
	struct run_result result[RUNS_SIDES] = { 0 };
	int err = 0;

	for (size_t run = 0; !err && run < RUNS_SIDES; run++) {
		enum runs_side which = schedule_variant(pair, run);
		char name[32];

		variant_name(which, warmup, pair, name, sizeof(name));
		err = run_once(ab, which, name, !warmup, &result[which]);
	}
	if (!err && !warmup)
		show_progress(ab, pair, result);
	for (int which = 0; !err && !warmup && which < RUNS_SIDES; which++)
		err = status_line_error(NULL, samples_add(&ab->samples, (enum runs_side)which,
							  &result[which]));
	run_result_free(&result[RUNS_BEFORE]);
	run_result_free(&result[RUNS_AFTER]);
	if (err && !warmup)
		forget_pair(ab, pair);
	return err;
}

/* Without interim analyses all of alpha is left; and without R's library there is no interval. */
static double alpha_of(const struct ab *ab)
{
	double alpha = ab->options.comparing.alpha;

	return ab->options.no_early_stop || !maths_has_distributions()
		       ? alpha
		       : schedule_alpha(alpha, ab->samples.variant[0].runs, ab->options.runs);
}

static int analyse(struct ab *ab)
{
	comparison_free(&ab->comparison);
	return status_line_error(NULL, answer_make(&ab->comparison, &ab->samples, ab->variant,
						   alpha_of(ab)));
}

/* Make all runs.  Returns 0 with the last analysis; or -errno after a message. */
static int run_all(struct ab *ab)
{
	const struct comparing *comparing = &ab->options.comparing;
	bool decided = false;
	int err = 0;

	for (size_t pair = 0; !err && pair < ab->options.warmup; pair++)
		err = run_pair(ab, pair, true);
	for (size_t pair = 0; !err && !decided && pair < ab->options.runs; pair++) {
		err = run_pair(ab, pair, false);
		if (err || ab->options.no_early_stop ||
		    !schedule_is_interim(pair + 1, ab->options.runs))
			continue;
		err = analyse(ab);
		decided = !err && schedule_decided(&ab->comparison, comparing->limits,
						   comparing->limit_count);
	}
	if (err && err != -EINTR)
		return err;
	/* the last analysis may have been of all that there is */
	if (!ab->samples.variant[0].runs || ab->comparison.runs[0] == ab->samples.variant[0].runs)
		return 0;
	return analyse(ab);
}

static int print_answer(struct ab *ab)
{
	const struct comparing *comparing = &ab->options.comparing;
	bool above, known;

	if (!ab->samples.variant[0].runs)
		return fail(STATUS_REFUSED,
			    "ended before both commands had run, so there is nothing to compare");
	if (status_line_error(NULL, answer_note(&ab->comparison, &ab->samples, &ab->options)))
		return STATUS_REFUSED;
	/* without an answer to a limit, the rest is worth the runs that it took */
	known = !comparing_judge(comparing, &ab->comparison, &above);
	if (status_line_error("standard output",
			      comparing_write(comparing, &ab->comparison, ab->options.rows)) ||
	    status_line_flushed() || ab_output_draw(&ab->options, &ab->comparison) || !known)
		return STATUS_REFUSED;
	return above ? STATUS_ABOVE : 0;
}

/* All refusals that need no run.  Returns 0; or -errno with `line` filled. */
static int prepare(struct ab *ab, char *line, size_t bytes)
{
	const struct settings *settings = &ab->variant[RUNS_BEFORE].launch.settings;
	struct comparing *comparing = &ab->options.comparing;
	int err = 0;

	for (size_t i = 0; i < comparing->limit_count; i++)
		if (!comparing->limits[i].name)
			comparing->limits[i].name = "wall";
	/* both warn of the same */
	for (int which = 0; !err && which < RUNS_SIDES; which++)
		err = variant_prepare(&ab->variant[which], &ab->options, (enum runs_side)which,
				      which == RUNS_BEFORE ? status_line_text : NULL, line, bytes);
	if (!err)
		err = variant_check_input(&ab->options, line, bytes);
	if (!err)
		err = ab_output_check_picture(&ab->options, line, bytes);
	if (!err)
		err = ab_output_make_directory(&ab->options, line, bytes);
	if (err)
		return err;
	ab->runs = (struct runs_options){
		.renames = comparing->renames,
		.rename_count = comparing->rename_count,
		.outer = settings->threads == SETTINGS_THREADS_MERGE ? 0 : 2,
	};
	ab->machine = machine_new(status_line_text);
	if (ab->machine && !samples_make(&ab->samples, ab->options.runs, &ab->runs))
		return 0;
	return refuse(line, bytes, -ENOMEM, "no memory");
}

/* End by the signal that asked us to.  Returns the exit status for a process that it does not end
 * (the first one of a container).  Memory that is of no interest is not dumped. */
static int end_by(int signal_number)
{
	fflush(NULL);
	prctl(PR_SET_DUMPABLE, 0);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	return STATUS_SIGNAL + signal_number;
}

static int run_and_compare(struct ab *ab)
{
	sigset_t streams;
	int err, status;

	launch_reserve_streams();
	spool_read_allow_others();
	child_hold(&ab->signals);
	/* a reader of ours who is gone, or a limit on file sizes, is an error to report; programs
	 * start with the mask from before */
	sigemptyset(&streams);
	sigaddset(&streams, SIGPIPE);
	sigaddset(&streams, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &streams, NULL);
	err = status_line_error("cannot start a process", starter_make(&ab->starter, &ab->options,
								       ab->variant, &ab->signals));
	if (!err)
		err = run_all(ab);
	starter_end(&ab->starter);
	if (!ab->ending)
		ab->ending = child_ending();
	interrupt_ignore_streams();
	/* from here on, a signal ends us at once */
	interrupt_expect(NULL);
	child_release(&ab->signals);
	status = err ? STATUS_REFUSED : print_answer(ab);
	return ab->ending ? end_by(ab->ending) : status;
}

static void say_table(const char *line)
{
	fprintf(stderr, "%s\n", line);
}

static int ab_run(struct ab *ab)
{
	char line[LINE_BYTES];

	/* before /dev/null takes its place */
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0) {
		status_line_error("standard output", -errno);
		return STATUS_REFUSED;
	}
	if (prepare(ab, line, sizeof(line)))
		return fail(STATUS_REFUSED, "%s", line);
	if (ab->variant[RUNS_BEFORE].launch.settings.mode == SETTINGS_HELP)
		table_settings(say_table);
	return run_and_compare(ab);
}

int verb_ab(int argc, char **argv)
{
	struct ab *ab = calloc(1, sizeof(*ab));
	int status = STATUS_REFUSED;

	if (!ab)
		return fail(STATUS_REFUSED, "no memory");
	if (ab_options_read(&ab->options, argc, argv, &status))
		status = ab_run(ab);
	comparison_free(&ab->comparison);
	samples_free(&ab->samples);
	machine_free(ab->machine);
	variant_free(&ab->variant[RUNS_BEFORE]);
	variant_free(&ab->variant[RUNS_AFTER]);
	comparing_free(&ab->options.comparing);
	free(ab);
	return status;
}
