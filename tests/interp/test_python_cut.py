"""Stacks that are cut at FLAMETRAP_DEPTH keep the functions of the frames that they have."""

import pytest

from pythons import shorts
from running import Profiler

DEPTH = 60
CALLS = 80  # each of several native frames
PROGRAM = f"""
import time

def burn():
    end = time.thread_time() + 0.5
    while time.thread_time() < end:
        for _ in range(1000):
            pass
    return 0

def through(left):
    return max(map(through, (left - 1,))) if left else burn()

through({CALLS})
"""


def test_functions_of_the_frames_that_are_there(python, tmp_path):
    if python.version < (3, 11):
        pytest.skip("without addresses in native frames, functions are counted from the outermost one")
    profiler = Profiler(tmp_path)
    result, spools = profiler.collected([python.path, "-S", "-c", PROGRAM], period=1000000, depth=DEPTH)
    assert (result.status, result.stderr) == (0, b"")
    assert sum(spool.count("TRUNCATED_DEPTH") for spool in spools) > 50
    assert not sum(spool.count("INTERP_UNMERGED") for spool in spools)
    burning = [names for names in map(shorts, profiler.fold(spools).stacks) if names[-1:] == ["burn"]]
    assert burning
    for names in burning:
        assert 5 <= names.count("through") < CALLS, names
        assert set(names) == {"through", "burn"}, names
