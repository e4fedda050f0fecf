"""Where a Python program waits: each wait is under the function that waits, as long as it was."""

import pytest

from pythons import PROGRAMS, in_order, places, shorts
from rights import may_see_the_kernel
from running import Folded, Profiler

pytestmark = pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
LEAST_NS = 150000000
WAITS = ("wait_sleep", "wait_lock", "wait_queue", "wait_pipe", "wait_socket", "wait_select",
         "wait_join", "wait_child", "wait_async")


@pytest.fixture(scope="module")
def waits(python, tmp_path_factory):
    """{wait: nanoseconds}, and what the profile has off the processor."""
    profiler = Profiler(tmp_path_factory.mktemp("waits"))
    result, files = profiler.launched(
        ["-e", "task-clock,off-cpu", "--weight", "events", "-c", "1000000"],
        [python.path, "-B", PROGRAMS / "waits.py"])
    assert result.status == 0, result.stderr
    found = {name: int(value) for name, value in
             (line.split() for line in result.stdout.decode().splitlines())}
    return found, Folded(files["profile.off-cpu.folded"])


@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_is_under_the_function_that_waits(waits, wait, record_property):
    """Only what the thread did on the processor is not in it."""
    found, folded = waits
    off_ns = in_order(folded, "main", wait)
    record_property("by itself", found[wait])
    record_property("in the profile", off_ns)
    assert off_ns <= found[wait]
    assert off_ns >= 0.9 * LEAST_NS


def test_the_wait_is_the_leaf_and_the_function_above_it(waits):
    """The kernel's frames are below those of libc, and these below the function of Python."""
    _, folded = waits
    asleep = {frames: value for frames, value in folded.stacks.items()
              if "wait_sleep" in shorts(frames)}
    usual = max(asleep, key=asleep.get)
    assert usual[-1].endswith("_[k]")
    assert [place.short for place in places(usual)][-2:] == ["main", "wait_sleep"]
