"""R10: no call of the target fails with EINTR because of us, or ends early; its own signals do
what they did.  The same program under SIGIO, whose hazard is known, shows that it would tell."""

import pytest

from rights import may_see_the_kernel
from running import COSTS_PER_PERIOD, bearable, least_period_ns, sample_cost_ns, target

ROUNDS = 120  # of 31 calls
RUNS_MAX = 1000  # in none of which anything is hit
PENDING_LIMIT_S = 300  # of a second's work
PERIOD_NS = 100000  # 10 kHz of CPU time, the kernel's side included
NEEDS_KERNEL = pytest.mark.skipif(not may_see_the_kernel(),
                                  reason="the kernel's side may not be sampled")
QUIET = b"31 calls: 0 interrupted, 0 early\n"
RING_ROUNDS = 40
NO_RING = 77


def kernel_samples(spools):
    return sum(spool.count("KERNEL_SAMPLES") for spool in spools)


@NEEDS_KERNEL
def test_no_call_is_interrupted_or_shortened_by_us(profiler, record_property):
    """As often as it takes to be hit in many calls."""
    hits = runs = 0
    while hits <= 100:
        result, spools = profiler.collected([target("harm_eintr"), "quiet", ROUNDS],
                                            period=PERIOD_NS, kernel="yes")
        assert result.outcome() == (0, QUIET, b"")
        hits += kernel_samples(spools)
        runs += 1
        assert hits or runs < RUNS_MAX
    record_property("calls", 31 * ROUNDS * runs)
    record_property("interrupted", 0)
    record_property("hits in the kernel", hits)


@NEEDS_KERNEL
def test_no_wait_for_io_uring_ends_early(profiler):
    """While it waits the kernel sends what is due to the thread, as it does at a call's end.  Each
    wait has a page fault, and so a sample of ours.  The program's own signal still ends it, also where
    the return from its handler has one."""
    argv = [target("ring_waits"), RING_ROUNDS]
    plain = profiler.plain(argv)
    if plain.status == NO_RING:
        pytest.skip(plain.stderr.decode())
    assert plain.status == 0 and b"by number, waited for: 0 early, 0 odd" in plain.stdout
    result, spools = profiler.collected(argv, events="page-faults", period=1, kernel="yes")
    assert result.outcome() == plain.outcome()
    assert kernel_samples(spools) >= len(plain.stdout.splitlines()) * RING_ROUNDS


def test_its_own_timer_interrupts_the_same_calls(profiler):
    result, _ = profiler.alike([target("harm_eintr"), "own"], period=PERIOD_NS, kernel="yes")
    assert result.stdout.endswith(b"28 interrupted, it rang\n")


@NEEDS_KERNEL
def test_the_same_program_finds_the_interruptions_of_sigio(profiler, record_property):
    interrupted = runs = 0
    while not interrupted:
        result, _ = profiler.collected([target("harm_eintr"), "quiet", 40],
                                       period=PERIOD_NS, kernel="yes", notify="sigio")
        assert result.status == 0
        assert (runs := runs + 1) < RUNS_MAX
        interrupted = int(result.stdout.splitlines()[-1].split()[2])
    record_property("interrupted by sigio", interrupted)


def test_no_clock_samples_faster_than_this_machine_can_take():
    """A shorter period than a sample's cost is a program that stands still for ever."""
    cost_ns = sample_cost_ns()
    assert least_period_ns(cost_ns) >= COSTS_PER_PERIOD * cost_ns > cost_ns > 0
    assert least_period_ns(30000000) == 30000000
    settings = bearable({"events": "task-clock/period=7/k,page-faults/period=5/", "frequency": 3})
    assert settings["frequency"] == 3
    assert settings["events"] == f"task-clock/period={least_period_ns(7)}/k,page-faults/period=5/"
    assert bearable({"events": "cpu-clock", "period": 9})["period"] == least_period_ns(9)


def test_a_pending_sigtrap_of_the_target_is_not_swallowed_by_an_overflow(profiler,
                                                                         record_property):
    """As often as the machine can take it, until many rounds are hit."""
    hits = rounds = 0
    while hits <= 100:
        result, spools = profiler.collected([target("harm_pending"), 20000], period=20000,
                                            limit_s=PENDING_LIMIT_S)
        assert result.outcome() == (0, b"0 early, 0 missing or twice\n", b"")
        hits += spools[0].samples()
        rounds += 20000
        assert hits and rounds < 20000 * RUNS_MAX
    record_property("rounds", rounds)
    record_property("hits", hits)


@NEEDS_KERNEL
def test_a_call_that_takes_long_ends(profiler):
    """R9: getrandom(2) of 64 MB looks for signals all the time; it must give all of them."""
    hits = runs = 0
    while hits <= 10:
        result, spools = profiler.collected([target("harm_long_call")], period=PERIOD_NS,
                                            kernel="yes")
        assert result.outcome() == (0, b"67108864 bytes in 1 call\n", b"")
        hits += kernel_samples(spools)
        assert (runs := runs + 1) < RUNS_MAX
