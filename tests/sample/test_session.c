/* The child of a fork need not read /proc or ask the loader: it knows these facts from its parent
 * and from the clocks.  A note is added once to the notes that are there, also if threads add notes
 * at the same moment, and is cut at the end of their space. */

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

#define MS	   1000000ULL
#define SECOND	   (1000 * MS)
#define TICK	   (10 * MS) /* AT_CLKTCK is 100 wherever we run */
#define READ_TICKS 77	     /* what the file says */

static struct spool_header header;
static uint64_t monotonic_ns, boottime_ns, realtime_ns;
static unsigned starts_read, offsets_read;

WRAP(int, sys_clock, clockid_t clock, struct timespec *time)
{
	uint64_t ns = clock == CLOCK_MONOTONIC	? monotonic_ns
		      : clock == CLOCK_BOOTTIME ? boottime_ns
						: realtime_ns;

	*time = (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
				   .tv_nsec = (long)(ns % SECOND) };
	return 0;
}

WRAP(uint64_t, proc_start_ticks, void)
{
	starts_read++;
	return READ_TICKS;
}

WRAP(void, proc_clock_offsets, int64_t *monotonic, int64_t *boottime)
{
	offsets_read++;
	*monotonic = *boottime = 0;
}

static void pass(uint64_t ns)
{
	monotonic_ns += ns;
	boottime_ns += ns;
	realtime_ns += ns;
}

UNIT(setup)
{
	memset(header.note, 0, sizeof(header.note));
	session.spool.header = &header;
	monotonic_ns = 5 * SECOND;
	boottime_ns = 7 * SECOND + MS;
	realtime_ns = 1800000000 * SECOND;
	machine_time_learn();
	session_fork_end();
	starts_read = offsets_read = 0;
	return 0;
}

TEST(a_fork_within_a_tick_is_the_child_s_start)
{
	pass(TICK);
	session_fork_begin();
	pass(5 * MS);
	session_fork_child();
	assert_int_equal(session.start_ticks, (7 * SECOND + MS + TICK) / TICK);
	assert_int_equal(starts_read, 0);
}

TEST(a_fork_across_two_ticks_is_looked_up)
{
	session_fork_begin();
	pass(TICK);
	session_fork_child();
	assert_int_equal(session.start_ticks, READ_TICKS);
	assert_int_equal(starts_read, 1);
}

TEST(a_tick_s_border_is_looked_up)
{
	boottime_ns = 7 * SECOND;
	session_fork_begin();
	pass(MS);
	session_fork_child();
	assert_int_equal(session.start_ticks, READ_TICKS);
}

TEST(the_window_is_that_of_the_parent_at_the_fork)
{
	atomic_store(&header.window_from_ns, 3);
	atomic_store(&header.window_to_ns, 5);
	session_fork_begin();
	atomic_store(&header.window_from_ns, 7);
	session_fork_child();
	assert_int_equal(session.window.from_ns, 3);
	assert_int_equal(session.window.to_ns, 5);
}

TEST(who_was_not_forked_started_when_it_did)
{
	session.start_ticks = 9;
	session_fork_child();
	assert_int_equal(session.start_ticks, 9);
	assert_int_equal(starts_read, 0);
}

TEST(a_fork_that_is_over_is_forgotten)
{
	session.start_ticks = 9;
	session_fork_begin();
	session_fork_end();
	session_fork_child();
	assert_int_equal(session.start_ticks, 9);
}

TEST(offsets_are_read_once)
{
	pass(3600 * SECOND);
	session_fork_child();
	assert_int_equal(offsets_read, 0);
}

TEST(another_time_namespace_is_seen)
{
	uint64_t *const clocks[] = { &monotonic_ns, &boottime_ns };

	for (unsigned i = 0; i < 2; i++) {
		*clocks[i] += 2 * MS;
		session_fork_child();
		assert_int_equal(offsets_read, 2 * i + 1);
		*clocks[i] -= 2 * MS;
		session_fork_child();
		assert_int_equal(offsets_read, 2 * i + 2);
	}
}

TEST(the_loader_s_search_is_looked_for_once)
{
	loader_start();
	loader_find_object = NULL;
	assert_false(loader_start());
}

TEST(a_note_stands_behind_those_before_it)
{
	session_spool_note("no counters: EACCES");
	assert_string_equal(header.note, "no counters: EACCES");
	session_spool_note("a thread was paused");
	assert_string_equal(header.note, "no counters: EACCES; a thread was paused");
}

TEST(a_note_is_made_once)
{
	session_spool_note("first");
	session_spool_note("second");
	session_spool_note("first");
	session_spool_note("second");
	assert_string_equal(header.note, "first; second");
}

TEST(a_note_without_room_is_cut)
{
	char most[sizeof(header.note)];

	memset(most, 'm', sizeof(most) - 1);
	most[sizeof(most) - 1] = '\0';
	most[sizeof(most) - 5] = '\0';
	session_spool_note(most);
	session_spool_note("cut");
	assert_int_equal(strlen(header.note), sizeof(header.note) - 1);
	assert_string_equal(header.note + sizeof(most) - 5, "; cu");
	session_spool_note("more");
	assert_int_equal(strlen(header.note), sizeof(header.note) - 1);
}

static pthread_barrier_t together;

static void *add(void *note)
{
	pthread_barrier_wait(&together);
	session_spool_note(note);
	return NULL;
}

TEST(threads_lose_none_of_their_notes)
{
	static char notes[][8] = { "first", "second", "third", "fourth" };
	pthread_t thread[4];

	for (unsigned round = 0; round < 500; round++) {
		unit_setup(state);
		pthread_barrier_init(&together, NULL, 4);
		for (unsigned i = 0; i < 4; i++)
			assert_false(pthread_create(&thread[i], NULL, add, notes[i]));
		for (unsigned i = 0; i < 4; i++)
			pthread_join(thread[i], NULL);
		pthread_barrier_destroy(&together);
		for (unsigned i = 0; i < 4; i++)
			assert_non_null(strstr(header.note, notes[i]));
	}
}
