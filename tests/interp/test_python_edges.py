"""Every call in the stacks of a Python program was made: sys.setprofile has seen each of them, from
the same line, in another run of the same program."""

import pytest

import pythons
from python_edges import DONE, Found, Seen
from pythons import PROGRAMS
from running import Profiler

PERIOD_NS = 100000
SECONDS = 3.3
SAMPLES = 10000  # one run has three times as many, or a tenth where the machine is slow
OUTCOMES = ("INTERP_MERGED", "INTERP_PENDING", "INTERP_NO_STATE", "INTERP_UNMERGED")


@pytest.fixture(scope="module")
def calls(python, tmp_path_factory):
    """What was seen, and what was sampled: (Seen, Folded, spools)."""
    profiler = Profiler(tmp_path_factory.mktemp("edges"))
    seen = Seen(profiler, python)
    spools = profiler.collected_enough(
        SAMPLES, [python.path, "-B", PROGRAMS / "edges.py", "sample", SECONDS], DONE, period=PERIOD_NS)
    return seen, profiler.fold(spools, "--lines"), spools


def test_every_call_in_a_stack_was_made_from_that_line(calls, record_property):
    seen, folded, _ = calls
    found = Found(seen, folded)
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
    seen, folded, _ = calls
    sampled = Found(seen, folded).edges
    assert len(sampled & seen.edges) > 0.5 * len(seen.edges), (len(sampled), len(seen.edges))
    callees = {edge[4] for edge in sampled}
    assert callees >= {"burn", "key_of", "replaced", "from_c", "made_inner", "deeper_later",
                       "counter", "<lambda>", "recursion", "wrapper"}
