"""What certainly cannot be counted is refused by the command before the program starts, and nothing
else is."""

import errno
import os
import pathlib
import shutil

import pytest

from launching import left_in, one_line, run
from rights import become_nobody, needs_root, needs_user_counters, refuse_counters
from running import COMMAND, LIBRARY, target

PMU = pathlib.Path("/sys/bus/event_source/devices/cpu")
SOME = ["sh", "-c", "echo ran > marker; exit 6"]

needs_no_pmu = pytest.mark.skipif(PMU.exists(), reason="this machine has a PMU")


def launch(folder, events, *options, preexec=None):
    folder.chmod(0o777)
    return run([COMMAND, "-e", events, "-o", "profile", *options, *SOME], folder, preexec=preexec)


def was_refused(done, folder):
    """Status and files of a program that never ran; the line that says why."""
    line = one_line(done)
    assert (done.returncode, done.stdout, left_in(folder)) == (125, b"", []), line
    assert "not loaded" not in line and "runs unprofiled" not in line
    return line


def has_run(done, folder):
    assert done.returncode == 6 and "marker" in left_in(folder), done.stderr
    return done.stderr.decode()


@needs_no_pmu
@pytest.mark.parametrize("events, named", [
    ("cycles", "cycles"), ("{cycles,instructions}:u", "cycles:u"),
    ("L1-dcache-load-misses,r1c2", "L1-dcache-load-misses"), ("cycles:P", "cycles:P")])
def test_a_hardware_counter_without_a_pmu_is_refused(tmp_path, events, named):
    line = was_refused(launch(tmp_path, events), tmp_path)
    assert line == (f"flametrap: {named} cannot be counted (ENOENT): this machine has no such "
                    "counter; -e task-clock works everywhere\n")


@needs_no_pmu
def test_one_event_of_the_list_that_counts_is_enough(tmp_path):
    assert "cycles (refused)" in has_run(launch(tmp_path, "cycles,task-clock"), tmp_path)


@needs_no_pmu
def test_a_timer_that_stands_in_is_not_foreseen_as_a_refusal(tmp_path):
    has_run(launch(tmp_path, "cycles", "--notify", "timer"), tmp_path)


def test_a_filter_that_refuses_counters_leaves_the_timer(tmp_path):
    has_run(launch(tmp_path, "cycles", preexec=refuse_counters(errno.EPERM)), tmp_path)


def test_a_filter_that_refuses_what_no_timer_replaces_is_named(tmp_path):
    line = was_refused(launch(tmp_path, "page-faults", preexec=refuse_counters(errno.EPERM)),
                       tmp_path)
    assert line == ("flametrap: page-faults cannot be counted (EPERM): a seccomp filter is in force; "
                    "let the container's seccomp profile allow perf_event_open\n")


@pytest.mark.parametrize("events, code", [
    ("uprobe:main", "EACCES"), ("off-cpu", "EACCES"), ("off-cpu:u", "EACCES"),
    ("context-switches", None), ("page-faults:k", None)])
def test_what_an_ordinary_user_may_not_count_is_refused(tmp_path, events, code):
    needs_user_counters()
    if events.startswith("uprobe") and not PMU.with_name("uprobe").exists():
        pytest.skip("this kernel has no uprobes")
    line = was_refused(launch(tmp_path, events, preexec=become_nobody), tmp_path)
    assert line.startswith(f"flametrap: {events} cannot be counted"
                           + (f" ({code}): " if code else ": the event happens in the kernel only"))
    assert "perf_event_paranoid=1" in line


@pytest.mark.parametrize("events", ["mem:no_such_symbol:w", "page-faults", "task-clock:u"])
def test_what_depends_on_the_program_is_left_to_it(tmp_path, events):
    needs_user_counters()
    has_run(launch(tmp_path, events, preexec=become_nobody), tmp_path)


def test_root_s_probe_of_a_symbol_that_may_come_is_left_to_the_program(tmp_path):
    needs_root()
    if not PMU.with_name("uprobe").exists():
        pytest.skip("this kernel has no uprobes")
    has_run(launch(tmp_path, "uprobe:no_such_symbol"), tmp_path)


@needs_no_pmu
def test_a_preloaded_program_runs_all_the_same(tmp_path):
    shutil.copy(target("burn"), tmp_path / "app")
    done = run([tmp_path / "app", "1"], tmp_path, LD_PRELOAD=str(LIBRARY),
               FLAMETRAP_EVENTS="cycles")
    assert done.returncode == 7
    assert "perf_event_open refused cycles (ENOENT)" in one_line(done)
    assert os.listdir(tmp_path) == ["app"]
