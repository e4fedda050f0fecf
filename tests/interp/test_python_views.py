"""Profiles of Python programs through the command: counters, differences, living processes, and
how the interpreter's own frames are shown."""

import os
import re
import signal
import subprocess

from launching import flametrap
from pythons import PROGRAMS, in_order, is_function, with_any
from running import COMMAND, Folded, clean_environment, execute, wait_until

PAGE = os.sysconf("SC_PAGE_SIZE")


def spool_of(profiler, python, *words, **settings):
    result, spools = profiler.collected([python.path, "-B", PROGRAMS / "steady.py", *words],
                                        **{"period": 200000, **settings})
    assert result.status == 0, result.stderr
    return spools[0]


def test_page_faults_are_under_the_function_that_touches(profiler, python):
    spool = spool_of(profiler, python, "touch", "16", events="page-faults", period=1)
    folded = profiler.fold([spool])
    pages = (16 << 20) // PAGE
    touched = in_order(folded, "touch", "touches_memory")
    assert touched >= pages / 512  # of huge pages at the least


def test_a_group_counts_both_in_the_same_function(profiler, python):
    spool = spool_of(profiler, python, "share", "200", "50", events="{task-clock,page-faults}")
    names = [counter.name for counter in spool.counters]
    assert [name.split(":")[0] for name in names] == ["task-clock", "page-faults"]
    folded = profiler.fold([spool], "--counter", names[0], "--weight", "events")
    assert in_order(folded, "share", "alpha", "burn") > in_order(folded, "share", "beta", "burn") > 0


def test_a_difference_names_the_function(profiler, python):
    before = spool_of(profiler, python, "share", "200", "100")
    after = spool_of(profiler, python, "share", "200", "500")
    done = flametrap("diff", before.path, after.path, "-o", profiler.folder / "diff.svg",
                     "--weight", "events")
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if re.search(r"steady\.beta_\[p\]", line))
    assert "+" in row, done.stdout


def test_a_living_process_shows_its_functions(profiler, python):
    with subprocess.Popen([python.path, "-B", PROGRAMS / "steady.py", "spin"],
                          env=clean_environment(**profiler.preloaded(period=200000)),
                          stdout=subprocess.PIPE) as running:
        try:
            assert running.stdout.readline() == b"ready\n"
            environment = clean_environment(FLAMETRAP_SPOOL=str(profiler.folder))
            seen = []

            def shows():
                done = execute([COMMAND, "fold", str(running.pid)], environment)
                assert done.status == 0, done.stderr
                seen.append(Folded(done.stdout.decode("utf-8", "replace")))
                return in_order(seen[-1], "spin", "outer", "middle", "innermost") > 0
            wait_until(shows)
        finally:
            running.send_signal(signal.SIGKILL)


def test_the_interpreter_s_own_frames_are_merged_shown_or_left_out(profiler, python):
    spool = spool_of(profiler, python, "loop", "0.5")
    views = {how: profiler.fold([spool], "--interp", how) for how in ("merge", "only", "no")}
    assert len({view.total for view in views.values()}) == 1
    evaluates = re.compile(r"_PyEval_EvalFrameDefault.*")
    number = {how: view.inclusive(evaluates.pattern) for how, view in views.items()}
    assert number["no"] > 0.5 * views["no"].total
    for how in ("merge", "only"):  # but where functions are not known, as at the start
        assert number[how] <= 0.05 * views[how].total
    assert not with_any(views["no"])
    assert with_any(views["merge"]) == with_any(views["only"]) > 0
    loops = [frames for frames in views["only"].stacks if "steady.innermost_[p]" in frames]
    assert loops and all(all(map(is_function, frames[1:])) for frames in loops)


def test_the_default_is_to_merge(profiler, python):
    spool = spool_of(profiler, python, "loop", "0.3")
    assert profiler.fold([spool]).stacks == profiler.fold([spool], "--interp", "merge").stacks
