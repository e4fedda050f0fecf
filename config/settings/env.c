/* If a variable is set twice the first one counts, as in getenv(3). */
#include "config/settings/env.h"

#include <string.h>

const char *env_value(const char *entry, const char *name, size_t length)
{
	/* fast: thirty settings are looked for among all entries, and most differ at once */
	if (entry[0] != name[0] || strncmp(entry, name, length) != 0 || entry[length] != '=')
		return NULL;
	return entry + length + 1;
}

const char *env_get(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++) { /* clearenv(3) leaves NULL */
		const char *value = env_value(*environment, name, length);

		if (value)
			return value;
	}
	return NULL;
}
