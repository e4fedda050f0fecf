/*
 * The settings and the environment of a program that is to be profiled.  The library decides in the
 * program which events it counts (runtime/sample/plan/engine.c); the check of events here only
 * predicts a certain refusal, and in any doubt the program runs.
 */
#include "runtime/command/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "config/events/events.h"
#include "config/events/known.h"
#include "config/events/perf_errors.h"
#include "config/settings/env.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/base/kernel_access.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/inspect/events_list.h"

#define PERIOD 1000000 /* any value: the counter is never enabled */

static bool is_probe(const struct event *event)
{
	return event->type != PERF_TYPE_BREAKPOINT && (event->symbol[0] || event->path[0]);
}

/* The probe's address is found in the program, but the permissions for it are the same here. */
static int try_probe(const struct perf_event_attr *attr)
{
	return kernel_limits_privileged() ? 0 : counter_probe_best(attr).err;
}

/* Returns 0 if it opens, or might open in the program; or -errno. */
static int try_event(const struct settings *settings, const struct event *event)
{
	static uint64_t watched; /* in place of the program's variable */
	bool kernel = settings->kernel != SETTINGS_KERNEL_NO;
	struct perf_event_attr attr;
	struct counter_probe probe;

	if (events_refused_here(event))
		return events_refused_here(event);
	events_attr(event, PERIOD, 0, kernel, &attr);
	attr.disabled = 1;
	if (event->precise_most)
		attr.precise_ip = 0;
	if (is_probe(event))
		return try_probe(&attr);
	if (event->type == PERF_TYPE_BREAKPOINT && event->symbol[0])
		attr.bp_addr = (uintptr_t)&watched;
	probe = counter_probe_best(&attr);
	if (!probe.err && event->off_cpu && !probe.kernel)
		return -EACCES; /* a context switch happens in the kernel */
	if (!probe.err && !(kernel && probe.kernel && !event->user_only) && !event->off_cpu &&
	    (event->kernel_only || known_in_kernel(event->type, event->config)))
		return -ENODATA; /* it would stay at 0 */
	return probe.err;
}

/* Causes that the program cannot change: the machine has no such counter, or no user may count. */
static bool is_certain(int err, bool time_will_do)
{
	switch (-err) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case ENODATA:
	case ELOOP:
		return true;
	case EACCES:
	case EPERM:
	case ENOSYS:
		return !time_will_do; /* otherwise a timer replaces it */
	default:
		return false;
	}
}

/* One of the kernel's own clocks, which every machine has; where counters are refused a timer
 * replaces them. */
static bool is_sure(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && events_time_will_do(event) &&
	       !event->kernel_only && !event->precise && !event->precise_most;
}

static void explain(const struct event *event, int err, char *line, size_t bytes)
{
	const struct perf_error *error = perf_errors_find(err);
	bool kernels = error && error->name; /* not a refusal found by this check */
	char reason[384];

	counter_probe_reason(err, reason, sizeof(reason));
	snprintf(line, bytes, "%.*s cannot be counted%s%s%s: %s", EVENTS_NAME_MAX, event->name,
		 kernels ? " (" : "", kernels ? error->name : "", kernels ? ")" : "", reason);
}

/* Try the events that the user named, on the calling thread.  A list is refused only if the
 * program, with our permissions at most, could open none of its events either.  It is not refused
 * if a timer would replace it, or if the result depends on the program (a symbol, a free register).
 * Returns 0; or -errno with `line` filled: event, cause, remedy. */
static int event_check(const struct settings *settings, char *line, size_t bytes)
{
	const struct events *events = &settings->events;
	const struct event *refused = NULL;
	bool time_will_do = false;
	int first = 0;

	if (events->defaulted || settings->notify == SETTINGS_NOTIFY_TIMER)
		return 0;
	for (unsigned i = 0; i < events->count; i++) {
		if (events->event[i].leader == i && is_sure(&events->event[i]))
			return 0;
		time_will_do |= events_time_will_do(&events->event[i]);
	}
	for (unsigned i = 0; i < events->count; i++) {
		int err;

		if (events->event[i].leader != i)
			continue;
		err = try_event(settings, &events->event[i]);
		if (!is_certain(err, time_will_do))
			return 0;
		first = refused ? first : err;
		refused = refused ? refused : &events->event[i];
	}
	if (refused)
		explain(refused, first, line, bytes);
	return first;
}

static bool has_option(const struct launch *launch, const struct setting *setting)
{
	return launch->options.value[setting - settings_table];
}

static bool is_given(const struct launch *launch, const struct setting *setting)
{
	return has_option(launch, setting) ||
	       env_get(launch->environment.entries, setting->variable);
}

static int apply_defaults(struct launch *launch, const struct launch_default *defaults)
{
	int err = 0;

	for (; !err && defaults->value; defaults++) {
		const struct setting *setting = settings_of(defaults->field);

		if (!is_given(launch, setting) &&
		    !(setting == SETTING(frequency_hz) && is_given(launch, SETTING(period))))
			err = environment_set(&launch->environment, setting->variable,
					      defaults->value);
	}
	return err;
}

static int apply_options(struct launch *launch, const struct launch_default *defaults)
{
	struct environment *environment = &launch->environment;
	int err;

	/* one of the two on the command line overrides the other one in the environment */
	if (has_option(launch, SETTING(period)))
		environment_unset(environment, SETTING(frequency_hz)->variable);
	if (has_option(launch, SETTING(frequency_hz)))
		environment_unset(environment, SETTING(period)->variable);
	environment_unset(environment, SETTING(collected)->variable);
	environment_unset(environment, SETTING(encoded)->variable);
	launch->formats_asked = is_given(launch, SETTING(formats));
	err = apply_defaults(launch, defaults);
	for (size_t row = 0; !err && row < settings_count; row++)
		if (launch->options.value[row])
			err = environment_set(environment, settings_table[row].variable,
					      launch->options.value[row]);
	return err;
}

int launch_settings(struct launch *launch, const struct launch_default *defaults,
		    void (*warn)(const char *line), char *line, size_t bytes)
{
	struct settings *settings = &launch->settings;
	int err = environment_copy(&launch->environment, environ);

	if (!err)
		err = apply_options(launch, defaults);
	if (!err) {
		settings_defaults(settings);
		err = settings_env_read(settings, launch->environment.entries, warn, line, bytes);
		if (err) {
			options_name(&launch->options, line, bytes);
			return err;
		}
	}
	if (!err && settings->runtimes)
		err = environment_add_runtimes(&launch->environment,
					       settings->interp != SETTINGS_INTERP_NO);
	if (!err && cpu_names_used()[0])
		err = environment_set(&launch->environment, SETTING(encoded)->variable,
				      cpu_names_used());
	if (err)
		snprintf(line, bytes, "no memory");
	return err;
}

int launch_find(struct launch *launch, char *line, size_t bytes)
{
	if (paths_command(launch->command[0], launch->file, sizeof(launch->file)))
		launch->file[0] = '\0';
	return paths_library(launch->library, sizeof(launch->library), line, bytes);
}

int launch_check(const struct launch *launch, char *line, size_t bytes)
{
	char reason[256];
	int err = event_check(&launch->settings, line, bytes);

	if (err || !launch->settings.strict ||
	    !program_refuses(launch->file, reason, sizeof(reason)))
		return err;
	return refuse(line, bytes, -ENOTSUP, "%.300s cannot be profiled: %s (FLAMETRAP_STRICT)",
		      launch->command[0], reason);
}

static int preload(struct launch *launch)
{
	struct environment *environment = &launch->environment;
	int err = 0;

	if (!launch->preloaded && !program_is_disturbed(launch->file))
		err = environment_join(environment, "LD_PRELOAD", launch->library, ":", NULL);
	launch->preloaded = !err;
	if (!err)
		err = environment_set(environment, SETTING(spool)->variable, launch->spool);
	if (!err)
		err = environment_set(environment, SETTING(collected)->variable, "1");
	return err;
}

int launch_spool(struct launch *launch, const char *stem, char *line, size_t bytes)
{
	int lock = run_dir_make(launch->settings.spool, stem, launch->spool, sizeof(launch->spool),
				line, bytes);

	if (lock < 0)
		return lock;
	if (!preload(launch))
		return lock;
	run_dir_remove(launch->spool);
	close(lock);
	return refuse(line, bytes, -ENOMEM, "no memory");
}

void launch_reserve_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}
