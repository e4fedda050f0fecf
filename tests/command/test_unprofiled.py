"""A run whose command was not profiled itself says so, whatever else was; --strict makes it fail."""

import errno
import json
import re
import sys

import pytest

from launching import flametrap, launch, run, static_program
from page_reader import Page
from rights import NOBODY, may_see_the_kernel, needs_root, paranoid, refuse_counters
from running import COMMAND, LIBRARY, target
from spool_format import Lack
from spool_writer import GONE, RUNNING, Spool

BURNS = """
import os, sys, time
end_ns = time.process_time_ns() + 50000000
while time.process_time_ns() < end_ns:
    pass
os.execve(sys.argv[1], sys.argv[1:], {})
"""

INSIDE = f"exec env -u LD_PRELOAD sh -c 'LD_PRELOAD={LIBRARY} {target('burn')} 50; exit 3'"


@pytest.mark.parametrize("strict, status", [("no", 7), ("yes", 125)])
def test_a_program_that_becomes_one_without_the_library(tmp_path, strict, status):
    done = launch(tmp_path, f"--strict={strict}", sys.executable, "-c", BURNS, target("burn"), "1")
    text = done.stderr.decode()
    assert done.returncode == status and done.stdout == b"ok\n"
    assert " samples (" in text
    assert "was replaced (exec) by a program that was not profiled: libflametrap.so was not loaded" in text
    assert ("was not profiled (FLAMETRAP_STRICT)\n" in text) == (strict == "yes")


@pytest.mark.parametrize("strict, status", [("no", 3), ("yes", 125)])
def test_a_command_of_which_only_a_child_is_profiled(tmp_path, strict, status):
    done = launch(tmp_path, f"--strict={strict}", "sh", "-c", INSIDE)
    text = done.stderr.decode()
    assert done.returncode == status and done.stdout == b"ok\n"
    assert " samples (" in text
    # by the first, if one of the images before had a sample
    assert re.search(r"flametrap: sh (was replaced \(exec\) by a program that|itself) was not profiled: "
                     r"libflametrap\.so was not loaded, or was", text)
    assert ("flametrap: sh was not profiled (FLAMETRAP_STRICT)\n" in text) == (strict == "yes")


def test_a_static_command_of_which_a_child_is_profiled(tmp_path):
    program = static_program(tmp_path, """#include <stdlib.h>
int main(void) { return system(getenv("BURN")) != 7 << 8; }""")
    done = launch(tmp_path, program, BURN=f"exec {target('burn')} 50")
    assert done.returncode == 0 and b" samples (" in done.stderr
    assert b"static itself was not profiled: " in done.stderr, done.stderr


def test_a_command_that_is_left_out_by_its_name_is_no_failure(tmp_path):
    done = launch(tmp_path, "--strict", "--follow", "burn", "sh", "-c",
                  f"{target('burn')} 50; exit 3")
    assert done.returncode == 3 and b"profiled" not in done.stderr


UNSAMPLED = re.compile(r"flametrap: (?P<seconds>[\d.]+) s of (?P<all>[\d.]+) s of CPU time are in no "
                       r"profile: children that were not profiled")


@pytest.fixture(name="static", scope="module")
def static_fixture(tmp_path_factory):
    return static_program(tmp_path_factory.mktemp("static"), """#include <time.h>
int main(void) { while (clock() < CLOCKS_PER_SEC * 3 / 10); return 0; }""")


@pytest.mark.parametrize("script", [
    "{static}; true", "env -i {burn} 300; true", "{burn} 100; env -i {burn} 300; true",
    "env -u LD_PRELOAD {burn} 300; true"])
def test_children_without_the_library_are_counted(tmp_path, static, script):
    done = launch(tmp_path, "sh", "-c", script.format(static=static, burn=target("burn")))
    found = UNSAMPLED.search(done.stderr.decode())
    assert found, done.stderr
    assert 0.28 <= float(found["seconds"]) <= float(found["all"])
    # the part that is in a profile is not counted again
    if script.startswith("{burn}"):
        assert float(found["all"]) - float(found["seconds"]) >= 0.09


@pytest.mark.parametrize("script", ["{burn} 300; true", "exec {burn} 300", "for i in 1 2 3; do {burn} 20; done"])
def test_what_is_profiled_is_in_no_such_line(tmp_path, script):
    done = launch(tmp_path, "sh", "-c", script.format(burn=target("burn")))
    assert not UNSAMPLED.search(done.stderr.decode()), done.stderr


MS = 10**6
CAP = "permission denied; sysctl kernel.perf_event_paranoid=1 or CAP_PERFMON allows it; :u needs less"
FILTER = "a seccomp filter is in force; let the container's seccomp profile allow perf_event_open"


def with_threads(folder, *arguments, preexec=None):
    """(what the command said, its spool) of a program with four threads."""
    done = run([COMMAND, *arguments, "--format", "folded,html,svg,spool", "-o", "out",
                "--", target("late_threads"), *([] if preexec else [str(NOBODY)])], folder,
               preexec=preexec)
    assert (done.returncode, done.stdout) == (0, b"ok\n"), done.stderr
    spool, = folder.glob("out.*.spool")
    return done.stderr.decode(), spool


def drops_rights():
    needs_root()
    if paranoid() < 2:
        pytest.skip("every user may see the kernel")


def unknown(spool):
    """{counter: (threads, ns, cause and remedy)}"""
    report = json.loads(flametrap("report", "--json", spool).stdout)
    return {one["counter"]: (one["threads"], one["ns"], f"{one['cause']}; {one['remedy']}")
            for one in report["unknown"]}


@pytest.mark.parametrize("arguments, counter", [
    (["--wall"], "off-cpu"), (["-e", "task-clock,page-faults"], "page-faults"),
    (["-e", "{task-clock,page-faults}"], "page-faults"), (["-e", "page-faults"], "page-faults")])
def test_threads_that_start_after_root_is_given_up_are_unknown(tmp_path, arguments, counter):
    """The first thread may lose its counters too, if they have to be opened again."""
    drops_rights()
    said, spool = with_threads(tmp_path, *arguments)
    size, = re.findall(rf", {counter} unknown for (3 threads \([\d.]+ \w+\))", said)
    assert f"flametrap: {counter} is unknown for {size}: {CAP}\n" in said
    found = unknown(spool)
    assert list(found) == [counter]
    threads, lives_ns, why = found[counter]
    assert threads == 3 and lives_ns >= 300 * MS and why == CAP
    assert f"\n  unknown for {size}: {CAP}\n" in flametrap("report", spool).stdout
    assert f"{counter} is unknown for {size}: {CAP}." in Page(tmp_path / "out.html").head["notes"]
    assert any(f"; {counter} unknown for {size}" in path.read_text(encoding="utf-8")
               for path in tmp_path.glob("*.svg"))


def test_threads_with_a_timer_are_in_the_summary(tmp_path):
    drops_rights()
    said, _ = with_threads(tmp_path, "--wall")
    assert re.search(r", 3 threads sampled by a timer \(their counters were refused\)", said)


@pytest.mark.parametrize("err", [errno.EPERM, errno.ENOSYS])
@pytest.mark.parametrize("arguments, counter", [
    (["--wall"], "off-cpu"), (["-e", "task-clock,page-faults"], "page-faults")])
def test_what_a_filter_refuses_is_unknown_for_all_threads(tmp_path, arguments, counter, err):
    said, spool = with_threads(tmp_path, *arguments, preexec=refuse_counters(err))
    assert f"(task-clock {counter} (refused), timer" in said
    assert re.search(rf", {counter} unknown for 4 threads \(", said)
    assert f"using per-thread CPU timers, without {counter}: {FILTER}" in said
    assert unknown(spool)[counter][0] == 4 and unknown(spool)[counter][2] == FILTER
    assert list(unknown(spool)) == [counter], "the timer stands for the clock"


def test_nothing_is_unknown_where_all_counters_open(tmp_path):
    if not may_see_the_kernel():
        pytest.skip("an ordinary user may not count the kernel side here")
    done = run([COMMAND, "--wall", "--format", "folded,spool", "-o", "out", target("late_threads")],
               tmp_path)
    assert done.returncode == 0 and b"unknown" not in done.stderr
    spool, = tmp_path.glob("out.*.spool")
    assert unknown(spool) == {} and "unknown" not in flametrap("report", spool).stdout


@pytest.mark.parametrize("ended_ns, lives_ns", [(5 * MS, 15 * MS), (-4 * MS, 6 * MS), (-20 * MS, 0)])
def test_the_life_of_a_thread_that_has_not_ended_counts(tmp_path, ended_ns, lives_ns):
    """The time before a thread lost its counter is taken off."""
    spool = Spool(GONE)
    spool.timed(10 * MS)
    spool.sample(spool.node(2), MS)
    spool.header.state = RUNNING
    spool.header.lack[0] = Lack(ended_ns=ended_ns % 2**64, threads=2, why=errno.EACCES)
    spool.lacks = 1
    spool.write(tmp_path / "a.spool")
    assert unknown(tmp_path / "a.spool") == {"task-clock": (2, lives_ns, CAP)}
