"""SIGTRAP stays the target's, and no call of the target ends early because of us."""

import signal

import pytest

from running import least_ns, target

MODES = ["default", "ignored", "handled", "once", "blocked", "breakpoint"]
BURN_MS = 200


@pytest.mark.parametrize("mode", MODES)
def test_the_target_owns_sigtrap_and_is_still_sampled(profiler, mode):
    plain = profiler.plain([target("trap"), mode, BURN_MS])
    result, spools = profiler.collected([target("trap"), mode, BURN_MS])
    assert result.outcome() == plain.outcome()
    assert result.status == (-signal.SIGTRAP if mode == "default" else 0)
    assert result.stdout == b"ok\n"
    folded = profiler.fold(spools, "--weight", "events")
    # What "blocked" burns while its own SIGTRAP is pending is seen where that no longer is.
    where = "mode_blocked" if mode == "blocked" else "work_burn"
    assert folded.burnt(where) >= least_ns(BURN_MS)
    assert folded.burnt("work_burn") >= least_ns(BURN_MS * 3 / 4)


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


def test_no_sleeping_call_is_interrupted_by_us(profiler):
    plain = profiler.plain([target("sleeping"), 60])
    result, spools = profiler.collected([target("sleeping"), 60], period=100000)
    assert result.outcome() == plain.outcome()
    assert result.stdout == b"quiet: 0 interrupted\nown timer: interrupts\n"
    assert spools[0].samples() > 0
