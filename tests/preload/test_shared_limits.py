"""What the program shares with its user and with us: we take a part at most.  Of the keys of threads, by
one of which their ends are noticed, it can have all: those whose ends are not noticed are found to be
gone, and nothing of theirs is lost."""

import os
import pathlib
import resource

import pytest

from running import COMMAND, PERIOD_NS, clean_environment, execute, of_cpu_time, target

PLACES = 64
USER = 61377  # of nobody else: the queue of signals is counted by user


def as_a_user_with_few_places():
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (PLACES, PLACES))
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("notify", ["sigtrap", "timer"])
def test_three_quarters_of_the_queue_of_signals_are_left(notify):
    argv = [target("shared_limits"), "signals", 24]
    bare = int(execute(argv, clean_environment(), preexec=as_a_user_with_few_places).stdout)
    assert bare == PLACES
    result = execute([COMMAND, "-o", "/dev/null", "--format", "folded", "--notify", notify, "--", *argv],
                     clean_environment(), cwd="/tmp", preexec=as_a_user_with_few_places)
    assert result.status == 0, result.stderr
    assert int(result.stdout) >= PLACES * 3 // 4
    if notify == "timer":
        assert b"threads not sampled" in result.stderr


MAPPINGS = int(pathlib.Path("/proc/sys/vm/max_map_count").read_text(encoding="ascii"))
OF_A_THREAD = 2  # its stack, and the guard before it
LATER = 500  # of the program and of libraries
MANY_MAX = 32000  # threads, for other limits


def made_with(profiler, threads):
    """(threads, mappings, mappings of events) of a program that starts so many; and its profile."""
    argv = [target("shared_limits"), "mappings", threads]
    bare = [int(word) for word in execute(argv, clean_environment()).stdout.split()]
    if bare[0] < threads:
        pytest.skip(f"{bare[0]} threads can be started here, and not {threads}")
    result, spools = profiler.collected(argv)
    assert result.status == 0, result.stderr
    found = [int(word) for word in result.stdout.split()]
    assert found[0] == threads, "the library took what threads need"
    return bare, found, spools


def test_a_thread_takes_hardly_more_mappings_than_its_events(profiler):
    bare, found, _ = made_with(profiler, 400)
    assert found[2] <= 400 + 2
    assert found[1] - found[2] - bare[1] <= 400 / 8 + 256 + 50  # a slab of records, a guard page


def test_most_of_the_mappings_are_left_to_the_program(profiler):
    if MAPPINGS > OF_A_THREAD * MANY_MAX:
        pytest.skip(f"{MAPPINGS} mappings are more than threads can use up")
    bare, found, spools = made_with(profiler, min(14000, MAPPINGS // 4))
    assert found[2] <= MAPPINGS // 16 < bare[0]
    assert found[1] <= MAPPINGS - LATER
    refused = [thread for spool in spools for thread in spool.threads if thread.lacks]
    assert refused


KEYS_BURN_MS = 20
THREADS_LATER = 6  # threads that begin when the last key is taken
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
    found, (spool,) = with_and_without(profiler, call, KEYS_BURN_MS, notify=notify)
    assert int(found[0]) >= 1024
    assert spool.count("THREADS_ENDED") == 1 + THREADS_LATER and WORDS in spool.note
    names = {f"after {number}" for number in range(THREADS_LATER)} | {"before"}
    burnt_ns = (1 + ROUNDS) * KEYS_BURN_MS * 1000000
    each = of_cpu_time(burnt_ns) if notify == "sigtrap" else PERIOD_NS  # its last signal may be late
    ended = {thread.name: thread for thread in spool.threads if thread.name in names}
    assert set(ended) == names
    assert all(thread.events() >= each for thread in ended.values())


def test_a_program_may_have_all_keys_before_we_begin(profiler):
    found, (spool,) = with_and_without(profiler, "early", KEYS_BURN_MS)
    assert int(found[0]) >= 1024
    assert spool.count("THREADS_ENDED") == THREADS_LATER and WORDS in spool.note
    assert spool.events() >= of_cpu_time(THREADS_LATER * (1 + ROUNDS) * KEYS_BURN_MS * 1000000, THREADS_LATER)


def test_destructors_that_take_long_are_sampled(profiler):
    _, spools = with_and_without(profiler, "posix", KEYS_BURN_MS)
    folded = profiler.fold(spools, "--weight", "events")
    for function, turns in (("in_thread", 1), ("in_destructor", ROUNDS)):
        burnt_ns = (1 + THREADS_LATER) * turns * KEYS_BURN_MS * 1000000
        assert folded.burnt(function) >= of_cpu_time(burnt_ns, 1 + THREADS_LATER), function


def test_the_account_has_the_cpu_time_of_unnoticed_threads(profiler):
    """Without a single sample, too: counted and CPU time are the same."""
    _, (spool,) = with_and_without(profiler, "posix", KEYS_BURN_MS, period=1000 * PERIOD_NS)
    burnt_ns = (1 + THREADS_LATER) * (1 + ROUNDS) * KEYS_BURN_MS * 1000000
    assert burnt_ns <= spool.counted() == pytest.approx(spool.cpu_ns, rel=0.01)


def test_threads_begin_and_end_while_two_others_take_the_last_key(profiler):
    for _ in range(4):
        found, (spool,) = with_and_without(profiler, "race", 5, period=100 * PERIOD_NS)
        assert set(map(int, found[:5])) == {1024}
        assert spool.count("THREADS_ENDED") > 5


def test_a_child_of_fork_takes_the_last_key(profiler):
    _, spools = with_and_without(profiler, "fork", KEYS_BURN_MS)
    parent, child = sorted(spools, key=lambda spool: spool.count("THREADS_ENDED"))
    assert WORDS not in parent.note and parent.count("THREADS_ENDED") == 0
    assert WORDS in child.note and child.count("THREADS_ENDED") == THREADS_LATER
    assert child.events() >= of_cpu_time(THREADS_LATER * (1 + ROUNDS) * KEYS_BURN_MS * 1000000, THREADS_LATER)


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
