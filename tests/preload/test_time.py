"""Time, from end to end: a window of a profile has what the program did then, by the program's own
clock, and nothing else.  How busy the machine is does not matter: phases last for CPU time, and the
program prints when they began and ended."""

import collections
import contextlib
import dataclasses
import itertools
import json
import math
import pathlib
import re
import subprocess

import pytest

import spool_log
from launching import flametrap
from rights import may_see_the_kernel
from running import Folded, clean_environment, execute, target, wait_until
from spool import Spool

PHASES = "abcdefgh"
FAST_NS = 50000  # a period with which a small log is full soon
EDGES = 8
SIGMAS = 6  # further off, practically nothing is by chance


@dataclasses.dataclass
class Phase:
    """From and to are of CLOCK_MONOTONIC."""
    name: str
    from_ns: int
    to_ns: int


def phases_of(output):
    lines = [line.split() for line in output.decode().splitlines()]
    return [Phase(name, int(start), int(end)) for name, start, end in lines if int(end)]


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09d}"


class Run:
    """Spools of one run, and its phases."""

    def __init__(self, profiler, spools, phases=()):
        self.profiler = profiler
        self.spools = spools
        self.phases = phases
        self.zero_ns = min(spool.start_ns for spool in spools)

    def window(self, from_ns, to_ns, *options):
        """Folded stacks; None: there is no bound."""
        for option, ns in ("--from", from_ns), ("--to", to_ns):
            if ns is not None:
                options += option, seconds(max(0, ns - self.zero_ns))
        return self.profiler.fold(self.spools, *options)

    def windows(self, edges, *options):
        """The sum of all windows between these times, by stack."""
        found = collections.Counter()
        for from_ns, to_ns in zip([None, *edges], [*edges, None]):
            found.update(self.window(from_ns, to_ns, *options).stacks)
        return dict(found)


def run(profiler, *steps, **settings):
    result, spools = profiler.collected([target("moments"), *steps], **settings)
    assert result.status == 0, result.stderr
    return Run(profiler, spools, phases_of(result.stdout))


def work(name):
    return f"work_{name}"


def edges_of(phases):
    """A few of the times at which phases begin and end, and of moments within."""
    found = sorted({edge for phase in phases for edge in
                    (phase.from_ns, phase.to_ns, (2 * phase.from_ns + phase.to_ns) // 3 + 1)})
    return found[::max(1, len(found) // EDGES)]


def times_of(name, phases):
    """[[from, to], …] without overlaps"""
    times = []
    for phase in sorted(phases, key=lambda phase: phase.from_ns):
        if phase.name == name and times and phase.from_ns <= times[-1][1]:
            times[-1][1] = max(times[-1][1], phase.to_ns)
        elif phase.name == name:
            times.append([phase.from_ns, phase.to_ns])
    return times


def windows_have_their_phases(found, *options):
    """What is in the windows of a phase is all that there is of its function: none is elsewhere."""
    whole = found.window(None, None, *options)
    for name in {phase.name for phase in found.phases} & set(PHASES):
        assert whole.inclusive(work(name)) > 0, name
        within = [found.window(*times, *options).inclusive(work(name))
                  for times in times_of(name, found.phases)]
        assert sum(within) == whole.inclusive(work(name)), name


# A fifth of: three seconds in a, with 80 ms in b each second, and a second of sleep.
STALLS = "a184", "b16", "a184", "b16", "a184", "b16", "s200"


def test_stalls_are_in_the_windows_of_their_times(profiler):
    found = run(profiler, *STALLS)
    assert [phase.name for phase in found.phases] == [step[0] for step in STALLS]
    for weight in "events", "samples":
        windows_have_their_phases(found, "--weight", weight)


@pytest.mark.parametrize("events, weights", [
    ("task-clock", ["events", "samples"]), ("{task-clock,page-faults,context-switches}", ["events"]),
    ("task-clock,cpu-clock", ["samples"])])
def test_adjacent_windows_add_up_to_the_whole(profiler, events, weights):
    found = run(profiler, *STALLS, events=events)
    for counter, weight in itertools.product(re.findall(r"[\w-]+", events), weights):
        options = "--counter", counter, "--weight", weight
        whole = found.window(None, None, *options).stacks
        assert found.windows(edges_of(found.phases), *options) == whole


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
def test_waits_are_divided_among_windows(profiler):
    """A wait counts in each window by the part that lies in it."""
    found = run(profiler, *STALLS, events="task-clock,off-cpu")
    options = "--counter", "off-cpu"
    whole = found.window(None, None, *options).stacks
    assert found.windows(edges_of(found.phases), *options) == whole
    for phase in found.phases:
        if phase.name == "s":
            slept = found.window(phase.from_ns, phase.to_ns, *options).inclusive(".*nanosleep.*")
            assert 0.9 * 200e6 <= slept <= phase.to_ns - phase.from_ns


def test_threads_and_processes_share_one_axis(profiler):
    """Four threads in each of two processes, of which one is forked half way."""
    child = "x", "t", "e60", ".", "t", "f50", ".", "t", "s30", "g50", ".", "h70", "."
    found = run(profiler, "a50", "t", "a20", "s20", "b60", ".", *child, "t", "c50", ".", "t", "s40", "d60", ".",
                "a30")
    assert len({spool.pid for spool in found.spools}) == 2
    assert {phase.name for phase in found.phases} == {*PHASES, "s"}
    windows_have_their_phases(found, "--weight", "events")
    whole = found.window(None, None).stacks
    assert found.windows(edges_of(found.phases)) == whole


def test_thinned_logs_keep_sums_and_nearly_every_stack(profiler):
    """Where two samples of w are joined, a stack that has one of them gets 2 w or nothing, so that its
    variance grows by at most w * w.  Of N samples that become ones of at most W, that is N * W in all."""
    found = run(profiler, "a400", "b1200", "c800", "a600", "d400", period=FAST_NS, timeline="64K")
    spool, = found.spools
    joined = [entry for thread in spool.threads for entry in spool_log.log_of(spool, thread)
              if entry.kind == spool_log.SAMPLE]
    assert spool.count("LOG_THINNED") > 0 and spool.count("LOG_DROPPED") == 0
    most = max(entry.samples for entry in joined)
    edges = edges_of(found.phases)
    for weight in "events", "samples":
        whole = found.window(None, None, "--weight", weight).stacks
        thinned = found.windows(edges, "--weight", weight)
        assert sum(thinned.values()) == sum(whole.values())
    total = sum(whole.values())
    assert most >= 2 and len(joined) < total
    for stack in set(whole) | set(thinned):
        share = whole.get(stack, 0) / total
        bound = SIGMAS * math.sqrt(total * most * share * (1 - share)) + most
        assert abs(thinned.get(stack, 0) - whole.get(stack, 0)) <= bound, stack


@contextlib.contextmanager
def running(profiler, *steps, **settings):
    """The process, and a function that waits for the beginning of a phase and returns its time."""
    environment = clean_environment(**profiler.preloaded(collect="yes", period=1000000, **settings))
    with subprocess.Popen([target("moments"), *steps], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as process:
        def began(name):
            for line in process.stdout:
                if line.decode().startswith(name):
                    return int(line.split()[1])
            raise AssertionError(f"{name} did not begin")
        try:
            yield process, began
        finally:
            process.kill()


def cpu_ns(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0])


def test_a_killed_process_has_its_last_phase(profiler):
    with running(profiler, "a50", "b50", "c1000000") as (process, began):
        from_ns = began("c")
        before_ns = cpu_ns(process.pid)
        wait_until(lambda: cpu_ns(process.pid) > before_ns + 50000000)
        process.kill()
        process.wait()
    spool, = (Spool(path) for path in profiler.folder.glob("*.spool"))
    found = Run(profiler, [spool])
    whole, last = found.window(None, None), found.window(from_ns, None)
    assert last.inclusive(work("c")) == whole.inclusive(work("c")) >= 40
    assert last.inclusive(work("[ab]")) == 0 < whole.inclusive(work("[ab]"))


def test_the_last_seconds_of_a_living_process(profiler):
    def last(pid, time):
        done = execute(["env", f"FLAMETRAP_SPOOL={profiler.folder}", *command, "fold", "--last", time, pid],
                       clean_environment())
        return Folded(done.stdout.decode())

    command = [flametrap("help").args[0]]
    with running(profiler, "a100", "b1000000") as (process, began):
        from_ns = began("b")
        wait_until(lambda: last(process.pid, "0.3s").inclusive(work("b")) > 0 and
                   cpu_ns(process.pid) > 600000000)
        assert from_ns > 0
        wait_until(lambda: last(process.pid, "0.3s").inclusive(work("b")) > 0)
        assert last(process.pid, "0.3s").inclusive(work("a")) == 0
        assert last(process.pid, "5s").inclusive(work("b")) > 0
        assert last(process.pid, "1000s").inclusive(work("a")) > 0


def test_the_report_names_the_unusual_moment_and_a_command_for_it(profiler):
    found = run(profiler, "a1500", "b150", "a1500")
    spool, = found.spools
    text = flametrap("report", spool.path).stdout
    assert "  load       |" in text
    moments = re.findall(r"  unusual    (\S+) to (\S+) s.*:\n +(\S+) (\S+)% instead of \S+%\n", text)
    (from_s, to_s, name, percent), = (moment for moment in moments if moment[2] == work("b"))
    stall, = (phase for phase in found.phases if phase.name == "b")
    assert found.zero_ns + float(from_s) * 1e9 < stall.to_ns
    assert stall.from_ns < found.zero_ns + float(to_s) * 1e9
    command = re.search(r"\n +flametrap report --from \S+ --to \S+ (\S+)\n", text)
    assert command[1] == str(spool.path)
    shape = json.loads(flametrap("report", "--json", spool.path).stdout)["tables"][0]["shape"]
    exact, = (one for one in shape["unusual"] if name in (function["name"] for function in one["functions"]))
    part = flametrap("report", "--from", seconds(exact["from_ns"]), "--to", seconds(exact["to_ns"]),
                     "--weight", "events", command[1]).stdout
    share = re.search(rf"\n *\S+ % +(\S+) % .*  {re.escape(name)}\n", part)
    assert float(share[1]) == pytest.approx(float(percent), abs=0.51), part
    before = flametrap("report", "--to", seconds(stall.from_ns - found.zero_ns), spool.path).stdout
    assert work("a") in before and work("b") not in before
