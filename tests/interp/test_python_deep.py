"""Recursion of Python functions, around the depth that a stack keeps and around what a walk follows.
Stacks that are cut at FLAMETRAP_DEPTH keep the functions of the frames that they have."""

import pytest

from pythons import BURNS, is_function, sampled, shorts

PROGRAM = """import sys
sys.setrecursionlimit(100000)
def burn():
    total = 0
    for i in range(3000000):
        total += i & 3
def down(levels):
    if levels:
        down(levels - 1)
    else:
        burn()
down(int(sys.argv[1]))
"""
KEPT = 4096
DEPTH = 60
CALLS = 80  # each of several native frames
THROUGH_C = BURNS + f"""
def through(left):
    return max(map(through, (left - 1,))) if left else burn(0.5)

through({CALLS})
"""


def is_called(frame, name):
    return is_function(frame) and name in frame


def burning(profiler, python, levels):
    """[(outermost frame, number of functions)] of the stacks in burn(), and the spool."""
    if python.version < (3, 11):
        pytest.skip("a native frame for each function")
    script = profiler.folder / "deep.py"
    script.write_text(PROGRAM, encoding="ascii")
    folded, spools = sampled(profiler, [python.path, "-S", script, str(levels)], depth=KEPT)
    found = [(frames[1], sum(is_called(frame, "down") for frame in frames))
             for frames in folded.stacks if any(is_called(frame, "burn") for frame in frames)]
    return found, spools[0]


@pytest.mark.parametrize("levels", [4080, 4100, 19900])
def test_the_innermost_functions_are_kept(profiler, python, levels):
    found, spool = burning(profiler, python, levels)
    assert found, "nothing was sampled there"
    for outermost, functions in found:
        assert functions == levels + 1 or (outermost == "[truncated]" and KEPT - 8 <= functions < KEPT)
    assert spool.count("INTERP_UNMERGED") <= 0.1 * spool.count("SAMPLES")


def test_stacks_beyond_what_is_followed_are_counted(profiler, python):
    found, spool = burning(profiler, python, 20100)
    assert not found and spool.count("INTERP_UNMERGED") > 0


def test_functions_of_the_frames_that_are_there(profiler, python):
    if python.version < (3, 11):
        pytest.skip("without addresses in native frames, functions are counted from the outermost one")
    folded, spools = sampled(profiler, [python.path, "-S", "-c", THROUGH_C], period=1000000, depth=DEPTH)
    assert sum(spool.count("TRUNCATED_DEPTH") for spool in spools) > 50
    assert not sum(spool.count("INTERP_UNMERGED") for spool in spools)
    burning = [names for names in map(shorts, folded.stacks) if names[-1:] == ["burn"]]
    assert burning
    for names in burning:
        assert 5 <= names.count("through") < CALLS, names
        assert set(names) == {"through", "burn"}, names
