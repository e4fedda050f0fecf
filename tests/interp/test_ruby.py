"""The functions of Ruby programs are in their places, and the programs do what they do without us."""

import collections
import re

import pytest

import rubies
from rubies import PROGRAMS, in_order, names, with_function
from running import Profiler

PERIOD_NS = 100000
TASKS = PROGRAMS / "tasks.rb"
LONG = 3000  # lines of a method
STARTING = re.compile(r"ruby_(init|init_stack|options|process_options|setup|sysinit)|setlocale|_dl_\w+")
FEW = 30  # samples of a slow machine
SAMPLES = 3000  # for shares


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
    assert with_function(folded, "in_first") > FEW and with_function(folded, "in_second") > FEW
    for frames in folded.stacks:
        found = names(frames)
        assert not {"in_first", "in_second"} <= set(found), frames
        if "in_first" in found or "in_second" in found:
            assert found[0] == "block in threads" and "threads" not in found, frames


def test_a_fiber_has_the_functions_of_its_own_stack(tasks, record_property):
    """A fiber's stack begins with its block, and what resumes it is not in it."""
    folded, spools = tasks("fibers")
    inner, outer = with_function(folded, "in_fiber"), with_function(folded, "in_resumer")
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
    assert result.outcome() == (0, b"done\n", b"")
    if not any(spool.count("SAMPLES") for spool in spools):
        pytest.skip("no events for waiting here")
    folded = profiler.fold(spools)
    for name in ("in_sleep", "in_read", "in_mutex", "in_queue"):
        assert with_function(folded, name) > 50e6, name  # of three times 100 ms or more


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
    assert with_function(folded, "shares") > 0.9 * sum(known.values())


def test_an_empty_setting_leaves_native_stacks(profiler, ruby):
    folded, _ = sampled(profiler, [ruby.path, "--disable=gems", TASKS, "shares"], interp="no")
    assert not any(names(frames) for frames in folded.stacks)
