"""No sampling period leaves a program without time of its own: it ends, its signals arrive, and its
stacks carry what it used.  Once with the trial that the start makes for the shortest, and once
without, so that the handler itself has to find out.

What is limited is CPU time, by the kernel: a program that stands still is killed.
"""

import os
import pathlib
import resource
import signal
import subprocess
import tempfile

import pytest

from running import LATE_NS, LIBRARY, clean_environment, execute, fault_library, \
    longest_period_ns, sample_cost_ns, target
from spool import SIGTRAP, Spool

pytestmark = pytest.mark.measures

NO_TRIAL = f"{ {'x86_64': 127, 'aarch64': 136}.get(os.uname().machine) },5,1,1"  # rt_sigpending(2)
CPU_LIMIT_S = 60  # of half a second's work
MILLIONS = 200
PERIODS_US = [1, 10, 100, *(pytest.param(us, marks=pytest.mark.long) for us in (2, 5, 15, 20, 50))]
BEATS = 120  # signals in a second of CPU time, at most, while nothing is sampled


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))


def environment(folder, trial=True, **settings):
    """At any period: not the shortest that a test's program can take."""
    more = {"events": "task-clock", "collect": "yes", "spool": folder, "output": f"{folder}/out", **settings}
    return clean_environment(LD_PRELOAD=str(LIBRARY if trial else fault_library()),
                             FAULT_FLAMETRAP="" if trial else NO_TRIAL,
                             **{f"FLAMETRAP_{name.upper()}": str(value) for name, value in more.items()})


def sampled(profiler, *argv, **settings):
    """Run to the end: its one spool."""
    folder = tempfile.mkdtemp(dir=profiler.folder)
    result = execute([target("steady"), *argv], environment(folder, **settings), preexec=bounded)
    assert result.outcome() == (0, b"ready\ndone\n", b"")
    path, = pathlib.Path(folder).iterdir()
    return Spool(path)


def needs_sigtrap(spool):
    if spool.engine != SIGTRAP:
        pytest.skip("no clock of the kernel's can be sampled here")


def carries_its_time(spool):
    """What the stacks carry is what was counted; that is all CPU time, and the interrupts in it,
    which the kernel's clock of a process may leave out.  Each thread is a period short or over: it
    begins and ends anywhere in one."""
    threads = len(spool.threads) + spool.count("THREADS_ENDED")
    periods_ns = threads * longest_period_ns(spool)
    assert spool.counted() * 0.9 - periods_ns <= spool.events() <= spool.counted() + periods_ns
    assert spool.cpu_ns * 0.9 - threads * LATE_NS <= spool.events()
    assert spool.events() <= threads * (spool.end_ns - spool.start_ns) + periods_ns


@pytest.mark.parametrize("kernel", ["no", "yes"])
@pytest.mark.parametrize("period_us", PERIODS_US)
def test_a_period_that_is_too_short_is_raised_before_the_start(profiler, period_us, kernel):
    spool = sampled(profiler, MILLIONS, period=period_us * 1000, kernel=kernel)
    needs_sigtrap(spool)
    carries_its_time(spool)
    period_ns = spool.counters[0].period
    if period_ns == period_us * 1000:
        assert "a sample costs" not in spool.note
    else:
        assert period_ns > period_us * 1000
        cost, now, before = (float(word) for word in spool.note.split() if word[0].isdigit())
        assert now >= 2 * cost - 0.2 and before == period_us
        assert f"so the period is {now} us and not {before} us" in spool.note
    assert spool.count("SIGNALS") <= spool.counted() // period_ns * 1.1 + 100


@pytest.mark.parametrize("kernel", ["no", "yes"])
@pytest.mark.parametrize("period_us", PERIODS_US)
def test_a_period_that_is_too_short_is_raised_by_the_handler(profiler, period_us, kernel):
    spool = sampled(profiler, MILLIONS, trial=False, period=period_us * 1000, kernel=kernel)
    needs_sigtrap(spool)
    assert spool.counters[0].period == period_us * 1000
    carries_its_time(spool)
    doublings = spool.count("REOPENED")
    assert (doublings > 0) == (spool.counters[0].raised > 0)
    if period_us < 3:  # the kernel's clocks overflow every 10 us at most, and our signal takes two
        assert spool.counters[0].raised >= 2 * 10000


def test_a_frequency_is_lowered_likewise(profiler):
    spool = sampled(profiler, MILLIONS, frequency=90000)
    needs_sigtrap(spool)
    carries_its_time(spool)
    if spool.counters[0].frequency_hz != 90000:
        assert spool.counters[0].frequency_hz < 90000 and "a sample costs" in spool.note


@pytest.mark.parametrize("trial", [True, False])
@pytest.mark.parametrize("events", ["cpu-clock/period=1000/",
                                    "{task-clock/period=1000/,page-faults}",
                                    "task-clock/period=1000/,cpu-clock/period=1000/,page-faults"])
def test_so_are_all_clocks_and_their_groups(profiler, events, trial):
    spool = sampled(profiler, MILLIONS, trial=trial, events=events)
    needs_sigtrap(spool)
    if trial:
        cost, now, _ = (float(word) for word in spool.note.split() if word[0].isdigit())
        assert now >= 2 * cost - 0.2 and spool.counters[0].period == pytest.approx(now * 1000, abs=100)
    else:
        assert max(spool.counters[0].period, spool.counters[0].raised) >= 2 * 10000  # as above
    carries_its_time(spool)


def test_a_usual_period_is_left_alone(profiler):
    spool = sampled(profiler, MILLIONS, period=1000000)
    assert spool.counters[0].period == 1000000 and spool.note == ""
    assert spool.counters[0].raised == spool.count("REOPENED") == 0


@pytest.mark.parametrize("hz, tried", [(12000, True), (10000, False), (999, False)])
def test_the_start_tries_what_a_sample_costs_only_below_100_us(profiler, hz, tried):
    """A short process would pay more for that than for all of its samples."""
    _, opened = profiler.straced([target("steady"), 1], "-qq", "-e", "trace=perf_event_open",
                                 "-E", f"FLAMETRAP_FREQUENCY={hz}", notify="sigtrap", collect="yes")
    if all("= -1" in call for call in opened):
        pytest.skip("no clock of the kernel's can be sampled here")
    assert ["sample_period=50000" in call for call in opened].count(True) == tried


@pytest.mark.parametrize("trial", [True, False])
@pytest.mark.parametrize("kernel", ["no", "yes"])
def test_10_khz_stays_where_system_calls_are_long(profiler, kernel, trial):
    """A turn that is longer than the period does not mean that samples take all the time."""
    if sample_cost_ns() > 50000:
        pytest.skip("samples are too dear here for 10 kHz")
    spool = sampled(profiler, "calls", 4000, trial=trial, frequency=10000, kernel=kernel)
    needs_sigtrap(spool)
    assert spool.counters[0].frequency_hz == 10000 and spool.note == ""
    assert spool.counters[0].raised == spool.count("REOPENED") == 0
    carries_its_time(spool)


@pytest.mark.parametrize("trial", [True, False])
def test_many_threads_on_few_processors_all_get_on(profiler, trial):
    spool = sampled(profiler, 10, 16, trial=trial, period=1000, kernel="yes")
    needs_sigtrap(spool)
    carries_its_time(spool)


@pytest.mark.parametrize("engine", ["sigio", "timer"])
def test_the_other_ways_of_being_notified_end_too(profiler, engine):
    spool = sampled(profiler, MILLIONS // 4, period=1000, notify=engine)
    assert spool.samples() > 0


@pytest.mark.parametrize("trial", [True, False])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGALRM", "SIGPROF", "SIGINT"])
def test_a_signal_ends_it(profiler, name, trial):
    """Sent when it has begun: were the next overflow always first, it would never arrive."""
    folder = tempfile.mkdtemp(dir=profiler.folder)
    running = subprocess.Popen([target("steady"), "1000000"], stdout=subprocess.PIPE,
                               env=environment(folder, trial, period=10000, kernel="yes"),
                               preexec_fn=bounded)
    try:
        assert running.stdout.readline() == b"ready\n"
        running.send_signal(getattr(signal, name))
        assert running.wait(timeout=CPU_LIMIT_S * 10) == -getattr(signal, name)
    finally:
        running.kill()
        running.communicate()


def test_the_line_on_standard_error_says_what_it_is_now(profiler):
    result = execute([target("steady"), 1], environment(profiler.folder, period=1000, notify="sigtrap",
                                                        collect="no"), preexec=bounded)
    lines = result.stderr.decode().splitlines()
    if lines and "runs unprofiled" in lines[0]:
        pytest.skip("no clock of the kernel's can be sampled here")
    assert result.status == 0 and len(lines) == 1
    assert lines[0].startswith("flametrap: a sample costs ")
    assert lines[0].endswith(" us and not 1.0 us")


@pytest.mark.parametrize("how", ["start", "stop"])
def test_a_pause_takes_no_samples_but_a_heartbeat(profiler, how):
    settings = {"start": "paused"} if how == "start" else {"stop": "1ms"}
    spool = sampled(profiler, MILLIONS * 4, frequency=5000, **settings)
    needs_sigtrap(spool)
    assert spool.count("SIGNALS") <= BEATS * spool.cpu_ns / 1e9 + 20
    paused = sum(thread.totals[0]["paused"] for thread in spool.threads)
    # the first sample stands for a whole period, of which its counter has counted a random part
    whole_ns = spool.counted() + len(spool.threads) * longest_period_ns(spool)
    assert spool.counted() * 0.97 <= paused + spool.events() <= whole_ns
    assert spool.count("REOPENED") == 0
