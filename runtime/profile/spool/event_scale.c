/* Both texts come from a spool.  A text that is not valid is ignored. */
#include "runtime/profile/spool/event_scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/spool/format.h"

static bool is_shown(const char *measure)
{
	if (!*measure)
		return false;
	for (; *measure > ' ' && *measure < 0x7f; measure++)
		;
	return !*measure;
}

/* Returns 0 if there is no scale. */
static double scale_of(const struct spool_counter *counter)
{
	char *rest;
	double scale = strtod(counter->scale, &rest);

	return rest != counter->scale && !*rest && isfinite(scale) && scale > 0 ? scale : 0;
}

bool event_scale_exists(const struct spool_counter *counter)
{
	return scale_of(counter) > 0 || is_shown(counter->measure);
}

double event_scale_apply(const struct spool_counter *counter, uint64_t events)
{
	double scale = scale_of(counter);

	return (double)events * (scale > 0 ? scale : 1);
}

const char *event_scale_unit(const struct spool_counter *counter)
{
	return is_shown(counter->measure) ? counter->measure : "events";
}

void event_scale_text(const struct spool_counter *counter, uint64_t events, char *text,
		      size_t bytes)
{
	snprintf(text, bytes, "%.6g %s", event_scale_apply(counter, events),
		 event_scale_unit(counter));
}
