"""`flametrap start` and `stop`: a program that was started paused is sampled when somebody says so.

The program touches 100 new pages in each phase, and each first touch is a sample, so that what
is in the profile can be counted and not timed.
"""

import json
import re
import subprocess
import time

import pytest

from launching import run
from running import COMMAND, LIBRARY, Folded, clean_environment, program, target
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


def test_the_account_adds_up_and_has_what_was_left_out(preloaded):
    phases = preloaded()
    phases.do("before")
    phases.verb("stop", phases.pid)
    phases.do("during")
    phases.verb("start", phases.pid)
    phases.do("after")
    account = re.search(r"^  counted (\d+) events = in stacks (\d+) events \(\d+\.\d %\) \+ paused (\d+) events"
                        r" \+ lost (\d+) events \+ unsampled 0 events; (\d+) samples$",
                        phases.verb("report", phases.pid), re.M)
    counted, in_stacks, paused, lost, samples = (int(number) for number in account.groups())
    assert counted == in_stacks + paused + lost
    assert in_stacks == samples >= 2 * PAGES and paused >= PAGES
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
