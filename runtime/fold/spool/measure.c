/*
 * Both texts come from a spool: what makes no sense in them counts as not there.
 */
#include "runtime/fold/spool/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/spool/spool.h"

static bool is_shown(const char *measure)
{
	if (!*measure)
		return false;
	for (; *measure > ' ' && *measure < 0x7f; measure++)
		;
	return !*measure;
}

/* 0: none */
static double scale_of(const struct spool_counter *counter)
{
	char *rest;
	double scale = strtod(counter->scale, &rest);

	return rest != counter->scale && !*rest && isfinite(scale) && scale > 0 ? scale : 0;
}

bool measure_has(const struct spool_counter *counter)
{
	return scale_of(counter) > 0 || is_shown(counter->measure);
}

double measure_of(const struct spool_counter *counter, uint64_t events)
{
	double scale = scale_of(counter);

	return (double)events * (scale > 0 ? scale : 1);
}

const char *measure_name(const struct spool_counter *counter)
{
	return is_shown(counter->measure) ? counter->measure : "events";
}

void measure_text(const struct spool_counter *counter, uint64_t events, char *text, size_t bytes)
{
	snprintf(text, bytes, "%.6g %s", measure_of(counter, events), measure_name(counter));
}
