"""Every call in the stacks of a Ruby program was made: a TracePoint has seen each of them, from the
same line, in another run of the same program."""

import collections

import pytest

import rubies
import ruby_edges
from ruby_edges import edges_of, own_part
from rubies import PROGRAMS
from running import Profiler

PERIOD_NS = 100000
SECONDS = 3
SAMPLES = 10000  # one run has three times as many, or a tenth where the machine is slow
DONE = (0, b"done\n", b"")
OUTCOMES = ("INTERP_MERGED", "INTERP_PENDING", "INTERP_NO_STATE", "INTERP_UNMERGED")


@pytest.fixture(scope="module")
def calls(ruby, tmp_path_factory):
    """What was seen, and what was sampled: (edges and methods, Folded, spools)."""
    profiler = Profiler(tmp_path_factory.mktemp("edges"))
    path = profiler.folder / "seen"
    assert profiler.plain([ruby.path, PROGRAMS / "edges.rb", "record", path]).outcome() == DONE
    recorded = ruby_edges.recorded(path.read_text(encoding="utf-8"))
    spools = profiler.collected_enough(SAMPLES, [ruby.path, PROGRAMS / "edges.rb", "sample", SECONDS], DONE,
                                       period=PERIOD_NS)
    return recorded, profiler.fold(spools, "--weight", "samples", "--lines"), spools


def test_every_call_in_a_stack_was_made_from_that_line(calls, record_property):
    (seen, _), folded, _ = calls
    edges, samples = edges_of(folded)
    record_property("samples", samples)
    record_property("calls in them", edges.total())
    wrong = collections.Counter({edge: edges[edge] for edge in edges if edge not in seen})
    assert samples >= SAMPLES / 2 and edges.total() > 2 * samples
    assert not wrong, (wrong.total(), wrong.most_common(20))


def test_many_kinds_of_calls_are_in_the_stacks(calls):
    """The check above would hold for stacks of one function, too."""
    (seen, _), folded, _ = calls
    edges, _ = edges_of(folded)
    assert len(edges) > 0.5 * len(seen), (len(edges), len(seen))
    assert {edge[4] for edge in edges} >= {
        "key_of", "<=>", "block in each_part", "block (2 levels) in fibers", "in_fiber", "raising",
        "rescue in exceptions", "ensure in raising", "recursion", "mutual_odd", "method_missing",
        "block (2 levels) in metaprogramming", "<class:Opened>"}


def test_methods_have_their_classes(calls):
    """Those of Object, as all that are defined outside classes, have none."""
    (_, methods), folded, _ = calls
    found = {place.whole for frames in folded.stacks for place in own_part(frames)
             if " in " not in place.name and not place.name.endswith(">") or place.name == "<=>"}
    assert found <= methods, found - methods
    assert found >= {"Weight#<=>", "Weight#each_part", "Tree#each", "Opened.made", "key_of"}
    blocks = {place.whole for frames in folded.stacks for place in own_part(frames)}
    assert {"block in Weight#each_part", "block in fibers"} <= blocks


def test_nearly_all_stacks_have_their_functions(calls, record_property):
    """A stack without any is of the start, the end, or of an instant at which they are not known."""
    _, folded, spools = calls
    count = {name: sum(spool.count(name) for spool in spools) for name in (*OUTCOMES, "LEAF_ONLY")}
    for name, value in count.items():
        record_property(name, value)
    with_any = sum(value for frames, value in folded.stacks.items() if rubies.places(frames))
    assert with_any >= 0.9 * (folded.total - count["LEAF_ONLY"])
    assert count["INTERP_UNMERGED"] <= 0.01 * folded.total
