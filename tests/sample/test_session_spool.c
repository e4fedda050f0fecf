/*
 * session_spool.c: a note is added once to the notes that are there, also if threads add notes at
 * the same moment, and is cut at the end of their space.
 */
#include <pthread.h>
#include <string.h>

#include "runtime/sample/session/session.h"
#include "tests/support/unit.h"

static struct spool_header header;

UNIT(setup)
{
	memset(header.note, 0, sizeof(header.note));
	session.spool.header = &header;
	return 0;
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
