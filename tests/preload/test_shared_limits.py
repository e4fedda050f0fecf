"""What the program shares with its user and with us: we take a part at most."""

import os
import pathlib
import resource

import pytest

from running import COMMAND, clean_environment, execute, target

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
