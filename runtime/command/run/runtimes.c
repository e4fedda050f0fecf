/*
 * One row for each option of a run-time compiler.  A row exists only for options that every version
 * of the runtime accepts or ignores; except node, which before version 12 does not start with them.
 */
#include "runtime/command/run/runtimes.h"

#include <string.h>

#include "config/settings/env.h"
#include "runtime/command/run/environment.h"

struct option_row {
	const char *variable;
	const char *option; /* the value, or a word of it */
	const char *named;  /* text that the variable already contains in this case */
};

/* node(1), NODE_OPTIONS.  java(1): IgnoreUnrecognizedVMOptions must precede the options that JDK 16
 * and older do not know, and DumpPerfMapAtExit is a diagnostic option. */
static const struct option_row rows[] = {
	{ "NODE_OPTIONS", "--perf-basic-prof", "perf-basic-prof" },
	{ "NODE_OPTIONS", "--interpreted-frames-native-stack", "interpreted-frames-native-stack" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+PreserveFramePointer", "PreserveFramePointer" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+IgnoreUnrecognizedVMOptions", "IgnoreUnrecognizedVMOptions" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+UnlockDiagnosticVMOptions", "UnlockDiagnosticVMOptions" },
	{ "JAVA_TOOL_OPTIONS", "-XX:+DumpPerfMapAtExit", "DumpPerfMapAtExit" },
	{ "PYTHONPERFSUPPORT", "1", "" },
	{ "DOTNET_PerfMapEnabled", "1", "" },
};

static int add(struct environment *environment, const struct option_row *row)
{
	const char *present = env_get(environment->entries, row->variable);

	if (present && *present && strstr(present, row->named))
		return 0;
	return environment_join(environment, row->variable, NULL, " ", row->option);
}

int runtimes_set(struct environment *environment)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(rows) / sizeof(rows[0]); i++)
		err = add(environment, &rows[i]);
	return err;
}
