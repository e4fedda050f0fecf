"""A thread that gives up root's rights in its first period, which may be an 8th of the full one,
costs one signal for each sample afterwards, as other threads do."""

import errno
import statistics

import pytest

from rights import needs_root, paranoid
from running import target
from spool import SIGTRAP

CHILDREN = 30  # whose first periods are any
PERIOD_NS = 5000000
CPU_MS = 40
CALLS = ["setuid", "seteuid", "setreuid", "setresuid", "capset", "unshare", "setns"]
BY_NUMBER = ["SYS_setuid", *(pytest.param(f"SYS_{name}", marks=pytest.mark.long) for name in (
    "setreuid", "setresuid", "capset", "unshare"))]


def collected(profiler, way, **settings):
    """The spools of the children that dropped their rights as without us."""
    needs_root()
    if paranoid() < 2:
        pytest.skip("whoever gives up root may sample the kernel's side all the same")
    argv = [target("drops_rights"), way, CHILDREN, CPU_MS]
    result, spools = profiler.collected(argv, kernel="yes", period=PERIOD_NS, **settings)
    answer = errno.EINVAL if way == "refused" else 0
    if way in ("unshare", "SYS_unshare", "setns") and result.stdout != f"0: {CHILDREN}\n".encode():
        assert result.outcome() == profiler.plain(argv).outcome()
        pytest.skip("namespaces of users are refused here")
    assert result.outcome() == (0, f"{answer}: {CHILDREN}\n".encode(), b"")
    workers = [spool for spool in spools if spool.cpu_ns > CPU_MS * 500000]
    assert len(workers) == CHILDREN
    return workers


def total(spools, name):
    return sum(spool.count(name) for spool in spools)


def needs_sigtrap(spools):
    if spools[0].engine != SIGTRAP:
        pytest.skip("no SIGTRAP for overflows here")


@pytest.mark.parametrize("way", [*CALLS, *BY_NUMBER, "refused"])
def test_each_sample_has_one_signal(profiler, way, record_property):
    workers = collected(profiler, way)
    needs_sigtrap(workers)
    signals, samples = total(workers, "SIGNALS"), total(workers, "SAMPLES")
    record_property("signals", signals)
    record_property("samples", samples)
    assert samples > CHILDREN * CPU_MS * 1000000 / PERIOD_NS / 2
    assert signals <= 1.2 * samples
    assert total(workers, "DEGRADED") == 0


@pytest.mark.parametrize("way", ["capset", "past-libc"])
def test_the_time_of_each_worker_is_counted_once(profiler, way):
    workers = collected(profiler, way)
    for spool in workers:
        assert spool.lost() == 0
        if way == "capset":  # else they have timers, which wait for a tick
            assert abs(spool.counted() - spool.events()) <= 2 * PERIOD_NS
    shares = [spool.counted() / spool.cpu_ns for spool in workers]
    assert statistics.median(shares) == pytest.approx(1, abs=0.02)  # a busy machine has a few others


def test_with_other_counters_the_clock_is_the_one_to_be_replaced(profiler):
    workers = collected(profiler, "setuid", events="page-faults,task-clock")
    needs_sigtrap(workers)
    assert total(workers, "SIGNALS") <= 1.2 * total(workers, "SAMPLES")
    assert total(workers, "DEGRADED") == 0


def test_rights_dropped_past_libc_cost_two_signals_at_most(profiler, record_property):
    """A timer takes the place of each clock that would cost more, which is said."""
    workers = collected(profiler, "past-libc")
    needs_sigtrap(workers)
    signals, samples = total(workers, "SIGNALS"), total(workers, "SAMPLES")
    record_property("signals", signals)
    record_property("samples", samples)
    timers = [spool for spool in workers if spool.count("DEGRADED")]
    assert 0 < len(timers) < CHILDREN
    for spool in workers:
        assert spool.count("SIGNALS") <= 2 * spool.count("SAMPLES") + 4
