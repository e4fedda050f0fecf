"""SIGTRAP stays the target's."""

import signal

import pytest

from running import least_ns, target

MODES = ["default", "ignored", "handled", "once", "blocked", "breakpoint"]
BURN_MS = 200
RUNS = 3


@pytest.mark.parametrize("mode", MODES)
def test_the_target_owns_sigtrap_and_is_still_sampled(profiler, mode):
    result, spools = profiler.alike([target("trap"), mode, BURN_MS])
    assert result.status == (-signal.SIGTRAP if mode == "default" else 0)
    assert result.stdout == b"ok\n"
    folded = profiler.fold(spools, "--weight", "events")
    # A thread that blocks SIGTRAP by name is not sampled, which the profile says.
    assert folded.burnt("work_burn") >= least_ns(BURN_MS / (4 if mode == "blocked" else 1))
    assert ("not sampled meanwhile" in spools[0].note) == (mode == "blocked")


@pytest.mark.parametrize("mode", ["suspended", "working"])
def test_a_thread_that_blocks_all_but_while_it_sleeps_misses_what_it_does_then(profiler, mode):
    """Of a sleep, as shells wait for their children, nothing is missing and nothing is said: but
    where the host takes the processor away meanwhile, which is time that was not sampled."""
    plain = profiler.plain([target("trap"), mode, BURN_MS])
    said = []
    for _ in range(RUNS):
        result, spools = profiler.collected([target("trap"), mode, BURN_MS])
        assert (result.outcome(), result.stdout) == (plain.outcome(), b"ok\n")
        burnt_ns = profiler.fold(spools, "--weight", "events").burnt("work_burn")
        assert burnt_ns >= least_ns(BURN_MS / 2)
        said.append("not sampled meanwhile" in spools[0].note)
    assert all(said) if mode == "working" else not all(said)


@pytest.mark.parametrize("inherited", ["ignored", "blocked"])
def test_what_the_parent_left_is_seen_and_does_no_harm(profiler, inherited):
    """A parent may leave SIGTRAP ignored or blocked over exec."""
    def leave():
        if inherited == "ignored":
            signal.signal(signal.SIGTRAP, signal.SIG_IGN)
        else:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    result, spools = profiler.collected([target("burn"), BURN_MS], preexec=leave)
    assert (result.status, result.stdout) == (7, b"ok\n")
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.burnt("burn_here") >= least_ns(BURN_MS)
