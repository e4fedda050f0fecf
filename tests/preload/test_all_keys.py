"""Ends of threads are noticed by a key, of which a process has 1,024; the program can have all of them.
Threads whose ends are not noticed are found to be gone, and nothing of theirs is lost."""

import pytest

from running import COMMAND, PERIOD_NS, clean_environment, execute, of_cpu_time, target

BURN_MS = 20
LATER = 6  # threads that begin when the last key is taken
ROUNDS = 4  # of destructors
WORDS = "ends of threads were not noticed"


def with_and_without(profiler, *argv, **settings):
    """The spools; the program has found the same as without us."""
    argv = [target("all_keys"), *argv]
    result, spools = profiler.alike(argv, **settings)
    assert result.status == 0 and b" 0 wrong" in result.stdout, result.stdout
    return result.stdout.split(), spools


@pytest.mark.parametrize("call", ["posix", "c11"])
@pytest.mark.parametrize("notify", ["sigtrap", "timer"])
def test_a_program_gets_every_key_and_its_threads_are_sampled(profiler, call, notify):
    found, (spool,) = with_and_without(profiler, call, BURN_MS, notify=notify)
    assert int(found[0]) >= 1024
    assert spool.count("THREADS_ENDED") == 1 + LATER and WORDS in spool.note
    names = {f"after {number}" for number in range(LATER)} | {"before"}
    burnt_ns = (1 + ROUNDS) * BURN_MS * 1000000
    each = of_cpu_time(burnt_ns) if notify == "sigtrap" else PERIOD_NS  # its last signal may be late
    ended = {thread.name: thread for thread in spool.threads if thread.name in names}
    assert set(ended) == names
    assert all(thread.events() >= each for thread in ended.values())


def test_a_program_may_have_all_keys_before_we_begin(profiler):
    found, (spool,) = with_and_without(profiler, "early", BURN_MS)
    assert int(found[0]) >= 1024
    assert spool.count("THREADS_ENDED") == LATER and WORDS in spool.note
    assert spool.events() >= of_cpu_time(LATER * (1 + ROUNDS) * BURN_MS * 1000000, LATER)


def test_destructors_that_take_long_are_sampled(profiler):
    _, spools = with_and_without(profiler, "posix", BURN_MS)
    folded = profiler.fold(spools, "--weight", "events")
    for function, turns in (("in_thread", 1), ("in_destructor", ROUNDS)):
        burnt_ns = (1 + LATER) * turns * BURN_MS * 1000000
        assert folded.burnt(function) >= of_cpu_time(burnt_ns, 1 + LATER), function


def test_the_account_has_the_cpu_time_of_unnoticed_threads(profiler):
    """Without a single sample, too: counted and CPU time are the same."""
    _, (spool,) = with_and_without(profiler, "posix", BURN_MS, period=1000 * PERIOD_NS)
    burnt_ns = (1 + LATER) * (1 + ROUNDS) * BURN_MS * 1000000
    assert burnt_ns <= spool.counted() == pytest.approx(spool.cpu_ns, rel=0.01)


def test_threads_begin_and_end_while_two_others_take_the_last_key(profiler):
    for _ in range(4):
        found, (spool,) = with_and_without(profiler, "race", 5, period=100 * PERIOD_NS)
        assert set(map(int, found[:5])) == {1024}
        assert spool.count("THREADS_ENDED") > 5


def test_a_child_of_fork_takes_the_last_key(profiler):
    _, spools = with_and_without(profiler, "fork", BURN_MS)
    parent, child = sorted(spools, key=lambda spool: spool.count("THREADS_ENDED"))
    assert WORDS not in parent.note and parent.count("THREADS_ENDED") == 0
    assert WORDS in child.note and child.count("THREADS_ENDED") == LATER
    assert child.events() >= of_cpu_time(LATER * (1 + ROUNDS) * BURN_MS * 1000000, LATER)


def test_the_summary_and_the_report_say_it(profiler):
    result, _ = profiler.launched(["-e", "task-clock"], [target("all_keys"), "posix", 1])
    assert WORDS in result.stderr.decode()
    few = execute([COMMAND, "-o", "/dev/null", "--", target("names"), 1], clean_environment())
    assert WORDS not in few.stderr.decode()


def test_records_of_gone_threads_are_used_again(profiler):
    """Each has a mapping of events.  Those that are gone are found when other threads begin."""
    result, (spool,) = profiler.collected([target("all_keys"), "many", 500],
                                          period=100 * PERIOD_NS)
    assert result.status == 0 and spool.count("THREADS_ENDED") == 500
    assert int(result.stdout.split()[0]) <= 10
