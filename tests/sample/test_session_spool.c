/*
 * session_spool.c: a note is added once to the notes that are there, and is cut at the end of
 * their space.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_note_stands_behind_those_before_it, begin),
		cmocka_unit_test_setup(a_note_is_made_once, begin),
		cmocka_unit_test_setup(a_note_without_room_is_cut, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
