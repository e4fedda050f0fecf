"""Formats with the time of each sample: their own readers find in them what a program did, at the
times at which it says it did so, and as much of it as the folded stacks have."""

import json
import re

import pytest

import perfetto_trace
from firefox_profiler import FirefoxProfiler
from launching import flametrap
from running import Profiler, target

# Three seconds in a, with a stall in b each second, and a second of sleep; all shorter.
STEPS = ["a120", "b40", "a120", "b40", "a120", "b40", "s200"]
ENDINGS = {"firefox": "firefox.json.gz", "perfetto": "perfetto-trace", "perfscript": "perf.txt",
           "speedscope": "speedscope.json"}
KIND = re.compile(r"_\[[kjpio]\]$")


class Moments:
    """Files of a run, its phases, and what the folded stacks say of it."""

    def __init__(self, folder):
        profiler = Profiler(folder)
        result, self.spools = profiler.collected([target("moments"), *STEPS],
                                                 events="task-clock,off-cpu")
        assert result.status == 0, result.stderr
        lines = [line.split() for line in result.stdout.decode().splitlines()]
        self.phases = [(name, int(start), int(end)) for name, start, end in lines if int(end)]
        assert [name for name, _, _ in self.phases] == [step[0] for step in STEPS]
        self.zero_ns = min(spool.start_ns for spool in self.spools)
        self.folded = {
            (counter, weight): profiler.fold(self.spools, "--counter", counter, "--weight", weight)
            for counter in ("task-clock", "off-cpu") for weight in ("samples", "events")}
        self.stem = folder / "moments"
        flametrap("fold", "--format", ",".join(ENDINGS), "-o", self.stem,
                  *[spool.path for spool in self.spools], status=0)

    def file(self, name):
        return self.stem.with_name(f"moments.{ENDINGS[name]}")

    def selves(self, counter, weight):
        found = {}
        for stack, value in self.folded[counter, weight].stacks.items():
            name = KIND.sub("", stack[-1])
            found[name] = found.get(name, 0) + value
        return found

    def each_phase_has_its_own(self, value):
        """`value` says what a function has between two times.  In each phase it is the phase's
        function alone, and all phases have all of it."""
        found = {"work_a": 0, "work_b": 0}
        for name, from_ns, to_ns in self.phases:
            for function in found:
                part = value(function, from_ns, to_ns)
                assert part == 0 or function == f"work_{name}", (function, name)
                found[function] += part
        return found


@pytest.fixture(scope="module", name="moments")
def run_moments(tmp_path_factory):
    return Moments(tmp_path_factory.mktemp("moments"))


def test_firefox_profiler_finds_a_stall_by_its_time(moments, tmp_path):
    with FirefoxProfiler(tmp_path, moments.file("firefox")) as page:
        main, = [thread for thread in page.threads() if thread["name"] == "moments"]
        shown = {}

        def value(function, from_ns, to_ns):
            if (from_ns, to_ns) not in shown:
                page.zoom((from_ns - moments.zero_ns) / 1e9, (to_ns - moments.zero_ns) / 1e9)
                shown[from_ns, to_ns] = page.selves([main])
            return shown[from_ns, to_ns].get(function, 0)

        assert page.selves([main]) == moments.selves("task-clock", "samples")
        found = moments.each_phase_has_its_own(value)
    assert found["work_b"] == moments.folded["task-clock", "samples"].leaf("work_b") > 0
    assert found["work_a"] == moments.folded["task-clock", "samples"].leaf("work_a") > 0


def test_firefox_profiler_shows_time_off_the_processor(moments, tmp_path):
    with FirefoxProfiler(tmp_path, moments.file("firefox")) as page:
        waits = [thread for thread in page.threads() if thread["name"] == "moments: off-cpu"]
        shown = page.selves(waits)
        markers = page.run("thread", "markers", "--thread", "t-0")
    expected = moments.selves("off-cpu", "events")
    assert shown == pytest.approx({name: ns / 1e6 for name, ns in expected.items()})
    assert "off-CPU" in markers


def test_a_perfetto_trace_has_a_stall_at_its_time(moments):
    trace = perfetto_trace.Trace(moments.file("perfetto").read_bytes())
    assert set(trace.samples) == {"task-clock", "off-cpu"}
    for counter, samples in trace.samples.items():
        found = {}
        for sample in samples:
            found[sample.stack[-1]] = found.get(sample.stack[-1], 0) + sample.count
        assert found == moments.selves(counter, "events")

    def value(function, from_ns, to_ns):
        return sum(sample.count for sample in trace.samples["task-clock"]
                   if function in sample.stack and from_ns <= sample.time_ns <= to_ns)

    found = moments.each_phase_has_its_own(value)
    assert found["work_b"] == moments.folded["task-clock", "events"].inclusive("work_b") > 0
    assert trace.clocks[3] == moments.zero_ns


def test_a_perfetto_trace_has_the_sleep_as_a_slice(moments):
    trace = perfetto_trace.Trace(moments.file("perfetto").read_bytes())
    _, from_ns, to_ns = moments.phases[-1]
    longest = max((span for span in trace.slices if span.name == "off-CPU"),
                  key=lambda span: min(span.to_ns, to_ns) - max(span.from_ns, from_ns))
    assert from_ns <= longest.from_ns and longest.to_ns <= to_ns
    assert longest.to_ns - longest.from_ns >= 200 * 10**6
    name, parent = trace.tracks[longest.track]
    assert name == "off-CPU" and trace.tracks[parent][0] == "moments"


HEAD = re.compile(r"(\S.*?)\s+(\d+)/(\d+)\s+(\d+\.\d+):\s+(\d+)\s+(\S+):\s*")
FRAME = re.compile(r"\s+([0-9a-f]+) (.+) \((\S*)\)")


def perf_script(text):
    """[(thread, time, value, counter, [frame, …] outermost first), …] as readers of perf script
    split it."""
    found = []
    for record in text.split("\n\n"):
        if not record.strip():
            continue
        head, *frames = record.split("\n")
        thread, _, _, time_s, value, counter = HEAD.fullmatch(head).groups()
        names = [FRAME.fullmatch(line)[2] for line in reversed(frames)]
        seconds, ns = time_s.split(".")
        found.append((thread, int(seconds) * 10**9 + int(ns), int(value), counter, names))
    return found


def test_perf_script_has_a_stall_at_its_time(moments):
    records = perf_script(moments.file("perfscript").read_text(encoding="utf-8"))
    for counter in "task-clock", "off-cpu":
        found = {}
        for _, _, value, event, frames in records:
            if event == counter:
                found[frames[-1]] = found.get(frames[-1], 0) + value
        assert found == moments.selves(counter, "events")

    def within(function, from_ns, to_ns):
        return sum(value for _, time_ns, value, counter, frames in records
                   if counter == "task-clock" and function in frames and from_ns <= time_ns <= to_ns)

    found = moments.each_phase_has_its_own(within)
    assert found["work_b"] == moments.folded["task-clock", "events"].inclusive("work_b") > 0


def test_firefox_profiler_reads_perf_script(moments, tmp_path):
    records = perf_script(moments.file("perfscript").read_text(encoding="utf-8"))
    with FirefoxProfiler(tmp_path, moments.file("perfscript")) as page:
        threads = page.threads()
        assert [thread["name"] for thread in threads] == ["moments"]
        shown = page.selves(threads)
    assert sum(shown.values()) == len(records)
    assert shown["work_b"] == sum(frames[-1] == "work_b" for *_, frames in records)


def test_speedscope_has_a_stall_at_its_time(moments):
    data = json.loads(moments.file("speedscope").read_text(encoding="utf-8"))
    names = [frame["name"] for frame in data["shared"]["frames"]]
    timed, = [entry for entry in data["profiles"] if entry["name"].startswith("task-clock: moments/")]
    assert data["profiles"][data["activeProfileIndex"]] is timed
    assert timed["unit"] == "nanoseconds" and timed["startValue"] == 0
    assert sum(timed["weights"]) == timed["endValue"]
    spans = []
    now = 0
    for sample, weight in zip(timed["samples"], timed["weights"]):
        spans.append(([names[index] for index in sample], now, weight))
        now += weight
    folded = moments.folded["task-clock", "events"]
    assert sum(weight for stack, _, weight in spans if stack) == folded.total
    # A span stands where its samples are but for what samples before it were late.
    order = [stack[-1][-1] for stack, _, _ in spans if stack and stack[-1].startswith("work_")]
    phases = [name for name, _, _ in moments.phases if name in "ab"]
    assert [name for at, name in enumerate(order) if not at or order[at - 1] != name] == phases
    _, from_ns, to_ns = moments.phases[-1]
    assert any(not stack and weight >= 190 * 10**6 for stack, _, weight in spans), to_ns - from_ns


@pytest.mark.parametrize("name", ["firefox", "perfetto", "perfscript"])
def test_without_times_one_line_says_what_is_missing(profiler, name, tmp_path):
    _, spools = profiler.collected([target("burn"), "50"], timeline="no")
    done = flametrap("fold", "--format", name, "-o", tmp_path / "x", *[spool.path for spool in spools],
                     status=1)
    assert done.stderr.count("\n") == 1
    assert f"x.{ENDINGS[name]}: this format needs the time of each sample" in done.stderr
    assert not list(tmp_path.glob("x.*"))
    done = flametrap("fold", "--format", name, *[spool.path for spool in spools])
    assert done.returncode == 1 and done.stdout == ""
    assert "standard output: this format needs the time of each sample" in done.stderr


@pytest.fixture(scope="module", name="hostile")
def run_hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    result, _ = Profiler(folder).launched(["--format", ",".join(ENDINGS), "-e", "task-clock"],
                                          [target("hostile_names")])
    assert result.status == 0, result.stderr
    written, = folder.iterdir()
    return written


def test_firefox_profiler_takes_names_of_any_bytes(hostile, tmp_path):
    with FirefoxProfiler(tmp_path, hostile / "profile.firefox.json.gz") as page:
        shown = page.functions(page.threads())
    assert "a<b>&amp:'c'" in shown
    assert "\ufffd\ufffd(\ufffd" in shown


def test_other_formats_take_names_of_any_bytes(hostile):
    trace = perfetto_trace.Trace((hostile / "profile.perfetto-trace").read_bytes())
    records = perf_script((hostile / "profile.perf.txt").read_text(encoding="utf-8"))
    leaves = {sample.stack[-1] for sample in trace.samples["task-clock"]}
    assert "a<b>&amp:'c'" in leaves
    assert {frames[-1] for *_, frames in records} == leaves
    assert sum(value for _, _, value, _, _ in records) == sum(
        sample.count for sample in trace.samples["task-clock"])


def test_a_child_has_its_phases_on_the_same_axis(profiler, tmp_path):
    result, spools = profiler.collected([target("moments"), "a60", "x", "c60", "s20", "d60", ".", "b60"])
    assert result.status == 0, result.stderr
    assert len(spools) == 2
    lines = [line.split() for line in result.stdout.decode().splitlines()]
    phases = {name: (int(start), int(end)) for name, start, end in lines if int(end)}
    flametrap("fold", "--format", "perfetto,perfscript", "-o", tmp_path / "x",
              *[spool.path for spool in spools], status=0)
    trace = perfetto_trace.Trace((tmp_path / "x.perfetto-trace").read_bytes())
    seen = {}
    for sample in trace.samples["task-clock"]:
        for name in "abcd":
            if f"work_{name}" in sample.stack:
                from_ns, to_ns = phases[name]
                assert from_ns <= sample.time_ns <= to_ns
                seen[name] = sample.pid
    assert seen["a"] == seen["b"] != seen["c"] == seen["d"]
    assert {name for name, _ in trace.tracks.values()} >= {"moments"}
    records = perf_script((tmp_path / "x.perf.txt").read_text(encoding="utf-8"))
    assert len(records) == len(trace.samples["task-clock"])
