"""A program that gives up its system calls is not killed by one of ours; what was sampled until
then is kept."""

import pytest

from running import Folded, target

BURN_MS = 40
PERIOD_NS = 100000
WANTED = 0.9 * BURN_MS * 1e6 / PERIOD_NS


@pytest.mark.parametrize("mode", ["strict", "filter", "seccomp"])
def test_a_sandbox_is_entered_alive_and_the_profile_ends_there(profiler, mode):
    argv = [target("harm_sandbox"), BURN_MS, mode]
    plain = profiler.plain(argv)
    result, files = profiler.files(argv, period=PERIOD_NS)
    assert result.outcome() == plain.outcome() == (7, b"inside\nok\n", b"")
    (text,) = files.values()
    assert Folded(text).inclusive("work_burn") >= WANTED


@pytest.mark.parametrize("mode", ["strict", "filter", "seccomp"])
def test_a_sandboxed_program_is_folded_by_the_launcher(profiler, mode):
    result, files = profiler.launched(["-e", "task-clock", "-c", PERIOD_NS],
                                      [target("harm_sandbox"), BURN_MS, mode])
    assert (result.status, result.stdout) == (7, b"inside\nok\n")
    assert Folded(files["profile.folded"]).inclusive("work_burn") >= WANTED


def test_asking_for_filters_ends_nothing(profiler):
    argv = [target("harm_sandbox"), BURN_MS, "asked"]
    result, files = profiler.files(argv, period=PERIOD_NS)
    assert result.outcome() == (7, b"inside\nok\n", b"")
    (text,) = files.values()
    assert Folded(text).leaf("main") > 0, "the work after the question was sampled"


def test_a_program_started_inside_a_sandbox_that_kills_for_counters_lives(profiler):
    argv = [target("harm_sandbox"), BURN_MS, "exec", target("burn"), BURN_MS]
    plain = profiler.plain(argv)
    result, _ = profiler.files(argv, period=PERIOD_NS, log="quiet")
    assert result.outcome() == plain.outcome() == (7, b"inside\nok\n", b"")
