/*
 * A path is listed by the next name of each file below it.  A name appears once for each such
 * file; the caller removes duplicates.
 */
#include "tests/support/sysfs_made_up.h"

#include "tests/support/libc.h"

#include "config/events/lookup.h"

#define DEVICES "/sys/bus/event_source/devices/"

static const struct sysfs_made_up_file *all;
static size_t number;

static long read_file(const char *path, char *text, size_t bytes)
{
	for (size_t i = 0; i < number; i++) {
		if (strcmp(all[i].path, path) == 0) {
			if (strlen(all[i].text) >= bytes)
				abort();
			strcpy(text, all[i].text);
			return (long)strlen(text);
		}
	}
	return -ENOENT;
}

static int list_directory(const char *directory, int (*each)(const char *name, void *context),
			  void *context)
{
	size_t length = strlen(directory);
	int stop = 0;

	for (size_t i = 0; i < number && !stop; i++) {
		const char *rest = all[i].path + length + 1;
		char name[64];

		if (strncmp(all[i].path, directory, length) != 0 || all[i].path[length] != '/')
			continue;
		memcpy(name, rest, strcspn(rest, "/"));
		name[strcspn(rest, "/")] = '\0';
		stop = each(name, context);
	}
	return 0;
}

void sysfs_made_up_use(const struct sysfs_made_up_file *files, size_t count)
{
	static const struct lookup machine = { .read = read_file, .list = list_directory };

	all = files;
	number = count;
	lookup_use(&machine);
}

void sysfs_made_up_usual(void)
{
	static const struct sysfs_made_up_file files[] = {
		{ DEVICES "cpu/type", "4" },
		{ DEVICES "cpu/format/event", "config:0-7,32-35" },
		{ DEVICES "cpu/format/umask", "config:8-15" },
		{ DEVICES "cpu/format/cmask", "config:24-31" },
		{ DEVICES "cpu/format/ldlat", "config1:0-15" },
		{ DEVICES "cpu/format/edge", "config:18" },
		{ DEVICES "cpu/events/mem-loads", "event=0x1cd,umask=0x1,ldlat=3" },
		{ DEVICES "cpu/events/strange", "wheel=7" },
		{ DEVICES "uprobe/type", "9" },
		{ DEVICES "kprobe/type", "8" },
		{ DEVICES "uncore_imc_0/type", "12" },
		{ DEVICES "uncore_imc_0/format/event", "config:0-7" },
		{ DEVICES "uncore_imc_0/events/cas_count_read", "event=0x04" },
		{ DEVICES "uncore_imc_0/events/cas_count_write", "event=0x05" },
		{ DEVICES "power/type", "10" },
		{ DEVICES "power/format/event", "config:0-7" },
		{ DEVICES "power/events/energy-cores", "event=0x01" },
		{ DEVICES "hv_gpci/type", "20" },
		{ DEVICES "hv_gpci/format/phys_processor_idx", "config1:0-31" },
		{ DEVICES "hv_gpci/events/dtbp_ptitc", "phys_processor_idx=?" },
		{ "/sys/kernel/tracing/events/sched/sched_switch/id", "314" },
	};

	sysfs_made_up_use(files, sizeof(files) / sizeof(files[0]));
}
