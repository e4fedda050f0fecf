"""pytest is the one runner: cmocka programs and fuzz targets are collected as its cases.

Each test function of tests/ROOM/test_*.c is a case, and so is the end of its program (a leak
is found there); each tests/fuzz/fuzz_*.c is one, and so is each test() of tests/page/*.test.mjs,
which node runs.  With --workers the tests run in several processes
(workers.py).  The last line printed is what scripts read.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

import again
import requirements_table
import surroundings
import workers

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build"))
UNIT_LIMIT_S = 1200  # against a hang; no test passes or fails by being fast
LONG = "This program is marked long"  # in its first comment
FUZZ_SECONDS = int(os.environ.get("FLAMETRAP_FUZZ_SECONDS", "2"))

sys.path.insert(0, str(ROOT / "tests" / "support"))  # what several tests share
surroundings.settle()


def pytest_addoption(parser):
    parser.addoption("--again", action="store_true",
                     help="run what failed again at the end, by itself, to tell what is unsteady")
    parser.addoption("--workers", type=workers.number, default=1, metavar="N|auto",
                     help="share the tests among so many processes; those that measure run alone")


def pytest_configure(config):
    for line in ("measures: counts on a processor that others leave alone; runs when they are done",
                 "long: takes minutes, while a shorter test shows the same; in `make test-all` only"):
        config.addinivalue_line("markers", line)


def limited(item):
    """No test goes on for ever, nor does what is set up for it or taken away after it."""
    with again.limit(item.nodeid):
        yield


pytest_runtest_setup = pytest.hookimpl(hookwrapper=True)(limited)
pytest_runtest_call = pytest.hookimpl(hookwrapper=True)(limited)
pytest_runtest_teardown = pytest.hookimpl(hookwrapper=True)(limited)


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".c" and file_path.name.startswith("test_"):
        return UnitFile.from_parent(parent, path=file_path)
    if file_path.suffix == ".c" and file_path.name.startswith("fuzz_"):
        return FuzzFile.from_parent(parent, path=file_path)
    if file_path.name.endswith(".test.mjs"):
        return ScriptFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture
def profiler():
    """A profiler whose folder lies in a memory file system when there is one, as spools do."""
    from running import Profiler  # pylint: disable=import-outside-toplevel  # it needs the tree
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix=surroundings.folder_prefix(), dir=base)
    yield Profiler(folder)
    shutil.rmtree(folder)


class Failure(Exception):
    """A case failed; the text is all there is to show."""


class ProgramItem(pytest.Item):  # pylint: disable=abstract-method
    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, 0, self.name


class UnitFile(pytest.File):
    """One cmocka program, run once, when its first case is."""

    run = None
    names = re.compile(r"^(?:TEST\(|TEST_OF\([^,]*,\s+|static void (?=\w+\(\s*void \*\*))(\w+)", re.M)

    def collect(self):
        text = self.path.read_text(encoding="utf-8")
        if LONG in text:
            self.add_marker("long")
        for name in self.names.findall(text):
            yield UnitItem.from_parent(self, name=name)
        yield UnitEnd.from_parent(self, name="program_ends_cleanly")

    def result(self):
        if self.run is None:
            self.run = UnitRun([BUILD / "test" / "unit" / self.path.parent.name / self.path.stem])
        return self.run


class UnitRun:
    """A program that prints the outcome of each case as TAP."""

    def __init__(self, command):
        environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
        with tempfile.TemporaryDirectory() as folder:
            environment["TMPDIR"] = folder
            done = subprocess.run(
                command, cwd=ROOT, env=environment, timeout=UNIT_LIMIT_S, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.status = done.returncode
        self.output = done.stdout.decode("utf-8", "replace")
        self.outcome = {}
        self.notes = {}
        name = None
        for line in self.output.splitlines():
            match = re.match(r"(not ok|ok) \d+ (- |# SKIP )(.+)$", line)
            if match:
                name = match[3]
                skipped = match[2].startswith("#")
                self.outcome[name] = "skipped" if skipped else match[1]
                self.notes[name] = []
            elif name and line.startswith(("#", "  ")):
                self.notes[name].append(line)

    def failures(self):
        return sum(outcome == "not ok" for outcome in self.outcome.values())


class UnitItem(ProgramItem):
    def runtest(self):
        run = self.parent.result()
        outcome = run.outcome.get(self.name)
        if outcome is None:
            raise Failure(f"no result (status {run.status}):\n{run.output[-4000:]}")
        if outcome == "skipped":
            reason = re.search(rf"skip {self.name}: (.*)", run.output)
            pytest.skip(reason[1] if reason else "skipped by the test itself")
        if outcome != "ok":
            raise Failure("\n".join(run.notes[self.name]) or run.output[-4000:])


class UnitEnd(ProgramItem):
    def runtest(self):
        run = self.parent.result()
        if not run.outcome:
            raise Failure(f"no case ran (status {run.status}):\n{run.output[-4000:]}")
        if run.status not in (run.failures(), min(run.failures(), 1)):  # cmocka counts, node does not
            raise Failure(f"status {run.status}, {run.failures()} failures:\n{run.output[-4000:]}")


class ScriptFile(UnitFile):
    """Tests of modules of the page, which node runs."""

    names = re.compile(r"^test\('([^']+)'", re.M)

    def result(self):
        if not shutil.which("node"):
            pytest.skip("node is not installed")
        if self.run is None:
            self.run = UnitRun(["node", "--test-reporter=tap", self.path])
        return self.run


class FuzzFile(pytest.File):
    def collect(self):
        yield FuzzItem.from_parent(self, name="survives_mutated_inputs")


def same_addresses():
    """What runs a program without random addresses; nothing, where that is not allowed."""
    words = ["setarch", "-R"]
    try:
        return words if subprocess.run([*words, "true"], check=False).returncode == 0 else []
    except OSError:
        return []


STEADY = same_addresses()


def fuzz(name):
    """Run one target for FUZZ_SECONDS from its seeds and what earlier runs found: (status, text).
    Its inputs are the same each time, as far as it gets: its seed is, it loads no others in between,
    and its addresses, which it chooses by, are where they always are.  `make fuzz` takes new ones."""
    seeds = ROOT / "tests" / "fuzz" / "corpus" / name[len("fuzz_"):]
    kept = BUILD / "test" / "fuzz" / "corpus" / name[len("fuzz_"):]
    kept.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["nice", "-n", "10", *STEADY, BUILD / "test" / "fuzz" / name, "-seed=1", "-reload=0",
         f"-max_total_time={FUZZ_SECONDS}", f"-artifact_prefix={BUILD}/test/fuzz/{name}-", kept,
         *([seeds] if seeds.is_dir() else [])],
        cwd=ROOT, timeout=FUZZ_SECONDS + UNIT_LIMIT_S, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode("utf-8", "replace")


class FuzzItem(ProgramItem):
    def runtest(self):
        status, output = fuzz(self.path.stem)
        if status != 0:
            raise Failure(output[-6000:])
        ended = re.search(r"^Done (\d+) runs in (\d+) second", output, re.M)
        if not ended or int(ended[2]) < FUZZ_SECONDS:
            raise Failure(f"it did not run for {FUZZ_SECONDS} s:\n{output[-2000:]}")
        self.user_properties += [("inputs", int(ended[1])), ("seconds", int(ended[2]))]


def with_workers(config):
    return config.option.workers > 1 and not config.option.collectonly


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report, config):
    """With workers progress is told in numbers, not by a letter for each test."""
    if not with_workers(config) or hasattr(report, "wasxfail"):
        return None
    if report.failed:
        return ("failed", "", "FAILED") if report.when == "call" else ("error", "", "ERROR")
    return report.outcome if report.skipped or report.when == "call" else "", "", ""


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if not with_workers(session.config) or session.testsfailed:
        return None
    workers.share(session, session.config.option.workers, left_behind)
    return True


def pytest_terminal_summary(terminalreporter, config):
    """A skip is worth its reason, once."""
    reasons = {}
    for report in terminalreporter.stats.get("skipped", []):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons.setdefault(text, []).append(report.nodeid)
    for text, nodes in reasons.items():
        terminalreporter.write_line(f"skipped {len(nodes)}: {text}")
    for line in [*requirements_table.lines(terminalreporter.stats),
                 *again.lines(terminalreporter.stats)]:
        terminalreporter.write_line(line)
    if with_workers(config):
        workers.write_down(terminalreporter.stats, BUILD / "test" / "durations.txt")
        for line in workers.lines(terminalreporter.stats):
            terminalreporter.write_line(line)


left_behind = []


def pytest_sessionstart(session):
    if not session.config.option.collectonly:
        session.config.guard = surroundings.start_guard()


def pytest_sessionfinish(session):
    """Nothing that was started goes on, and what a killed program left is taken away and told."""
    if session.config.option.collectonly:
        return
    base = session.config._tmp_path_factory.getbasetemp()  # pylint: disable=protected-access
    left_behind.extend(surroundings.left_behind(base))
    look_again(session)


def look_again(session):
    """Only failures that are failures by themselves, too, fail the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.option.again and session.exitstatus == pytest.ExitCode.TESTS_FAILED:
        if not again.look_again(session.config, reporter.stats, time.monotonic):
            session.exitstatus = pytest.ExitCode.OK


def pytest_unconfigure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return
    count = {key: len(reporter.stats.get(key, [])) for key in
             ("passed", "failed", "error", "skipped", "xpassed", "xfailed")}
    failed = count["failed"] + count["error"] + count["xpassed"]
    for command in left_behind:
        print(f"left behind: {command}")
    print(f"{count['passed']} passed, {failed} failed, {count['skipped']} skipped", flush=True)
