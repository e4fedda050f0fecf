"""Threads, processes and interpreters, debuggers and crashes: a Python program does what it does
without us, to the last byte of its output, and each function is in the stacks of its own thread."""

import functools
import re

import pytest

from pythons import PROGRAMS, in_order, shorts
from running import Profiler

PERIOD_NS = 100000
# scene: functions that are in stacks, each outermost first
LIVES = {
    "threads": [("own_work_0", "burn"), ("own_work_1", "burn"), ("own_work_2", "burn"),
                ("own_work_3", "burn")],
    "many_threads": [("short_life", "burn")],
    "forks": [("main", "forks", "in_child", "burn"), ("main", "forks", "in_grandchild", "burn"),
              ("main", "forks", "own_work_0", "burn")],
    "fork_of_thread": [("fork_here", "in_child", "burn"), ("own_work_1", "burn")],
    "pool_fork": [("worker", "squared", "burn")],
    "pool_spawn": [("worker", "squared", "burn")],
    "pool_forkserver": [("worker", "squared", "burn")],
    "executor": [("run", "squared", "burn")],
    "subinterpreters": [("main", "subinterpreters", "own_work_0", "burn")],
    "signals": [("main", "signals", "waits_for_alarms", "on_alarm", "burn")],
}
ENDS = {
    "traced": [("main", "traced", "traced_outer")],
    "collected": [("main", "collected")],
    "references": [("references", "counted", "burn")],
    "errors": [("errors", "burn")],
    "daemons": [("for_ever", "burn")],
    "exits": [],
    "thread_exits": [("leaves", "burn")],
    "raises": [("raises", "raising", "raising", "raising", "burn")],
    "too_deep": [],
    "deep": [("down", "down", "down", "burn")],
    "segfault": [],
    "watchdog": [("watchdog", "burn")],
    "audited": [],
    "foreign": [("called_by_foreign", "burn")],
    "slept": [],
}
DAEMONS_CRASH = (3, 10)  # that version's exit, with daemon threads
# Functions that run in threads, or processes, of their own.
APART = ("own_work_0", "own_work_1", "own_work_2", "own_work_3", "short_life", "in_child",
         "in_grandchild", "in_subinterpreter", "for_ever")


def outcome(result):
    """Addresses and numbers of processes differ from run to run."""
    def plain(text):
        return re.sub(rb"0x[0-9a-f]+|pid=\d+", b"", text)
    return result.status, plain(result.stdout), plain(result.stderr)


@pytest.fixture(scope="module")
def run(python, tmp_path_factory):
    """Folded stacks and spools of a scene, which came out as it does without us; made once."""
    profiler = Profiler(tmp_path_factory.mktemp("lives"))

    @functools.lru_cache(maxsize=None)
    def once(scene):
        argv = [python.path, "-B", PROGRAMS / "scenes.py", scene]
        plain = profiler.plain(argv)
        result, spools = profiler.collected(argv, period=PERIOD_NS)
        assert outcome(result) == outcome(plain)
        return profiler.fold(spools), spools
    return once


def check(folded, expected):
    for names in expected:
        assert in_order(folded, *names) > 0, (names, list(folded.stacks)[:5])
    for frames in folded.stacks:
        assert len(set(shorts(frames)) & set(APART)) <= 1, frames


@pytest.mark.parametrize("scene", LIVES)
def test_threads_and_processes_have_stacks_of_their_own(run, scene):
    folded, _ = run(scene)
    check(folded, LIVES[scene])


@pytest.mark.parametrize("scene", ENDS)
def test_what_a_program_finds_and_how_it_ends_is_as_ever(run, python, scene):
    if scene == "daemons" and python.version[:2] == DAEMONS_CRASH:
        pytest.skip("it crashes by itself where its exit takes a while")
    folded, _ = run(scene)
    if scene == "deep" and python.version < (3, 11):
        return  # a native frame for each function: deeper than the stacks that are kept whole
    check(folded, ENDS[scene])


def test_a_subinterpreter_s_functions_are_shown_or_said_not_to_be(run, record_property):
    """They may be without the functions of the interpreter that called it, and never have others'."""
    folded, spools = run("subinterpreters")
    inside = in_order(folded, "in_subinterpreter")
    said = sum(spool.count(name) for spool in spools
               for name in ("INTERP_NO_STATE", "INTERP_UNMERGED"))
    record_property("samples inside, within their caller, without a state",
                    (inside, in_order(folded, "run_sub", "in_subinterpreter"), said))
    assert inside + said > 0
    for frames in folded.stacks:
        names = shorts(frames)
        if "in_subinterpreter" in names:
            at = names.index("in_subinterpreter")
            assert set(names[:at]) <= {"_bootstrap", "_bootstrap_inner", "run", "<module>", "main",
                                       "subinterpreters", "calls_subinterpreter", "run_sub",
                                       "run_in_another"}, names


def test_daemon_threads_outlive_the_interpreter_many_times(profiler, python):
    """What they meet while it is taken apart is never the same twice."""
    if python.version[:2] == DAEMONS_CRASH:
        pytest.skip("it crashes by itself where its exit takes a while")
    argv = [python.path, "-B", PROGRAMS / "scenes.py", "daemons"]
    for _ in range(12):
        result, _ = profiler.collected(argv, period=PERIOD_NS // 2)
        assert result.outcome() == (0, b"main ends\n", b"")
