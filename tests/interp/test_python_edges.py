"""Every call in the stacks of a Python program was made: sys.setprofile has seen each of them, from
the same line, in another run of the same program; however Python runs, and however it is sampled."""

import pathlib

import pytest

import pythons
from python_edges import DONE, Found, Seen
from pythons import PROGRAMS
from rights import may_see_the_kernel
from running import Profiler

PERIOD_NS = 100000
SECONDS = 3.3
SHORT_SECONDS = 0.6
SAMPLES_MIN = 100
SAMPLES = 10000  # one run has three times as many, or a tenth where the machine is slow
OUTCOMES = ("INTERP_MERGED", "INTERP_PENDING", "INTERP_NO_STATE", "INTERP_UNMERGED")


@pytest.fixture(scope="module")
def seen(python, tmp_path_factory):
    return Seen(Profiler(tmp_path_factory.mktemp("seen")), python)


@pytest.fixture(scope="module")
def calls(seen, python, tmp_path_factory):
    """What was seen, and what was sampled: (Seen, Folded, spools)."""
    profiler = Profiler(tmp_path_factory.mktemp("edges"))
    spools = profiler.collected_enough(
        SAMPLES, [python.path, "-B", PROGRAMS / "edges.py", "sample", SECONDS], DONE, period=PERIOD_NS)
    return seen, profiler.fold(spools, "--lines"), spools


def test_every_call_in_a_stack_was_made_from_that_line(calls, record_property):
    recorded, folded, _ = calls
    found = Found(recorded, folded)
    record_property("samples", found.samples)
    record_property("calls in them", found.calls)
    record_property("of generators being made", sum(found.made.values()))
    found.check(SAMPLES / 2)


def test_nearly_all_stacks_have_their_functions(calls, record_property):
    """A stack without any is of the start, the end, or of an instant at which they are not known.  The
    end, which frees all objects, takes long enough to be left out here."""
    _, folded, spools = calls
    count = {name: sum(spool.count(name) for spool in spools)
             for name in (*OUTCOMES, "LEAF_ONLY", "TRUNCATED_BUSY")}
    for name in OUTCOMES:
        record_property(name, count[name])
    short = count["LEAF_ONLY"] + count["TRUNCATED_BUSY"]
    ended = sum(value for frames, value in folded.stacks.items()
                if "Py_FinalizeEx" in frames and not any(map(pythons.is_function, frames)))
    assert pythons.with_any(folded) >= 0.9 * (folded.total - short - ended)
    assert count["INTERP_UNMERGED"] <= 0.01 * folded.total


def test_many_kinds_of_calls_are_in_the_stacks(calls):
    """The check above would hold for stacks of one function, too."""
    recorded, folded, _ = calls
    sampled = Found(recorded, folded).edges
    assert len(sampled & recorded.edges) > 0.5 * len(recorded.edges), (len(sampled), len(recorded.edges))
    callees = {edge[4] for edge in sampled}
    assert callees >= {"burn", "key_of", "replaced", "from_c", "made_inner", "deeper_later",
                       "counter", "<lambda>", "recursion", "wrapper"}


@pytest.mark.parametrize("options, environment", [
    (["-X", "dev"], {}),
    (["-O"], {}),
    (["-E", "-s", "-S"], {}),
    (["-X", "tracemalloc=5"], {}),
    (["-X", "faulthandler"], {}),
    ([], {"PYTHONMALLOC": "debug"}),
    ([], {"PYTHONMALLOC": "malloc"}),
    ([], {"PYTHONPERFSUPPORT": "1"}),
], ids=["dev", "O", "without site", "tracemalloc", "faulthandler", "malloc debug", "malloc",
        "perf support"])
def test_calls_are_right_however_python_runs(profiler, python, options, environment):
    if "PYTHONPERFSUPPORT" in environment and python.version < (3, 12):
        pytest.skip("it is of Python 3.12 and later")
    # With support for perf a run leaves a map, and the one that is recorded is not known by its number.
    own = Seen(profiler, python, *options, environment={
        name: value for name, value in environment.items() if name != "PYTHONPERFSUPPORT"})
    result, spools = profiler.collected(
        [python.path, "-B", *options, PROGRAMS / "edges.py", "sample", SHORT_SECONDS],
        environment=environment, period=PERIOD_NS)
    folded = profiler.fold(spools, "--lines")
    maps = [path for spool in spools if (path := pathlib.Path(f"/tmp/perf-{spool.pid}.map")).exists()]
    for path in maps:
        path.unlink()
    assert result.outcome() == DONE
    assert bool(maps) == ("PYTHONPERFSUPPORT" in environment)
    Found(own, folded).check(SAMPLES_MIN)


@pytest.mark.parametrize("settings", [
    {"events": "task-clock:u"},
    {"notify": "sigio"},
    {"notify": "timer"},
    {"events": "page-faults", "period": 1, "kernel": "yes"},
    {"events": "{task-clock,page-faults}"},
    {"events": "task-clock,off-cpu", "kernel": "yes"},
], ids=["user", "sigio", "timer", "page faults", "group", "off-cpu"])
def test_calls_are_right_however_they_are_sampled(profiler, python, seen, settings):
    if settings.get("kernel") and not may_see_the_kernel():
        pytest.skip("the kernel's side may not be sampled")
    more = {"period": PERIOD_NS, **settings}
    result, spools = profiler.collected(
        [python.path, "-B", PROGRAMS / "edges.py", "sample", SHORT_SECONDS], **more)
    assert result.outcome() == DONE
    for counter in spools[0].counters:
        found = Found(seen, profiler.fold(spools, "--lines", "--counter", counter.name,
                                          "--weight", "samples"))
        assert not found.wrong, (counter.name, found.wrong.most_common(20))
        assert found.calls, counter.name
        if counter.name.startswith("task-clock"):
            found.check(SAMPLES_MIN)


def test_without_interpreters_stacks_are_native(profiler, python):
    folded, _ = pythons.sampled(profiler, [python.path, "-B", PROGRAMS / "edges.py", "sample", SHORT_SECONDS],
                                b"done\n", interp="no")
    assert not [frame for frames in folded.stacks for frame in frames if frame.endswith("_[p]")]
    assert folded.inclusive("_PyEval_EvalFrameDefault.*") > 0.5 * folded.total
