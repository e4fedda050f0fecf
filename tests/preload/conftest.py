"""Fixtures of the tests that run whole programs; running.py has what they are made of."""

import os
import pathlib
import shutil
import sys
import tempfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from running import Profiler  # noqa: E402  (needs the path above)


@pytest.fixture
def profiler():
    """A profiler whose folder lies in a memory file system when there is one, as spools do."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix=f"flametrap-test-{os.getpid()}-", dir=base)
    yield Profiler(folder)
    shutil.rmtree(folder)


SUITE_COLUMNS = ("tests", "different", "unsteady", "once", "traced", "processes", "seconds")


def pytest_terminal_summary(terminalreporter):
    """What `make test-suites` is for: one line for each suite of other people's."""
    reports = [report for outcome in ("passed", "failed")
               for report in terminalreporter.stats.get(outcome, [])
               if dict(report.user_properties).get("suite")]
    if reports:
        terminalreporter.write_line(
            "".join(["suite".ljust(12), *(name.rjust(11) for name in SUITE_COLUMNS)]))
    for report in reports:
        found = dict(report.user_properties)
        terminalreporter.write_line("".join(
            [found["suite"].ljust(12), *(str(found.get(name, "")).rjust(11)
                                         for name in SUITE_COLUMNS)]))
