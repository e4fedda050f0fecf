"""The tests of one run, shared among processes: `--workers N`.

Each worker is a fork of the process that collected the tests.  It is handed a file's tests at a
time, those that take longest first.  Tests marked `measures` run alone when all others are done.
"""

import collections
import contextlib
import ctypes
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import signal
import time

import pytest

import surroundings

DURATIONS = pathlib.Path(__file__).resolve().parent / "durations.txt"
TYPICAL_S = 0.3  # of a test whose file is not in that table
PROGRESS_S = 10
SLOWEST = 10
WORKERS_MAX = 16
PR_SET_PDEATHSIG = 1


def number(text):
    """Of workers: many tests wait, so that there are two more than there are processors."""
    if text == "auto":
        return min(len(os.sched_getaffinity(0)) + 2, WORKERS_MAX)
    return int(text)


def expected_s():
    """{file: seconds} of files that take long.  A run writes its own table below the build, and
    that of a quiet machine may replace this one: only the order follows from it."""
    found = {}
    with contextlib.suppress(OSError):
        for line in DURATIONS.read_text(encoding="utf-8").splitlines():
            seconds, path = line.split()
            found[path] = float(seconds)
    return found


def file_of(nodeid):
    return nodeid.split("::")[0]


def grouped(items):
    """[[index of item, ...] of each file], those that take longest first."""
    groups = {}
    for index in items:
        groups.setdefault(file_of(items[index].nodeid), []).append(index)
    expected = {path: TYPICAL_S * len(group) for path, group in groups.items()} | expected_s()
    return [groups[path] for path in sorted(groups, key=lambda path: -expected[path])]


class Sender:
    """In a worker: what pytest reports goes to the process that collected."""

    def __init__(self, config, connection):
        self.config = config
        self.connection = connection

    def pytest_runtest_logreport(self, report):
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.connection.send(("report", data))


def work(session, connection):
    """The life of a worker."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    config = session.config
    capture = config.pluginmanager.get_plugin("capturemanager")
    capture.stop_global_capturing()  # its files are shared with all other workers
    capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(Sender(config, connection))
    surroundings.become_worker()
    connection.send(("next", None))
    while group := connection.recv():
        for index, following in zip(group, [*group[1:], None]):
            connection.send(("start", index))
            item = session.items[index]
            # What belongs to the session is kept for the next file.
            after = session if following is None else session.items[following]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            connection.send(("end", index))
        connection.send(("next", None))
    session._setupstate.teardown_exact(None)  # pylint: disable=protected-access
    base = config._tmp_path_factory.getbasetemp()  # pylint: disable=protected-access
    connection.send(("left", surroundings.left_behind(base)))


class Worker:
    """A worker as the process that collected sees it."""

    def __init__(self, session):
        self.connection, theirs = multiprocessing.Pipe()
        self.group = []  # indexes that it has still to end
        self.running = None
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                work(session, theirs)
                status = 0
            finally:
                os._exit(status)  # pylint: disable=protected-access
        theirs.close()

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self):
        """Its exit status when it ends, negative for a signal."""
        self.connection.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Run:
    """All workers, and the tests that are left for them."""

    def __init__(self, session, reporter, left_behind):
        self.session = session
        self.reporter = reporter
        self.left_behind = left_behind
        self.waiting = collections.deque()
        self.workers = {}  # by connection
        self.done = 0
        self.told_s = time.monotonic()

    def run(self, groups, count):
        self.waiting.extend(groups)
        for _ in range(min(count, len(groups))):
            self.add()
        try:
            while self.workers:
                for ready in multiprocessing.connection.wait(self.workers, PROGRESS_S):
                    self.receive(self.workers[ready])
                self.progress()
                if self.session.shouldstop or self.session.shouldfail:
                    break
        finally:
            for worker in self.workers.values():
                worker.kill()
            self.workers = {}

    def add(self):
        worker = Worker(self.session)
        self.workers[worker.connection] = worker

    def receive(self, worker):
        try:
            kind, what = worker.connection.recv()
        except (EOFError, OSError):
            self.ended(worker)
            return
        if kind == "next":
            worker.group = self.waiting.popleft() if self.waiting else []
            worker.connection.send(worker.group)
        elif kind == "start":
            worker.running = what
        elif kind == "end":
            worker.running = None
            worker.group = worker.group[1:]
            self.done += 1
        elif kind == "report":
            config = self.session.config
            self.report(config.hook.pytest_report_from_serializable(config=config, data=what))
        elif kind == "left":
            self.left_behind.extend(what)

    def report(self, report):
        self.session.config.hook.pytest_runtest_logreport(report=report)
        if report.failed:
            self.reporter.write_line(f"failed: {report.nodeid}")

    def ended(self, worker):
        """When one died, the test that it ran has failed, and another takes those after it."""
        del self.workers[worker.connection]
        status = worker.wait()
        if worker.running is None and not worker.group:
            if status:
                self.left_behind.append(f"a worker of the tests, which ended with {status}")
            return
        index = worker.group[0]
        item = self.session.items[index]
        self.report(pytest.TestReport(
            item.nodeid, item.location, {}, "failed",
            f"the process that ran this test ended with status {status}", "call"))
        self.done += 1
        if worker.group[1:]:
            self.waiting.appendleft(worker.group[1:])
        if self.waiting:
            self.add()

    def progress(self):
        if time.monotonic() < self.told_s + PROGRESS_S:
            return
        self.told_s = time.monotonic()
        left = len(self.session.items) - self.done
        running = {file_of(self.session.items[worker.running].nodeid)
                   for worker in self.workers.values() if worker.running is not None}
        self.reporter.write_line(f"{self.done} done, {left} left: {' '.join(sorted(running))}")
        self.reporter.flush()  # else a pipe has it with the next 8 KB


def share(session, count, left_behind):
    """Run all tests of the session by so many workers."""
    config = session.config
    config._tmp_path_factory.getbasetemp()  # pylint: disable=protected-access  # one for all
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    items = dict(enumerate(session.items))
    alone = {index: item for index, item in items.items() if item.get_closest_marker("measures")}
    run, start_s = Run(session, reporter, left_behind), time.monotonic()
    run.run(grouped({index: items[index] for index in items if index not in alone}), count)
    if alone and not session.shouldstop and not session.shouldfail:
        reporter.write_line(f"{run.done} done in {time.monotonic() - start_s:.0f} s; "
                            f"the other {len(alone)} measure, and run alone")
        run.run(grouped(alone), 1)
    for reason in filter(None, (session.shouldfail, session.shouldstop)):
        raise session.Failed(reason) if session.shouldfail else session.Interrupted(reason)


def seconds(stats, key):
    """{key of a test's name: seconds}, in falling order."""
    sums = collections.Counter()
    for reports in stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                sums[key(report.nodeid)] += report.duration
    return dict(sums.most_common())


def room_of(nodeid):
    parts = file_of(nodeid).split("/")
    return parts[1] if len(parts) > 2 else parts[0]


def lines(stats):
    """Where the time went: by room, the slowest files and the slowest tests."""
    rooms = seconds(stats, room_of)
    yield "seconds by room: " + ", ".join(f"{room} {rooms[room]:.0f}" for room in rooms)
    for kind, key in (("files", file_of), ("tests", str)):
        slowest = list(seconds(stats, key).items())[:SLOWEST]
        yield f"the {len(slowest)} slowest {kind}:"
        yield from (f"{taken:7.1f} s  {name}" for name, taken in slowest)


def write_down(stats, path):
    """The table that expected_s reads."""
    files = seconds(stats, file_of)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{files[name]:.0f} {name}\n" for name in files if files[name] >= 5),
                    encoding="utf-8")
