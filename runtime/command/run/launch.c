/*
 * The settings and the environment of a program that is to be profiled.
 */
#include "runtime/command/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/base/program.h"
#include "runtime/command/base/status_line.h"
#include "runtime/collect/run_dir.h"
#include "runtime/command/inspect/cpu_names.h"
#include "runtime/command/run/event_check.h"

static bool is_given(const struct launch *launch, const char *variable)
{
	return options_given(&launch->options, variable) ||
	       env_get(launch->environment.entries, variable);
}

static int apply_defaults(struct launch *launch, const struct launch_default *defaults)
{
	int err = 0;

	for (; !err && defaults->variable; defaults++)
		if (!is_given(launch, defaults->variable) &&
		    !(defaults->unless && is_given(launch, defaults->unless)))
			err = environment_set(&launch->environment, defaults->variable,
					      defaults->value);
	return err;
}

static int apply_options(struct launch *launch, const struct launch_default *defaults)
{
	struct environment *environment = &launch->environment;
	int err;

	/* one of the two on the command line overrides the other one in the environment */
	if (options_given(&launch->options, "FLAMETRAP_PERIOD"))
		environment_unset(environment, "FLAMETRAP_FREQUENCY");
	if (options_given(&launch->options, "FLAMETRAP_FREQUENCY"))
		environment_unset(environment, "FLAMETRAP_PERIOD");
	environment_unset(environment, "FLAMETRAP_COLLECT");
	environment_unset(environment, "FLAMETRAP_ENCODED");
	launch->formats_asked = is_given(launch, "FLAMETRAP_FORMAT");
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
		if (err)
			return err;
	}
	if (!err && settings->runtimes)
		err = environment_add_runtimes(&launch->environment,
					       settings->interp != SETTINGS_INTERP_NO);
	if (!err && cpu_names_used()[0])
		err = environment_set(&launch->environment, "FLAMETRAP_ENCODED", cpu_names_used());
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
		err = environment_set(environment, "FLAMETRAP_SPOOL", launch->spool);
	if (!err)
		err = environment_set(environment, "FLAMETRAP_COLLECT", "1");
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
