"""R10: no call of the target fails with EINTR because of us, or ends early, under any way of sampling;
its own signals do what they did, and a sleep that the kernel continues after a stop goes on.  The same
program under SIGIO, whose hazard is known, shows that it would tell.

What the program gives to the kernel, or forgets in its environment, may point to memory that is not there:
nothing of ours looks at it where without us nobody would, and nothing of ours comes there.  R5: unwind
information that the target unmaps or protects while it is sampled at each page fault costs frames, which
are counted; the target, and its own handling of faults, go on."""

import glob
import os
import signal
import subprocess
import threading

import pytest

from rights import may_see_the_kernel
from running import (COSTS_PER_PERIOD, LIBRARY, bearable, clean_environment, least_period_ns, sample_cost_ns,
                     target)

ROUNDS = 120  # of 31 calls
MODE_ROUNDS = 20
RUNS_MAX = 1000  # in none of which anything is hit
LATE_RUNS_MAX = 100  # in which the clocks are too late each time
LIMIT_S = 300  # of a second's work
PERIOD_NS = 100000  # 10 kHz of CPU time, the kernel's side included
NEEDS_KERNEL = pytest.mark.skipif(not may_see_the_kernel(),
                                  reason="the kernel's side may not be sampled")
QUIET = b"31 calls: 0 interrupted, 0 early\n"
RING_ROUNDS = 40
NO_RING = 77
STOPS = 10000


def samples(spools):
    return sum(spool.samples() for spool in spools)


def kernel_samples(spools):
    return sum(spool.count("KERNEL_SAMPLES") for spool in spools)


def until_hit(profiler, words, said, wanted, hits_of=kernel_samples, **settings):
    """Runs that all end well, as often as it takes to have more hits: (hits, runs)."""
    hits = runs = 0
    while hits <= wanted:
        result, spools = profiler.collected([target("harm_eintr"), *words],
                                            **{"period": PERIOD_NS, "kernel": "yes", **settings})
        assert result.outcome() == (0, said, b"")
        hits += hits_of(spools)
        runs += 1
        assert hits or runs < RUNS_MAX
    return hits, runs


@pytest.mark.parametrize("kernel, hits_of", [("no", samples),
                                             pytest.param("yes", kernel_samples, marks=NEEDS_KERNEL)])
def test_no_call_is_interrupted_or_shortened_by_us(profiler, kernel, hits_of, record_property):
    hits, runs = until_hit(profiler, ["quiet", ROUNDS], QUIET, 100, hits_of, kernel=kernel)
    record_property("calls", 31 * ROUNDS * runs)
    record_property("interrupted", 0)
    record_property("hits", hits)


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


@pytest.mark.parametrize("way, number, settings", [
    ("own", 28, {"period": PERIOD_NS}),
    pytest.param("own", 28, {"events": "off-cpu", "period": 1}, marks=NEEDS_KERNEL),
    ("each", 31, {"period": PERIOD_NS})])
def test_its_own_timer_interrupts_the_same_calls(profiler, way, number, settings):
    """Those that SA_RESTART does not restart, and all where the handler has not asked for that."""
    result, _ = profiler.alike([target("harm_eintr"), way], kernel="yes", **settings)
    assert result.stdout.endswith(b"%d interrupted, it rang\n" % number)


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


def test_a_pending_sigtrap_of_the_target_is_not_swallowed_by_an_overflow(profiler, record_property):
    hits, runs = until_hit(profiler, ["pending", 20000], b"0 early, 0 missing or twice\n", 100, samples,
                           period=20000, limit_s=LIMIT_S, kernel="auto")
    record_property("rounds", 20000 * runs)
    record_property("hits", hits)


@NEEDS_KERNEL
def test_a_call_that_takes_long_ends(profiler):
    """R9: getrandom(2) of 64 MB looks for signals all the time; it must give all of them."""
    until_hit(profiler, ["long"], b"67108864 bytes in 1 call\n", 10)


def uprobe(function, kind="uprobe"):
    return f"{kind}:{target('harm_eintr')}:{function}"


@NEEDS_KERNEL
@pytest.mark.parametrize("events, least", [
    ("task-clock/period=50000/k,cpu-clock/period=50000/", [1, 1]),  # the kernel's side
    ("off-cpu,task-clock/period=100000/", [100, 1]),  # --wall
    ("off-cpu/period=3/,page-faults/period=1/", [30, 1]),
    ("mem:rang/4,context-switches/period=1/", [0, 100]),
    ("mem:span_ns/8,mem:semaphore/4", [MODE_ROUNDS, MODE_ROUNDS]),  # the latter's word is read by futex(2)
    (f"{uprobe('call_nanosleep')},{uprobe('call_poll', 'uretprobe')}", [MODE_ROUNDS, MODE_ROUNDS]),
])
def test_no_way_of_sampling_interrupts_or_shortens_a_call(profiler, events, least, record_property):
    found, runs = [0] * len(least), 0
    while any(samples < enough for samples, enough in zip(found, least)):
        result, spools = profiler.collected([target("harm_eintr"), "quiet", MODE_ROUNDS],
                                            events=events, period=1, kernel="yes")
        if b"FLAMETRAP_EVENTS" in result.stderr:
            pytest.skip(result.stderr.decode())  # no such PMU here
        assert result.outcome() == (0, QUIET, b"")
        found = [samples + spools[0].samples(i) for i, samples in enumerate(found)]
        runs += 1
        assert runs < (LATE_RUNS_MAX if "clock" in events else 2), found
    record_property("samples", found)


@NEEDS_KERNEL
@pytest.mark.parametrize("counter, events", [("page-faults", "page-faults"),
                                             ("minor-faults", "off-cpu,minor-faults")])
def test_a_fault_in_the_kernel_does_not_end_the_call_that_took_it(profiler, counter, events):
    result, spools = profiler.collected([target("harm_eintr"), "faulting", 100], events=events,
                                        period=1, kernel="yes")
    assert result.outcome() == (0, b"0 interrupted, 0 early\n", b"")
    assert spools[0].count("KERNEL_SAMPLES") >= 100
    assert profiler.fold(spools, "--counter", counter).leaf(r"\[anonymous mapping\]") >= 100


@pytest.fixture(name="one_processor")
def on_one_processor():
    """Whoever stops the child takes turns with it, so that the stop finds it asleep."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


@pytest.mark.usefixtures("one_processor")
@pytest.mark.parametrize("events", ["task-clock", "task-clock:u"])
@pytest.mark.parametrize("call", ["nanosleep", "poll", "semaphore"])
def test_a_stopped_sleep_goes_on(profiler, call, events):
    environment = clean_environment(**profiler.preloaded(LIBRARY, period=PERIOD_NS, events=events,
                                                         coarse="no"))
    with subprocess.Popen([target("harm_eintr"), call], env=environment,
                          stdout=subprocess.PIPE) as child:
        limit = threading.Timer(LIMIT_S, child.kill)
        limit.start()
        try:
            assert child.stdout.readline() == b"waits\n"
            for _ in range(STOPS):
                child.send_signal(signal.SIGSTOP)
                assert os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
                child.send_signal(signal.SIGCONT)
                assert os.WIFCONTINUED(os.waitpid(child.pid, os.WCONTINUED)[1])
        finally:
            limit.cancel()
            child.kill()
            rest = child.stdout.read()
        assert rest == b""


LOADERS = glob.glob("/lib*/ld-linux-*.so.*")


@pytest.mark.parametrize("notify", [
    "sigtrap", "sigio", pytest.param("timer", marks=pytest.mark.measures)])  # ticks may miss it
def test_calls_answer_as_the_kernel_does(profiler, notify):
    argv = [target("harm_gone"), "calls", LOADERS[0]]
    result, spools = profiler.alike(argv, notify=notify)
    assert result.status == 7 and result.stdout.count(b"EFAULT") >= 200, result.stdout
    assert sum(spool.samples() for spool in spools) > 0


@pytest.mark.parametrize("how", ["return", "_exit", "fork"])
@pytest.mark.parametrize("environ", ["gone", "nowhere", "none"])
def test_an_environment_that_is_not_there_ends_nothing(profiler, environ, how):
    argv = [target("harm_gone"), environ, how]
    result, files = profiler.alike(argv, how="files")
    assert result.status == 7
    assert len([name for name in files if name.endswith(".folded")]) == 1 + (how == "fork")


def test_nor_does_it_where_output_is_named_by_a_variable(profiler):
    argv = [target("harm_gone"), "gone", "fork"]
    result, files = profiler.alike(argv, how="files", output=profiler.folder / "%{GONE}.%p")
    assert result.status == 7
    assert len(list(profiler.folder.glob("*.folded"))) == 2, files


GAP_MS = 1000
GAP_PERIOD_NS = 200000


@pytest.mark.parametrize("pages", [1, 4096, *(pytest.param(pages, marks=pytest.mark.long) for pages in (2, 17))])
@pytest.mark.parametrize("events", ["task-clock", "{task-clock,page-faults}"])
def test_what_a_handler_maps_is_not_where_the_program_unmapped(profiler, events, pages):
    argv = [target("harm_contexts"), GAP_MS, pages]
    empty = (0, b"gap\nempty\n", b"")
    assert profiler.plain(argv).outcome() == empty
    result, (spool,) = profiler.collected(argv, events=events, period=GAP_PERIOD_NS)
    assert result.outcome() == empty
    assert spool.samples() > 100


VANISH_ROUNDS = 40
PAGES = 256  # faults that harm_vanish takes in vanish_unseen, when its unwind information is gone
CUT = ["TRUNCATED_DEPTH", "TRUNCATED_NO_RULE", "TRUNCATED_BOUNDS", "TRUNCATED_BUSY",
       "TRUNCATED_FAILED", "LEAF_ONLY"]


def test_unwind_information_that_goes_away_costs_frames_and_nothing_else(profiler,
                                                                        record_property):
    argv = [target("harm_vanish"), VANISH_ROUNDS]
    _, spools = profiler.alike(argv, (0, b"ok\n", b""), events="page-faults", period=1)
    spool, = spools
    cut = sum(spool.count(name) for name in CUT)
    assert spool.count("SAMPLES") == spool.count("COMPLETE") + cut
    stacks = profiler.fold(spools)
    unseen = {frames: value for frames, value in stacks.stacks.items()
              if "vanish_unseen" in frames}
    assert sum(unseen.values()) == PAGES, (spool.note, spool.count("DEGRADED"), stacks.stacks)
    # none of them can be known to be called by main
    whole = sum(value for frames, value in unseen.items() if frames[1] == "_start")
    assert whole <= spool.count("GUESSED")
    assert cut + spool.count("GUESSED") >= PAGES
    record_property("samples", spool.count("SAMPLES"))
    record_property("cut", cut)
