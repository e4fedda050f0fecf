"""--from, --to and --last of real programs: what they did at a time is found there, and only there."""

import contextlib
import os
import pathlib
import re
import subprocess
import time

import pytest

from launching import flametrap, folded
from rights import may_see_the_kernel
from running import LIMIT_S, Profiler, clean_environment, target
from spool import Spool

S = 10**9
BLOCKED = r"\[still blocked\]"
WHAT = {"f": "first", "s": "second", "n": "nap", "c": "in_child", "t": "in_thread"}

EVENTS = ["task-clock", pytest.param("task-clock,off-cpu", marks=pytest.mark.skipif(
    not may_see_the_kernel(), reason="switches may not be sampled"))]


class Program:
    """A process that does one thing after another when it is told to."""

    def __init__(self, folder, events, **settings):
        self.folder = folder
        preloaded = Profiler(folder).preloaded(events=events, format="spool", output=folder / "kept",
                                               **settings)
        self.process = subprocess.Popen([target("in_turn")], env=clean_environment(**preloaded),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def do(self, letter):
        """Returns when it is done: CLOCK_MONOTONIC."""
        os.write(self.process.stdin.fileno(), letter.encode())
        assert self.process.stdout.readline() == b"\n"
        return time.monotonic_ns()

    def end(self):
        """The spools that it left."""
        self.process.communicate(timeout=LIMIT_S)
        assert self.process.returncode == 0
        return sorted(self.folder.glob("kept*.spool"))


@contextlib.contextmanager
def program(folder, events="task-clock", **settings):
    made = Program(folder, events, **settings)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.communicate()


def spool_of(folder, pid):
    return next(pathlib.Path(folder).glob(f"flametrap.{pid}.*.spool"))


def where(folder):
    return {"FLAMETRAP_SPOOL": str(folder)}


def parts(found):
    return {name for name in WHAT.values() if found.inclusive(name)}


@pytest.mark.parametrize("events", EVENTS)
def test_each_part_has_what_was_done_in_it(tmp_path, events):
    """Eight threads, and a fork in the middle: two processes on one axis."""
    letters = "fsnctf" if "off-cpu" in events else "fsctf"
    with program(tmp_path, events) as made:
        times = [made.do(letter) for letter in letters]
        spools = made.end()
    assert len(spools) == 2
    start_ns = min(Spool(path).start_ns for path in spools)
    bounds = ["0", *(f"{(ns - start_ns) / S:.9f}" for ns in times[:-1]), "1h"]
    for counter in events.split(","):
        for weight in "samples", "events":
            common = "--counter", counter, "--weight", weight, *spools
            sums = {}
            for letter, start, end in zip(letters, bounds, bounds[1:]):
                found = folded("--from", start, "--to", end, *common)
                if counter == "task-clock":
                    assert parts(found) in ({WHAT[letter]}, {WHAT[letter]} - {"nap"}), letter
                elif letter == "n" and weight == "events":
                    assert found.inclusive("nap") > 39 * S // 1000
                else:
                    assert "nap" not in parts(found) or letter == "n"
                for stack, value in found.stacks.items():
                    sums[stack] = sums.get(stack, 0) + value
            assert sums == folded(*common).stacks


def test_the_last_part_of_a_running_process(tmp_path):
    with program(tmp_path) as made:
        made.do("f")
        made.do("s")
        begun_ns = made.do("e")
        spool = spool_of(tmp_path, made.process.pid)
        while Spool(spool).samples() < 250:  # at 1000 a second
            assert time.monotonic_ns() < begun_ns + LIMIT_S * S
        last = f"{(time.monotonic_ns() - begun_ns) / S:.3f}s"
        found = folded("--last", last, str(made.process.pid), settings=where(tmp_path))
        whole = folded(str(made.process.pid), settings=where(tmp_path))
        report = flametrap("report", "--last", last, str(made.process.pid), settings=where(tmp_path))
        assert found.inclusive("endless") and not parts(found)
        assert {"first", "second"} == parts(whole)
        assert whole.total > found.total
        number, unit = re.search(r"; (\S+) (m?s) so far", report.stdout).groups()
        whole_s = float(re.search(r"^window .* of (\S+) s;", report.stdout, re.M)[1])
        assert abs(float(number) / (1000 if unit == "ms" else 1) - whole_s) <= 0.001


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
def test_a_thread_that_still_waits_counts_in_the_last_part(tmp_path):
    with program(tmp_path, "task-clock,off-cpu") as made:
        made.do("f")
        waits_ns = time.monotonic_ns()
        while time.monotonic_ns() < waits_ns + S // 10:
            time.sleep(0.01)
        common = "--counter", "off-cpu", "--weight", "events", str(made.process.pid)
        found = folded("--last", "20ms", *common, settings=where(tmp_path))
        whole = folded(*common, settings=where(tmp_path))
    waited = found.inclusive(BLOCKED)
    assert waited == found.total >= 20 * S // 1000
    assert whole.inclusive(BLOCKED) >= waited + 50 * S // 1000


def test_a_killed_process_keeps_its_times(tmp_path):
    with program(tmp_path) as made:
        made.do("f")
        first_ns = made.do("s")
        made.do("e")
        spool = spool_of(tmp_path, made.process.pid)
        until_ns = time.monotonic_ns() + LIMIT_S * S
        while Spool(spool).samples() < 200:
            assert time.monotonic_ns() < until_ns
    start_ns = Spool(spool).start_ns
    found = folded("--from", f"{(first_ns - start_ns) / S:.9f}", spool)
    assert found.inclusive("endless") and not parts(found)
    found = folded("--to", f"{(first_ns - start_ns) / S:.9f}", spool)
    assert parts(found) == {"first", "second"} and not found.inclusive("endless")


def test_a_small_timeline_keeps_the_whole_run(tmp_path):
    """Its oldest part is thinned: sums stay, and the report says how exact a part is."""
    with program(tmp_path, timeline="64K", events="task-clock", period="100000") as made:
        times = [made.do(letter) for letter in "fs" * 10]
        spools = made.end()
    start_ns = Spool(spools[0]).start_ns
    middle = f"{(times[9] - start_ns) / S:.9f}"
    halves = [folded("--to", middle, *spools), folded("--from", middle, *spools)]
    assert sum(half.total for half in halves) == folded(*spools).total
    done = flametrap("report", "--to", middle, *spools)
    assert "samples were joined with others" in done.stdout, done.stdout
