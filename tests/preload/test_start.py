"""`flametrap start` and `stop`: a program that was started paused is sampled when somebody says so.
What is counted meanwhile is neither lost nor in a stack, and has a part of its own in the account.  The
program touches 100 new pages in each phase, and each first touch is a sample, so that what is in the
profile can be counted and not timed.

CPU time before the start of sampling, of the loader above all, is in the account: it, what was counted, and
what the end takes are the CPU time of the process.  Constructors of libraries are sampled, with the threads
that they create, and so are destructors."""

import json
import re
import signal
import subprocess
import time

import pytest

from launching import run
from page_reader import Page
from running import (COMMAND, LATE_NS, LIBRARY, Folded, clean_environment, execute, least_ns, program, target)
from spool import Spool
from spool_writer import GONE

PAGES = 100


class Phases:
    """The program, told what to do a word at a time."""

    def __init__(self, argv, folder, **settings):
        self.folder = folder
        self.process = subprocess.Popen(
            [str(word) for word in argv], cwd=folder, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=clean_environment(**{"FLAMETRAP_EVENTS": "page-faults:u", "FLAMETRAP_PERIOD": "1",
                                     "FLAMETRAP_SPOOL": str(folder), **settings}))
        self.pid = self.process.stdout.readline().strip()

    def do(self, *words):
        for word in words:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == word + "\n"

    def verb(self, name, *which):
        done = run([COMMAND, name, *which], self.folder, FLAMETRAP_SPOOL=str(self.folder))
        # `list` looks everywhere, also at what other tests have there just now
        said = [line for line in done.stderr.splitlines() if b" unfinished profile" not in line]
        assert (done.returncode, said) == (0, [])
        return done.stdout.decode()

    def end(self):
        _, complaints = self.process.communicate()
        return self.process.returncode, complaints


@pytest.fixture
def preloaded(profiler):
    started = []

    def start(*argv, **settings):
        phases = Phases(argv or [target("phases")], profiler.folder, LD_PRELOAD=str(LIBRARY),
                        FLAMETRAP_OUTPUT="out", **settings)
        started.append(phases.process)
        return phases

    yield start
    for process in started:
        process.kill()
        process.communicate()


def read(path):
    return path.read_text(encoding="utf-8")


def sampled(folder):
    folded = Folded(read(folder / "out.folded"))
    return {name: folded.inclusive(f"^{name}$") for name in ("before", "during", "after")}


def test_a_paused_program_is_sampled_from_start_to_stop(preloaded):
    phases = preloaded(FLAMETRAP_START="paused")
    phases.do("before")
    assert phases.verb("start", phases.pid) == f"sampling: pid {phases.pid}, phases\n"
    phases.do("during")
    assert phases.verb("stop", phases.pid) == f"stopped: pid {phases.pid}, phases\n"
    phases.do("after")
    assert phases.end() == (0, "")
    assert sampled(phases.folder) == {"before": 0, "during": PAGES, "after": 0}


def test_the_list_says_whether_a_process_is_sampled_now(preloaded):
    phases = preloaded()
    states = []
    for verb in (None, "stop", "start", "stop"):
        if verb:
            phases.verb(verb, phases.pid)
        line, = [line for line in phases.verb("list").splitlines()
                 if line.split()[:1] == [phases.pid]]
        states.append(line.split(None, 5)[5])
    assert states == ["running", "running, paused", "running", "running, paused"]
    assert phases.end() == (0, "")


BURN = """import os, sys, time
print(os.getpid(), flush=True)
for word in sys.stdin:
    end = time.thread_time() + float(word) / 1000
    while time.thread_time() < end: pass
    print(word, end="", flush=True)"""


def test_what_was_worked_before_start_is_not_in_the_window(preloaded):
    """The first overflow after `start` ends a heartbeat, here of the period: a second, most of it
    before the start."""
    phases = preloaded(program("python3"), "-c", BURN, FLAMETRAP_EVENTS="task-clock",
                       FLAMETRAP_PERIOD="1000000000", FLAMETRAP_START="paused")
    phases.do("850")
    began_ns = time.monotonic_ns()
    phases.verb("start", phases.pid)
    phases.do("250")
    account = json.loads(phases.verb("report", "--json", phases.pid))["tables"][0]["account"]
    assert 0 < account["in_stacks"] <= time.monotonic_ns() - began_ns
    assert account["in_stacks"] + account["paused"] == account["counted"]
    assert phases.end() == (0, "")


def test_windows_add_up_and_a_spool_names_its_process_too(preloaded):
    phases = preloaded()
    phases.do("before")
    spool, = phases.folder.glob("*.spool")
    phases.verb("stop", spool)
    phases.do("during")
    phases.verb("start", spool)
    phases.do("after", "before")
    assert phases.end() == (0, "")
    assert sampled(phases.folder) == {"before": 2 * PAGES, "during": 0, "after": PAGES}


def test_a_forked_child_goes_on_as_its_parent(preloaded):
    phases = preloaded(FLAMETRAP_START="paused")
    phases.verb("start", phases.pid)
    phases.do("fork", "during")
    stopped = phases.verb("stop", phases.pid)  # the child too: it was started by this one
    assert stopped.count("stopped: pid ") == 2
    phases.do("after")
    assert phases.end()[0] == 0
    child, = (Folded(text) for text in map(read, phases.folder.glob("out*.folded"))
              if "during" in text)
    assert child.inclusive("^during$") >= PAGES  # and those that the two had shared
    assert child.inclusive("^after$") == 0


def test_all_processes_of_a_command_are_started_by_its_own_pid(profiler):
    phases = Phases([COMMAND, "--start", "paused", "-o", "out", target("phases")], profiler.folder)
    try:
        phases.do("before")
        assert phases.verb("start", phases.process.pid) == (
            f"sampling: pid {phases.pid}, phases\n")
        phases.do("during")
        assert phases.end()[0] == 0
    finally:
        phases.process.kill()
    assert sampled(profiler.folder) == {"before": 0, "during": PAGES, "after": 0}


def test_a_program_that_nobody_started_says_so(profiler):
    result, files = profiler.files(["/bin/true"], start="paused")
    assert result.status == 0
    assert files == {}
    assert result.stderr.decode().count("\n") == 1
    assert "flametrap start" in result.stderr.decode()


@pytest.mark.parametrize(("words", "status", "says"), [
    ([str(GONE)], 1, f"{GONE}: no profiled process of yours with this pid runs here"),
    (["/no/such.spool"], 1, "/no/such.spool: No such file or directory"),
    (["/etc/passwd"], 1, "/etc/passwd: "),
    ([], 2, "flametrap: too few arguments; usage: flametrap "),
])
def test_what_cannot_be_started_is_said(tmp_path, words, status, says):
    for verb in "start", "stop":
        done = run([COMMAND, verb, *words], tmp_path)
        assert done.returncode == status
        assert says in done.stderr.decode()
        assert done.stdout == b""


def account(text):
    """{part: events} of the report's account."""
    line, = (line for line in text.splitlines() if line.startswith("  counted "))
    return {name.strip(" =+"): int(value)
            for name, value in re.findall(r"([a-z= +]+) (\d+) events", line)}


def test_paused_time_is_a_part_of_its_own(preloaded):
    phases = preloaded(FLAMETRAP_START="paused", FLAMETRAP_FORMAT="spool")
    phases.do("before", "before")
    phases.verb("start", phases.pid)
    phases.do("during")
    phases.verb("stop", phases.pid)
    phases.do("after")
    assert phases.end() == (0, "")
    path, = phases.folder.glob("*.spool")
    done = subprocess.run([COMMAND, "report", path], capture_output=True, text=True, check=True)
    parts = account(done.stdout)
    assert parts["in stacks"] == PAGES and parts["lost"] == 0
    assert parts["paused"] >= 3 * PAGES
    assert parts["counted"] == (parts["in stacks"] + parts["paused"] + parts["lost"] +
                                parts["unsampled"])
    assert "\nlost       0\n" in done.stdout
    totals = [thread.totals[0] for thread in Spool(path).threads]
    assert sum(total["paused"] for total in totals) == parts["paused"]
    assert sum(total["dropped"] for total in totals) == 0


def test_who_never_paused_is_told_nothing_of_it(preloaded):
    phases = preloaded(FLAMETRAP_FORMAT="spool")
    phases.do("during")
    assert phases.end() == (0, "")
    path, = phases.folder.glob("*.spool")
    done = subprocess.run([COMMAND, "report", path], capture_output=True, text=True, check=True)
    assert "paused" not in done.stdout and account(done.stdout)["in stacks"] >= PAGES


SHELL_WORK = "for i in {1..100000}; do :; done"
NAME = "a_name_for_which_the_loader_takes_its_time" * 12
# 500,000 relocations, no two of the same symbol in a row.
MANY_NAMES = f"""
	.altmacro
	.macro define number
	.globl {NAME}\\number
{NAME}\\number: .byte 0
	.endm
	.macro refer number
	.quad {NAME}\\number
	.endm
	.data
	.globl one
one:	.byte 0
	.set number, 0
	.rept 25000
	define %number
	.set number, number + 1
	.endr
	.balign 8
	.rept 20
	.set number, 0
	.rept 25000
	refer %number
	.set number, number + 1
	.endr
	.endr
	.section .note.GNU-stack,"",%progbits
"""
PROGRAM = r"""
#include <stdio.h>
#include <time.h>
extern char one;
int main(void)
{
	static volatile unsigned long turns;
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
	while (turns < 100000000) turns++;
	return one + 3;
}
"""


@pytest.fixture(name="slow_to_load", scope="module")
def builder(tmp_path_factory):
    """A program whose library takes the loader some 100 ms.  It prints its CPU time up to main."""
    folder = tmp_path_factory.mktemp("loading")
    (folder / "names.s").write_text(MANY_NAMES, encoding="ascii")
    (folder / "program.c").write_text(PROGRAM, encoding="ascii")
    gcc = program("gcc")
    for argv in ([gcc, "-shared", "-s", "-Wl,-z,nocombreloc", "-o", folder / "libnames.so",
                  folder / "names.s"],
                 [gcc, "-O1", "-o", folder / "program", folder / "program.c", "-L", folder, "-lnames",
                  f"-Wl,-rpath,{folder}", "-fPIE"]):
        done = execute(argv, clean_environment())
        assert done.status == 0, done.stderr.decode()
    return folder / "program"


@pytest.fixture(name="loading_ns", scope="module")
def loading(slow_to_load):
    """What the loader takes without us."""
    loading_ns = int(execute([slow_to_load], clean_environment()).stdout)
    assert loading_ns > 3 * LATE_NS, "the library is too small to say anything"
    return loading_ns


def adds_up(before_ns, counted_ns, result):
    """What is left is the kernel's part of exec and of the end."""
    known_ns = before_ns + counted_ns
    assert known_ns <= result.cpu_ns() + LATE_NS
    assert known_ns >= result.cpu_ns() * 0.9 - 2 * LATE_NS


@pytest.mark.measures
def test_the_loader_s_time_is_in_the_account(profiler, slow_to_load, loading_ns):
    result, (spool,) = profiler.collected([slow_to_load])
    assert (result.status, result.stderr) == (3, b"")
    assert loading_ns / 2 < spool.before_ns <= int(result.stdout)
    adds_up(spool.before_ns, spool.cpu_ns, result)
    adds_up(spool.before_ns, spool.counted(), result)
    report = execute([COMMAND, "report", "--json", spool.path], clean_environment())
    told = json.loads(report.stdout)
    assert told["before_ns"] == spool.before_ns
    account = told["tables"][0]["account"]
    adds_up(told["before_ns"] + account["in_stacks"] + account["lost"] + account["unsampled"], 0, result)
    report = execute([COMMAND, "report", spool.path], clean_environment())
    assert b"of CPU time before sampling began: the loader's, and what processes did" in report.stdout


@pytest.mark.measures
def test_each_image_of_a_process_has_its_own_time_before(profiler, slow_to_load, loading_ns):
    result, spools = profiler.collected([program("bash"), "-c", f"{SHELL_WORK}; exec {slow_to_load}"])
    assert (result.status, len(spools)) == (3, 2)
    report = execute([COMMAND, "report", "--json", *[spool.path for spool in spools]], clean_environment())
    told = json.loads(report.stdout)
    assert loading_ns / 2 < told["before_ns"] <= max(spool.before_ns for spool in spools)
    adds_up(told["before_ns"], sum(spool.cpu_ns for spool in spools), result)


def test_a_forked_child_has_none(profiler):
    """It begins with no CPU time, and is sampled from there on."""
    result, spools = profiler.collected([program("bash"), "-c", f"({SHELL_WORK}); true"])
    assert result.status == 0
    first, *children = sorted(spools, key=lambda spool: spool.start_ns)
    assert first.before_ns > 0
    assert [child.before_ns for child in children] == [0]


@pytest.mark.measures
def test_it_is_said_where_it_is_much(profiler, slow_to_load):
    result, files = profiler.launched(["--format", "html"], [slow_to_load])
    assert result.status == 3
    assert b"flametrap: not sampled: " in result.stderr and b"in no profile" not in result.stderr
    page = profiler.folder / "page.html"
    page.write_text(files["profile.html"], encoding="utf-8")
    assert any(note.startswith("Not sampled: ") for note in Page(page).head["notes"])
    result, files = profiler.launched(["--format", "html"], [program("true")])
    assert b"not sampled" not in result.stderr


ENDS_MS = {"ends_at_start": 90, "ends_in_thread": 60, "ends_at_end": 30}
PERIOD_NS = 100000


@pytest.mark.parametrize("notify", [
    "sigtrap", "sigio",
    # among others that compete for the processor, a tick rarely meets the program: a sample then
    # stands for what several functions did
    pytest.param("timer", marks=pytest.mark.measures)])
def test_what_runs_before_main_and_after_it_is_sampled(profiler, notify):
    argv = [target("ends"), "word"]
    plain = execute(argv, clean_environment(ENDS="here"))
    done = execute(argv, clean_environment(ENDS="here", **profiler.preloaded(
        LIBRARY, period=PERIOD_NS, weight="events", notify=notify)))
    assert done.outcome() == plain.outcome() == (0, b"2 word ends here 1\ndestructor\n", b"")
    text = (profiler.folder / "x.folded").read_text(encoding="utf-8")
    for function, burnt_ms in ENDS_MS.items():
        assert Folded(text).burnt(function) >= least_ns(burnt_ms), function
    assert Folded(text).burnt("ends_at_start") > 2 * Folded(text).burnt("ends_at_end")
    assert "ends_before_all" not in text


def test_a_program_that_dies_in_a_destructor_leaves_its_samples(profiler):
    argv = [target("ends"), "abort"]
    plain = execute(argv, clean_environment(ENDS="here"))
    done = execute(argv, clean_environment(ENDS="here", **profiler.preloaded(
        LIBRARY, period=PERIOD_NS, weight="events")))
    assert done.outcome() == plain.outcome() == (-signal.SIGABRT, b"", b"")
    spool, = profiler.folder.glob("*.spool")
    folded = execute([COMMAND, "fold", "--weight", "events", spool], clean_environment())
    assert Folded(folded.stdout.decode()).burnt("ends_at_end") >= least_ns(ENDS_MS["ends_at_end"])
