/* Boots are few: one, as a rule. */
#include "runtime/profile/time/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/spool/format.h"

/* Two spools whose boots seem to lie closer together are of one boot.  A clock is seldom set by
 * more, and no host boots twice in that time. */
#define SAME_BOOT_NS 60000000000

struct timeline_axis_boot {
	char host[SPOOL_NAME_MAX + 1];
	uint64_t offset_ns; /* of CLOCK_REALTIME to CLOCK_MONOTONIC */
};

void timeline_axis_free(struct timeline_axis *axis)
{
	free(axis->boots);
	*axis = (struct timeline_axis){ 0 };
}

static bool is_near(uint64_t one, uint64_t other)
{
	uint64_t apart = one - other;

	return apart < SAME_BOOT_NS || -apart < SAME_BOOT_NS;
}

/* Returns the boot of a spool; NULL: it is new. */
static const struct timeline_axis_boot *find(const struct timeline_axis *axis,
					     const struct spool_header *header)
{
	uint64_t offset_ns = header->start_realtime_ns - header->start_ns;

	for (uint32_t i = 0; i < axis->boot_count; i++)
		if (is_near(axis->boots[i].offset_ns, offset_ns) &&
		    !strcmp(axis->boots[i].host, header->host))
			return &axis->boots[i];
	return NULL;
}

int timeline_axis_add(struct timeline_axis *axis, const struct spool_header *header,
		      uint64_t end_ns)
{
	uint64_t start_ns, offset_ns;

	if (!find(axis, header)) {
		struct timeline_axis_boot *boot;

		if (!grow(&axis->boots, axis->boot_count, sizeof(*boot)))
			return -ENOMEM;
		boot = &axis->boots[axis->boot_count++];
		memcpy(boot->host, header->host, sizeof(boot->host));
		boot->offset_ns = header->start_realtime_ns - header->start_ns;
	}
	offset_ns = timeline_axis_offset(axis, header);
	start_ns = header->start_ns + offset_ns;
	if (!axis->begun || start_ns < axis->start_ns)
		axis->start_ns = start_ns;
	axis->begun = true;
	if (end_ns > header->start_ns)
		start_ns += end_ns - header->start_ns;
	if (start_ns > axis->end_ns)
		axis->end_ns = start_ns;
	return 0;
}

uint64_t timeline_axis_offset(const struct timeline_axis *axis, const struct spool_header *header)
{
	const struct timeline_axis_boot *boot = find(axis, header);

	return boot ? boot->offset_ns : header->start_realtime_ns - header->start_ns;
}

const char *timeline_mark_name(enum spool_mark kind)
{
	static const char *const names[] = {
		[SPOOL_MARK_FORK] = "fork",
		[SPOOL_MARK_EXEC] = "exec",
		[SPOOL_MARK_EXEC_FAILED] = "exec failed",
		[SPOOL_MARK_LOAD] = "load",
		[SPOOL_MARK_UNLOAD] = "unload",
		[SPOOL_MARK_START] = "start",
		[SPOOL_MARK_STOP] = "stop",
		[SPOOL_MARK_THROTTLED] = "throttled",
		[SPOOL_MARK_SLOWER] = "slower",
	};

	return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}
