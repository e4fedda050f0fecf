/*
 * session_spool.c: a note is added once to the notes that are there, also if threads add notes at
 * the same moment, and is cut at the end of their space.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/sample/session.h"
#include "runtime/sample/session_spool.h"

static struct spool_header header;

static int begin(void **state)
{
	(void)state;
	memset(header.note, 0, sizeof(header.note));
	session.spool.header = &header;
	return 0;
}

static void a_note_stands_behind_those_before_it(void **state)
{
	(void)state;
	session_spool_note("no counters: EACCES");
	assert_string_equal(header.note, "no counters: EACCES");
	session_spool_note("a thread was paused");
	assert_string_equal(header.note, "no counters: EACCES; a thread was paused");
}

static void a_note_is_made_once(void **state)
{
	(void)state;
	session_spool_note("first");
	session_spool_note("second");
	session_spool_note("first");
	session_spool_note("second");
	assert_string_equal(header.note, "first; second");
}

static void a_note_without_room_is_cut(void **state)
{
	char most[sizeof(header.note)];

	(void)state;
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

static void threads_lose_none_of_their_notes(void **state)
{
	static char notes[][8] = { "first", "second", "third", "fourth" };
	pthread_t thread[4];

	for (unsigned round = 0; round < 500; round++) {
		begin(state);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_note_stands_behind_those_before_it, begin),
		cmocka_unit_test_setup(a_note_is_made_once, begin),
		cmocka_unit_test_setup(a_note_without_room_is_cut, begin),
		cmocka_unit_test(threads_lose_none_of_their_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
