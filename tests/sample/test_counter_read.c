/* A counter's page, read from user code: offered or not, whole or changing, fast or narrow. */

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/sample/perf/counter_read.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/perf/plan.h"
#include "tests/support/unit.h"

static void assert_unread(struct perf_event_mmap_page page)
{
	struct counter_reading reading;

	assert_int_equal(counter_read(&page, &reading), -EOPNOTSUPP); /* rdpmc would kill us here */
}

TEST(what_offers_no_counter_is_not_read)
{
	/* no offer; not on its PMU; widths that no register has */
	assert_unread((struct perf_event_mmap_page){ .index = 1, .pmc_width = 48, .offset = 7 });
	assert_unread(
		(struct perf_event_mmap_page){ .cap_user_rdpmc = 1, .pmc_width = 48, .offset = 7 });
	assert_unread((struct perf_event_mmap_page){ .cap_user_rdpmc = 1, .index = 1 });
	assert_unread(
		(struct perf_event_mmap_page){ .cap_user_rdpmc = 1, .index = 1, .pmc_width = 65 });
}

TEST(totals_stay_those_of_the_last_record_where_nothing_can_be_read)
{
	static struct spool_total total[SPOOL_COUNTERS_MAX];
	static struct plan plan;
	static struct group group;
	static struct perf_event_mmap_page page, member;

	total[0].value = 100;
	total[1].value = 200;
	group.leaders = 1;
	group.leader[0].ring.page = &page;
	group.leader[0].count = 2;
	group.leader[0].counter[1] = 1;
	group.page[1] = &member;
	group_store_totals(&group, &plan, total);
	assert_int_equal(total[0].value, 100);
	assert_int_equal(total[1].value, 200);
}

/* The kernel's own word against ours, on a counter that reads can be compared on. */
TEST(a_hardware_counter_reads_as_the_kernel_reads_it)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.size = sizeof(attr),
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	uint64_t before, after;
	struct counter_reading reading;
	void *page;
	int fd;

	counter_read_prepare(&attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
	if (fd < 0) {
		print_message("skipped: no hardware counter opens here\n");
		skip();
	}
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(read(fd, &before, sizeof(before)), sizeof(before));
	if (counter_read(page, &reading)) {
		print_message("skipped: the counter's page offers no user reads\n");
		skip();
	}
	assert_int_equal(read(fd, &after, sizeof(after)), sizeof(after));
	assert_in_range(reading.value, before, after);
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	close(fd);
}
