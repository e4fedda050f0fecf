/*
 * Entries keep their order and their oddities (no '=', duplicates): the program sees the same
 * environment as without the command, except for our own variables.
 */
#include "runtime/command/run/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings/env.h"
#include "runtime/profile/base/grow.h"
#include "runtime/profile/languages/languages.h"

static int append(struct environment *environment, char *entry)
{
	/* one more: they end with NULL */
	if (!grow(&environment->entries, environment->count + 1, sizeof(*environment->entries)))
		return -ENOMEM;
	environment->entries[environment->count++] = entry;
	environment->entries[environment->count] = NULL;
	return 0;
}

int environment_copy(struct environment *environment, char *const *from)
{
	*environment = (struct environment){ 0 };
	if (!grow(&environment->entries, 0, sizeof(*environment->entries)))
		return -ENOMEM;
	environment->entries[0] = NULL;
	for (; *from; from++) {
		char *entry = strdup(*from);

		if (!entry || append(environment, entry)) {
			free(entry);
			environment_free(environment);
			return -ENOMEM;
		}
	}
	return 0;
}

int environment_set(struct environment *environment, const char *name, const char *value)
{
	char *entry;

	if (asprintf(&entry, "%s=%s", name, value) < 0)
		return -ENOMEM;
	environment_unset(environment, name);
	if (append(environment, entry)) {
		free(entry);
		return -ENOMEM;
	}
	return 0;
}

int environment_join(struct environment *environment, const char *name, const char *before,
		     const char *separator, const char *after)
{
	const char *present = env_get(environment->entries, name);
	char *value;
	int err;

	if (!present || !*present)
		return environment_set(environment, name, before ? before : after);
	if (asprintf(&value, "%s%s%s", before ? before : present, separator,
		     before ? present : after) < 0)
		return -ENOMEM;
	err = environment_set(environment, name, value);
	free(value);
	return err;
}

void environment_unset(struct environment *environment, const char *name)
{
	size_t length = strlen(name);
	size_t kept = 0;

	for (size_t i = 0; i < environment->count; i++) {
		char *entry = environment->entries[i];

		if (strncmp(entry, name, length) == 0 && entry[length] == '=')
			free(entry);
		else
			environment->entries[kept++] = entry;
	}
	environment->count = kept;
	environment->entries[kept] = NULL;
}

void environment_free(struct environment *environment)
{
	for (size_t i = 0; i < environment->count; i++)
		free(environment->entries[i]);
	free(environment->entries);
	*environment = (struct environment){ 0 };
}

/* One option of a run-time compiler.  A row exists only for options that every version of the
 * runtime accepts or ignores; except node, which before version 12 does not start with them. */
struct option_row {
	const char *variable;
	const char *option; /* the value, or a word of it */
	const char *named;  /* text that the variable already contains in this case */
};

/* node(1), NODE_OPTIONS.  java(1): IgnoreUnrecognizedVMOptions must precede the options that JDK 16
 * and older do not know, and DumpPerfMapAtExit is a diagnostic option. */
static const struct option_row runtime_rows[] = {
	{ "NODE_OPTIONS", "--perf-basic-prof", "perf-basic-prof" },
	{ "NODE_OPTIONS", "--interpreted-frames-native-stack", "interpreted-frames-native-stack" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+PreserveFramePointer", "PreserveFramePointer" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+IgnoreUnrecognizedVMOptions", "IgnoreUnrecognizedVMOptions" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+UnlockDiagnosticVMOptions", "UnlockDiagnosticVMOptions" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+DumpPerfMapAtExit", "DumpPerfMapAtExit" },
	{ "DOTNET_PerfMapEnabled", "1", "" },
};

static int add_runtime(struct environment *environment, const struct option_row *row)
{
	const char *present = env_get(environment->entries, row->variable);

	if (present && *present && strstr(present, row->named))
		return 0;
	return environment_join(environment, row->variable, NULL, " ", row->option);
}

int environment_add_runtimes(struct environment *environment, bool interpreted)
{
	const struct language *language;
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(runtime_rows) / sizeof(runtime_rows[0]); i++)
		err = add_runtime(environment, &runtime_rows[i]);
	for (size_t i = 0; !err && !interpreted && (language = languages_each(i)); i++)
		if (language->variable)
			err = add_runtime(environment,
					  &(struct option_row){ language->variable, "1", "" });
	return err;
}
