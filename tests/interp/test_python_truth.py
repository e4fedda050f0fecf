"""Shares of the functions of a Python program whose times are known by the program's own clock."""

import math

import pytest

from pythons import PROGRAMS, shorts
from running import Profiler

PERIOD_NS = 100000
SECONDS = 2.2
TOLERANCE = 0.02
DEVIATIONS = 5


@pytest.fixture(scope="module")
def truth(python, tmp_path_factory):
    profiler = Profiler(tmp_path_factory.mktemp("truth"))
    result, spools = profiler.collected([python.path, "-B", PROGRAMS / "truth.py", SECONDS],
                                        period=PERIOD_NS)
    assert (result.status, result.stderr) == (0, b"")
    used = {name: int(used_ns) for name, used_ns in
            (line.split() for line in result.stdout.decode().splitlines())}
    return profiler.fold(spools, "--weight", "events"), used, sum(spool.samples() for spool in spools)


def by_kind(folded):
    """The value of stacks by the function that the program has measured."""
    found = {}
    for frames, value in folded.stacks.items():
        for name in shorts(frames):
            if name.startswith("run_"):
                found[name] = found.get(name, 0) + value
                break
    return found


def test_each_function_has_its_share_of_the_time(truth, record_property):
    folded, used, samples = truth
    found = by_kind(folded)
    tolerance = max(TOLERANCE, DEVIATIONS * math.sqrt(0.25 / samples))
    # what has no stack, on a busy machine, is of one or another of them
    leaf_only = folded.inclusive(r"\[leaf only\]")
    total = sum(found.values()) + leaf_only
    record_property("samples", samples)
    assert samples > 500
    for name, used_ns in used.items():
        share = used_ns / sum(used.values())
        assert found[name] / total - tolerance < share, (name, share, leaf_only, found)
        assert share < (found[name] + leaf_only) / total + tolerance, (name, share, leaf_only, found)


def test_the_time_is_that_of_the_clock(truth):
    """The functions carry the time that they had, but for what is between two readings."""
    folded, used, _ = truth
    leaf_only = folded.inclusive(r"\[leaf only\]")
    assert sum(by_kind(folded).values()) + leaf_only >= 0.9 * sum(used.values())


@pytest.mark.parametrize("outer, inner", [
    ("run_plain", "plain_function"), ("run_method", "method"), ("run_generator", "a_generator"),
    ("run_key", "key_of_sort"), ("run_recursive", "recursive"), ("run_coroutine", "a_coroutine"),
    ("run_lambda", "<lambda>")])
def test_callers_carry_what_they_call(truth, outer, inner):
    """Nearly all that the measured function does is the function that it calls."""
    folded, _, _ = truth
    below = total = 0
    for frames, value in folded.stacks.items():
        names = shorts(frames)
        if outer in names:
            total += value
            rest = names[names.index(outer):]
            below += value if inner in rest and "burn" in rest else 0
    assert below > 0.9 * total > 0


def test_recursion_keeps_every_call(truth):
    folded, _, _ = truth
    deep = {}
    for frames, value in folded.stacks.items():
        names = shorts(frames)
        if names and names[-1] == "burn" and "recursive" in names:
            number = names.count("recursive")
            deep[number] = deep.get(number, 0) + value
    assert deep[31] > 0.98 * sum(deep.values()), deep
