"""pytest is the one runner: cmocka programs and fuzz targets are collected as its cases.

Each test function of tests/ROOM/test_*.c is a case, and so is the end of its program (a leak
is found there); each tests/fuzz/fuzz_*.c is one.  The last line printed is what scripts read.
"""

import concurrent.futures
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build"))
UNIT_LIMIT_S = 1200  # against a hang; no test passes or fails by being fast
FUZZ_SECONDS = int(os.environ.get("FLAMETRAP_FUZZ_SECONDS", "60"))

sys.path.insert(0, str(ROOT / "tests" / "support"))  # what several tests share
surroundings.settle()


def pytest_addoption(parser):
    parser.addoption("--again", action="store_true",
                     help="run what failed again at the end, by itself, to tell what is unsteady")


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
    return None


@pytest.fixture
def profiler():
    """A profiler whose folder lies in a memory file system when there is one, as spools do."""
    from running import Profiler  # pylint: disable=import-outside-toplevel  # it needs the tree
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix=f"flametrap-test-{os.getpid()}-", dir=base)
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

    def collect(self):
        text = self.path.read_text(encoding="utf-8")
        names = re.findall(r"^(?:TEST\(|static void (?=\w+\(\s*void \*\*))(\w+)", text, re.M)
        for name in names:
            yield UnitItem.from_parent(self, name=name)
        yield UnitEnd.from_parent(self, name="program_ends_cleanly")

    def result(self):
        if self.run is None:
            self.run = UnitRun(BUILD / "test" / "unit" / self.path.parent.name / self.path.stem)
        return self.run


class UnitRun:
    def __init__(self, program):
        environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
        with tempfile.TemporaryDirectory() as folder:
            environment["TMPDIR"] = folder
            done = subprocess.run(
                [program], cwd=ROOT, env=environment, timeout=UNIT_LIMIT_S, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.status = done.returncode
        self.output = done.stdout.decode("utf-8", "replace")
        self.outcome = {}
        self.notes = {}
        name = None
        for line in self.output.splitlines():
            match = re.match(r"(not ok|ok) \d+ (- |# SKIP )(\w+)$", line)
            if match:
                name = match[3]
                skipped = match[2].startswith("#")
                self.outcome[name] = "skipped" if skipped else match[1]
                self.notes[name] = []
            elif name and line.startswith("#"):
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
        if run.status != run.failures():
            raise Failure(f"status {run.status}, {run.failures()} failures:\n{run.output[-4000:]}")


class FuzzFile(pytest.File):
    def collect(self):
        yield FuzzItem.from_parent(self, name="survives_mutated_inputs")


def pytest_collection_modifyitems(items):
    """Fuzzing keeps every processor busy: it comes after all that might notice."""
    items.sort(key=lambda item: isinstance(item, FuzzItem))


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
        ["nice", "-n", "19", *STEADY, BUILD / "test" / "fuzz" / name, "-seed=1", "-reload=0",
         f"-max_total_time={FUZZ_SECONDS}", f"-artifact_prefix={BUILD}/test/fuzz/{name}-", kept,
         *([seeds] if seeds.is_dir() else [])],
        cwd=ROOT, timeout=FUZZ_SECONDS + UNIT_LIMIT_S, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode("utf-8", "replace")


class FuzzItem(ProgramItem):
    """All targets of the session are started by the first, two per processor at a time."""

    pool = concurrent.futures.ThreadPoolExecutor(2 * len(os.sched_getaffinity(0)))
    running = {}

    def start_all(self):
        for item in self.session.items:
            if isinstance(item, FuzzItem):
                self.running[item.path] = self.pool.submit(fuzz, item.path.stem)

    def runtest(self):
        if not self.running:
            self.start_all()
        status, output = self.running[self.path].result()
        if status != 0:
            raise Failure(output[-6000:])
        ended = re.search(r"^Done (\d+) runs in (\d+) second", output, re.M)
        if not ended or int(ended[2]) < FUZZ_SECONDS:
            raise Failure(f"it did not run for {FUZZ_SECONDS} s:\n{output[-2000:]}")
        self.user_properties += [("inputs", int(ended[1])), ("seconds", int(ended[2]))]


def pytest_terminal_summary(terminalreporter):
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


left_behind = []


def pytest_sessionstart(session):
    if not session.config.option.collectonly:
        session.config.guard = surroundings.start_guard()


def pytest_sessionfinish(session):
    """Nothing that was started goes on, and what a killed program left is taken away and told."""
    FuzzItem.pool.shutdown(wait=False, cancel_futures=True)
    if session.config.option.collectonly:
        return
    left_behind.extend(surroundings.take_away())
    base = session.config._tmp_path_factory.getbasetemp()  # pylint: disable=protected-access
    left_behind.extend(surroundings.folders_left())
    left_behind.extend(surroundings.spools_left([f"{base}/", f"/flametrap-test-{os.getpid()}-"]))
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
