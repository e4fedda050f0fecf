"""What perf_event_attr has beyond what is counted: several samples for one signal, and the clock of
the records."""

import os

import pytest

from rights import may_see_the_kernel
from running import COMMAND, carry_all_time, clean_environment, execute, target
from spool import SIGIO
from test_counters import counted, only
from test_off_cpu import OF_INTERRUPTS_NS, OF_WAIT, measured

pytestmark = pytest.mark.measures

WRITES = 500
PAGES = 3000
CLOCKS = ("monotonic", "monotonic_raw", "realtime", "boottime", "tai")


def of_sigio(spools):
    assert len(spools) == 1 and spools[0].engine == SIGIO
    return spools[0]


@pytest.mark.parametrize("shared, signals", [(1, 500), (10, 50), (7, 71), (250, 2), (1000, 0)])
def test_so_many_samples_share_one_signal_and_none_is_lost(profiler, shared, signals):
    """Also those after the last signal, which the end of the thread finds."""
    _, spools = profiler.collected(counted(writes=WRITES), period=1, notify="sigio",
                                   events=f"mem:watched/8:w/wakeup_events={shared}/")
    spool = of_sigio(spools)
    assert (spool.samples(), spool.events(), spool.lost()) == (WRITES, WRITES, 0)
    assert spool.count("SIGNALS") == signals
    folded = profiler.fold([spool])
    assert folded.inclusive("write_watched.*") == WRITES
    assert folded.leaf(r"\[data watched\]") == WRITES, "what was written"
    assert folded.inclusive("main") == signals, "stacks of the samples that the signals came for"
    assert folded.inclusive(r"\[leaf only\]") == WRITES - signals


def test_every_thread_shares_signals_of_its_own(profiler):
    _, spools = profiler.collected([target("watched")], period=1, notify="sigio",
                                   events="mem:account+16/8:w/wakeup_events=40/")
    spool = of_sigio(spools)
    assert sum(thread.count["SIGNALS"] for thread in spool.threads) == \
        sum(thread.samples() // 40 for thread in spool.threads)
    assert (spool.samples(), spool.lost()) == (500, 0)


def test_faults_that_share_a_signal_keep_what_they_met(profiler):
    result, spools = profiler.collected(counted(pages=PAGES), period=1, notify="sigio", kernel="no",
                                        events="page-faults/wakeup_events=16/u")
    folded = profiler.fold([of_sigio(spools)])
    assert result.status == 0 and spools[0].lost() == 0
    assert spools[0].count("SIGNALS") <= spools[0].samples() // 16 + 1
    assert folded.inclusive(r"touch_pages|\[leaf only\]") >= PAGES
    assert folded.leaf(r"\[(anonymous mapping|heap)\]") >= PAGES


@pytest.mark.parametrize("rate", ["period=1000000", "freq=1000"])
def test_time_that_shares_signals_is_all_there(profiler, rate):
    result, spools = profiler.collected([target("burn"), 200], notify="sigio",
                                        events=f"task-clock/wakeup_events=5,{rate}/u")
    of_sigio(spools)
    assert result.stdout == b"ok\n"
    carry_all_time(spools, result)


@pytest.mark.parametrize("clock", CLOCKS)
def test_whatever_stamps_the_records_the_window_is_kept(profiler, clock):
    """FLAMETRAP_START and _STOP are compared with the records' time."""
    within, spools = profiler.collected(counted(pages=PAGES), period=1, stop="1h",
                                        events=f"page-faults/clockid={clock}/u")
    assert within.status == 0
    assert profiler.fold([only(spools)]).inclusive("touch_pages") >= PAGES
    _, spools = profiler.collected(counted(pages=PAGES), period=1, start="1h",
                                   events=f"page-faults/clockid={clock}/u")
    assert sum(spool.samples() for spool in spools) == 0


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
@pytest.mark.parametrize("clock", CLOCKS[:2])
def test_waits_are_measured_by_a_clock_that_only_goes_on(profiler, clock):
    result, spools = profiler.collected([target("waits"), os.devnull, 50, "blocked"],
                                        events=f"off-cpu/clockid={clock}/", period=1)
    expected_ns = measured(result)["wait"]["block_read"]
    folded = profiler.fold([only(spools)], "--weight", "events")
    got_ns = folded.inclusive(r"\[still blocked\]")
    assert expected_ns * (1 - OF_WAIT) - OF_INTERRUPTS_NS <= got_ns <= 3 * result.wall_ns


def test_a_clock_that_the_kernel_refuses_is_said(profiler):
    result, spools = profiler.collected(counted(writes=WRITES),
                                        events="mem:watched/8:w/clockid=realtime/")
    assert (result.status, spools) == (0, [])
    line, = result.stderr.decode().splitlines()
    assert "clockid=monotonic or monotonic_raw" in line and "runs unprofiled" in line


@pytest.mark.parametrize("events, why", [
    ("off-cpu/clockid=realtime/", "waiting cannot be measured"),
    ("off-cpu/wakeup_events=2/", "each switch is measured when the thread is back"),
    ("page-faults/clockid=noon/", "'noon' at"),
    ("page-faults/wakeup_watermark=100/", "wakeup_events=N asks for one signal per N samples"),
])
def test_what_would_mean_nothing_is_refused(events, why):
    done = execute([COMMAND, "--notify", "sigio", "-e", events, "true"], clean_environment())
    assert done.status == 125
    line, = done.stderr.decode().splitlines()
    assert why in line
