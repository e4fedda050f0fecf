"""Ends of threads are noticed by a key, of which a process has 1,024; the program may have all of them.
Threads whose ends are not noticed are found to be gone, and nothing of theirs is lost."""

from running import of_cpu_time, target

BURN_MS = 20
LATER = 6  # threads that begin when the last key is taken
ROUNDS = 4  # of destructors
WORDS = "ends of threads were not noticed"


def with_and_without(profiler, *argv, **settings):
    """The spools; the program has found the same as without us."""
    argv = [target("all_keys"), *argv]
    plain = profiler.plain(argv)
    assert plain.status == 0 and b" 0 wrong" in plain.stdout, plain.stdout
    result, spools = profiler.collected(argv, **settings)
    assert result.outcome() == plain.outcome()
    return plain.stdout.split(), spools


def test_a_program_may_have_all_keys_before_we_begin(profiler):
    found, (spool,) = with_and_without(profiler, "early", BURN_MS)
    assert int(found[0]) >= 1024
    assert spool.count("THREADS_ENDED") == LATER and WORDS in spool.note
    assert spool.events() >= of_cpu_time(LATER * (1 + ROUNDS) * BURN_MS * 1000000, LATER)
