"""Other ways to run Python, and to sample it: the stacks are right in each."""

import pathlib

import pytest

from python_edges import DONE, Found, Seen
from pythons import PROGRAMS
from rights import may_see_the_kernel

PERIOD_NS = 100000
SECONDS = 0.6
SAMPLES_MIN = 100


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
    seen = Seen(profiler, python, *options, environment={
        name: value for name, value in environment.items() if name != "PYTHONPERFSUPPORT"})
    result, spools = profiler.collected(
        [python.path, "-B", *options, PROGRAMS / "edges.py", "sample", SECONDS],
        environment=environment, period=PERIOD_NS)
    folded = profiler.fold(spools, "--lines")
    maps = [path for spool in spools if (path := pathlib.Path(f"/tmp/perf-{spool.pid}.map")).exists()]
    for path in maps:
        path.unlink()
    assert result.outcome() == DONE
    assert bool(maps) == ("PYTHONPERFSUPPORT" in environment)
    Found(seen, folded).check(SAMPLES_MIN)


@pytest.mark.parametrize("settings", [
    {"events": "task-clock:u"},
    {"notify": "sigio"},
    {"notify": "timer"},
    {"events": "page-faults", "period": 1, "kernel": "yes"},
    {"events": "{task-clock,page-faults}"},
    {"events": "task-clock,off-cpu", "kernel": "yes"},
], ids=["user", "sigio", "timer", "page faults", "group", "off-cpu"])
def test_calls_are_right_however_they_are_sampled(profiler, python, settings):
    if settings.get("kernel") and not may_see_the_kernel():
        pytest.skip("the kernel's side may not be sampled")
    seen = Seen(profiler, python)
    more = {"period": PERIOD_NS, **settings}
    result, spools = profiler.collected(
        [python.path, "-B", PROGRAMS / "edges.py", "sample", SECONDS], **more)
    assert result.outcome() == DONE
    for counter in spools[0].counters:
        found = Found(seen, profiler.fold(spools, "--lines", "--counter", counter.name,
                                          "--weight", "samples"))
        assert not found.wrong, (counter.name, found.wrong.most_common(20))
        assert found.calls, counter.name
        if counter.name.startswith("task-clock"):
            found.check(SAMPLES_MIN)


def test_without_interpreters_stacks_are_native(profiler, python):
    result, spools = profiler.collected(
        [python.path, "-B", PROGRAMS / "edges.py", "sample", SECONDS], interp="no")
    assert result.outcome() == DONE
    folded = profiler.fold(spools)
    assert not [frame for frames in folded.stacks for frame in frames if frame.endswith("_[p]")]
    assert folded.inclusive("_PyEval_EvalFrameDefault.*") > 0.5 * folded.total
