"""Functions of interpreters that run within functions of another one, all in one thread: a stack has
those of all, in their order."""

import pytest

from pythons import PROGRAMS, sampled, shorts
from running import Profiler

PERIOD_NS = 200000
SECONDS = 2
SAMPLES_MIN = 50  # of each kind, of a slow machine
UNTOLD_MAX = 0.02  # a switch from one interpreter to another is in progress
OUTER = ["<module>", "main", "outer_first", "outer_second", "run_in_another"]
MIDDLE = ["<module>", "middle_first", "middle_second", "run_in_another"]
INNER = {"inner_holds": ["<module>", "inner_first", "inner_holds"],
         "inner_gives": ["<module>", "inner_first", "inner_gives"]}


@pytest.fixture(scope="module")
def nested(python, tmp_path_factory):
    return sampled(Profiler(tmp_path_factory.mktemp("nested")),
                   [python.path, "-B", PROGRAMS / "nested.py", SECONDS], b"done\n", period=PERIOD_NS)


def with_leaf(folded, leaf):
    """The values of stacks by their functions, of those that run the inner function `leaf`."""
    found = {}
    for frames, value in folded.stacks.items():
        names = shorts(frames)
        if leaf in names:
            found[tuple(names)] = found.get(tuple(names), 0) + value
    return found


@pytest.mark.parametrize("leaf", INNER)
def test_functions_of_all_interpreters_are_in_order(nested, leaf, record_property):
    found = with_leaf(nested[0], leaf)
    known = [tuple(OUTER + INNER[leaf]), tuple(OUTER + MIDDLE + INNER[leaf])]
    record_property("stacks", found)
    for names in known:
        assert found.get(names, 0) >= SAMPLES_MIN, found
    assert sum(found.get(names, 0) for names in known) >= (1 - UNTOLD_MAX) * sum(found.values()), found


def test_stacks_that_lack_functions_are_counted(nested, record_property):
    """Each stack with an inner function has all, or its run says that functions are missing."""
    folded, spools = nested
    lacking = sum(value for leaf in INNER for names, value in with_leaf(folded, leaf).items()
                  if names[:len(OUTER)] != tuple(OUTER))
    count = {name: sum(spool.count(name) for spool in spools)
             for name in ("INTERP_MERGED", "INTERP_PENDING", "INTERP_UNMERGED")}
    record_property("counts", count)
    assert lacking <= count["INTERP_PENDING"] + count["INTERP_UNMERGED"]
    assert count["INTERP_UNMERGED"] <= UNTOLD_MAX * count["INTERP_MERGED"], count


def test_a_thread_has_none_of_what_another_runs_in_its_interpreter(profiler, python):
    """Until 3.11 the state that runs names the thread that made the interpreter, not the one that runs
    in it."""
    folded, _ = sampled(profiler, [python.path, "-B", PROGRAMS / "others_run.py"], b"done\n",
                        period=PERIOD_NS)
    making = {frames: value for frames, value in folded.stacks.items()
              if any(frame.startswith("crc32") for frame in frames)}
    assert sum(value for frames, value in making.items() if "maker_inner" in shorts(frames)) > 0
    wrong = {frames: value for frames, value in making.items() if "other_main" in shorts(frames)}
    assert not wrong, wrong
