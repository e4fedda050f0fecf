"""The functions of Ruby programs are in their places, and the programs do what they do without us.  Every
call in the stacks of a program was made: a TracePoint has seen each of them, from the same line, in
another run of it."""

import collections
import re

import pytest

import rubies
import ruby_edges
from pythons import PROGRAMS
from rubies import in_order, names
from ruby_edges import edges_of, own_part
from running import Profiler

PERIOD_NS = 100000
TASKS = PROGRAMS / "tasks.rb"
LONG = 3000  # lines of a method
STARTING = re.compile(r"ruby_(init|init_stack|options|process_options|setup|sysinit)|setlocale|_dl_\w+")
FEW = 30  # samples of a slow machine
SAMPLES = 3000  # for shares
EDGES_SECONDS = 3
EDGES_SAMPLES = 10000  # one run has three times as many, or a tenth where the machine is slow
DONE = (0, b"done\n", b"")
OUTCOMES = ("INTERP_MERGED", "INTERP_PENDING", "INTERP_NO_STATE", "INTERP_UNMERGED")


def sampled(profiler, argv, period=PERIOD_NS, samples_min=0, **settings):
    """(Folded by samples, spools) of a program that does what it does alone."""
    spools = profiler.collected_enough(samples_min, argv, profiler.plain(argv).outcome(), period=period,
                                       **settings)
    return profiler.fold(spools, "--weight", "samples"), spools


@pytest.fixture(scope="module")
def tasks(ruby, tmp_path_factory):
    """The profile of a task of tasks.rb, made once."""
    profiler = Profiler(tmp_path_factory.mktemp("tasks"))
    made = {}

    def profile(task, samples_min=0):
        if task not in made:
            made[task] = sampled(profiler, [ruby.path, "--disable=gems", TASKS, task],
                                 samples_min=samples_min)
        return made[task]
    return profile


def test_shares_are_those_of_the_work(tasks, record_property):
    folded, _ = tasks("shares", SAMPLES)
    heavy, light = (in_order(folded, "block in shares", name, "burn") for name in ("heavy", "light"))
    record_property("samples", heavy + light)
    assert heavy + light > 2000
    assert 0.68 < heavy / (heavy + light) < 0.82, (heavy, light)


def test_each_thread_has_its_own_functions(tasks):
    folded, _ = tasks("threads")
    assert in_order(folded, "in_first") > FEW and in_order(folded, "in_second") > FEW
    for frames in folded.stacks:
        found = names(frames)
        assert not {"in_first", "in_second"} <= set(found), frames
        if "in_first" in found or "in_second" in found:
            assert found[0] == "block in threads" and "threads" not in found, frames


def test_a_fiber_has_the_functions_of_its_own_stack(tasks, record_property):
    """A fiber's stack begins with its block, and what resumes it is not in it."""
    folded, spools = tasks("fibers")
    inner, outer = in_order(folded, "in_fiber"), in_order(folded, "in_resumer")
    record_property("samples in the fiber and outside", (inner, outer))
    assert 0.3 < inner / (inner + outer) < 0.7
    for frames in folded.stacks:
        found = names(frames)
        if "in_fiber" in found:
            assert found[0] == "block in fibers" and "in_resumer" not in found, frames
    assert sum(spool.count("INTERP_UNMERGED") for spool in spools) <= 0.02 * folded.total


def test_recursion_has_each_of_its_calls(tasks):
    folded, _ = tasks("recursion")
    depths = collections.Counter()
    for frames, value in folded.stacks.items():
        if "burn" in names(frames):
            depths[names(frames).count("deep")] += value
    assert depths.total() > FEW
    assert depths[401] >= 0.99 * depths.total(), depths


def test_children_have_their_functions(tasks):
    folded, spools = tasks("children")
    assert len(spools) == 3
    assert in_order(folded, "children", "block in children", "in_child", "burn") > FEW


def test_functions_that_wait_are_in_their_threads(profiler, ruby):
    result, spools = profiler.collected([ruby.path, "--disable=gems", TASKS, "waits"],
                                        events="off-cpu", period=1)
    assert result.outcome() == DONE
    if not any(spool.count("SAMPLES") for spool in spools):
        pytest.skip("no events for waiting here")
    folded = profiler.fold(spools)
    for name in ("in_sleep", "in_read", "in_mutex", "in_queue"):
        assert in_order(folded, name) > 50e6, name  # of three times 100 ms or more


def test_lines_of_a_long_function_are_right(profiler, ruby, tmp_path):
    """Its table has distances of lines and of instructions that need several entries each."""
    script = tmp_path / "long.rb"
    lines = ["def burn = 20000.times { |i| i * i }", "def long(a, b)"]
    calls = set()
    for number in range(LONG):
        if number % 300 == 299:
            lines += [""] * 290
        if number % 7 == 0:
            lines.append("  a = b ? a + b * 2 - 1 : a")
        elif number % 25 == 1:
            lines.append("  burn")
            calls.add(len(lines))
        elif number % 400 == 2:  # many instructions in one line
            lines.append("  b = [" + ", ".join(["a + b"] * 200) + "].size")
        else:
            lines.append("")
    lines += ["end", "30.times { long(1, 2) }"]
    script.write_text("\n".join(lines) + "\n", encoding="ascii")
    _, spools = sampled(profiler, [ruby.path, "--disable=gems", script])
    folded = profiler.fold(spools, "--weight", "samples", "--lines")
    seen = collections.Counter()
    for frames, value in folded.stacks.items():
        places = rubies.places(frames)
        for caller, callee in zip(places, places[1:]):
            if (caller.name, callee.name) == ("long", "burn"):
                seen[caller.line] += value
    assert seen.total() > len(calls)
    assert set(seen) <= calls, set(seen) - calls
    assert len(seen) > len(calls) / 3


@pytest.mark.parametrize("how", ["collected", "compacted"])
def test_a_function_is_never_taken_for_one_that_had_its_address(profiler, ruby, how):
    """Thousands of functions live for a moment each; garbage collections reuse their memory, and
    compaction moves the others."""
    argv = [ruby.path, "--disable=gems", PROGRAMS / "reuse.rb", "3000", *([how] if how == "compacted" else [])]
    folded, _ = sampled(profiler, argv)
    found = 0
    for frames, value in folded.stacks.items():
        outer = [name[6:] for name in names(frames) if name.startswith("outer_")]
        inner = [name[6:] for name in names(frames) if name.startswith("inner_")]
        if outer or inner:
            found += value
            assert len(outer) == 1 and inner in ([], outer), frames
    assert found > FEW


@pytest.mark.parametrize("period", [20000, PERIOD_NS, 1000000])
def test_output_and_status_are_as_ever(profiler, ruby, period):
    """Stacks that overflow, children, signals, threads that are killed, exceptions, compaction."""
    sampled(profiler, [ruby.path, PROGRAMS / "ends.rb"], period=period)


def test_all_time_is_in_the_profile(tasks):
    folded, spools = tasks("shares")
    assert folded.total == sum(spool.count("SAMPLES") for spool in spools)
    known = {frames: value for frames, value in folded.stacks.items()
             if "[leaf only]" not in frames and not any(map(STARTING.fullmatch, frames))}
    assert sum(known.values()) > folded.total / 2
    assert in_order(folded, "shares") > 0.9 * sum(known.values())


def test_an_empty_setting_leaves_native_stacks(profiler, ruby):
    folded, _ = sampled(profiler, [ruby.path, "--disable=gems", TASKS, "shares"], interp="no")
    assert not any(names(frames) for frames in folded.stacks)


@pytest.fixture(scope="module")
def calls(ruby, tmp_path_factory):
    """What was seen, and what was sampled: (edges and methods, Folded, spools)."""
    profiler = Profiler(tmp_path_factory.mktemp("edges"))
    path = profiler.folder / "seen"
    assert profiler.plain([ruby.path, PROGRAMS / "edges.rb", "record", path]).outcome() == DONE
    recorded = ruby_edges.recorded(path.read_text(encoding="utf-8"))
    spools = profiler.collected_enough(EDGES_SAMPLES, [ruby.path, PROGRAMS / "edges.rb", "sample", EDGES_SECONDS], DONE,
                                       period=PERIOD_NS)
    return recorded, profiler.fold(spools, "--weight", "samples", "--lines"), spools


def test_every_call_in_a_stack_was_made_from_that_line(calls, record_property):
    (seen, _), folded, _ = calls
    edges, samples = edges_of(folded)
    record_property("samples", samples)
    record_property("calls in them", edges.total())
    wrong = collections.Counter({edge: edges[edge] for edge in edges if edge not in seen})
    assert samples >= EDGES_SAMPLES / 2 and edges.total() > 2 * samples
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
