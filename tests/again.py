"""A limit for each test, and a second look at those that fail.

What fails is run again at the end, twice, each time by itself in a process of its own.  What passes
both times is unsteady: it is listed with its output, and does not fail the run unless there are
more than UNSTEADY_MAX of them.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys

LONG = any(os.environ.get(name) for name in ("HARM_LONG", "UNWIND_LONG", "FLAMETRAP_SUITES"))
TEST_LIMIT_S = 12 * 3600 if LONG else 1500  # beyond every limit that a test sets itself
REPEATED_S = 60  # what cleans up after a wait that was ended may wait in turn
TIMES = 2
UNSTEADY_MAX = 2
TESTS_MAX = 40  # when more than these fail, they are not unsteady
TOTAL_MAX_S = 1800


# What says why in a report, the first that is there: pytest's line, a fuzz target's, a sanitizer's.
REASONS = (r"^E +(.*)", r"^(.*: (?:not true|runtime error): .*)", r"(ERROR: .*)")


class TookTooLong(Exception):
    """A test that did not end by itself."""


@contextlib.contextmanager
def limit(name):
    """Raise in a test that takes too long, wherever it waits."""
    def end(_signal, _frame):
        raise TookTooLong(f"{name} did not end within {TEST_LIMIT_S} s")
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, TEST_LIMIT_S, REPEATED_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def passes(config, nodeid):
    """Does the test pass by itself, as often as it has to?"""
    argv = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", nodeid]
    for _ in range(TIMES):
        try:
            done = subprocess.run(argv, cwd=config.rootpath, timeout=2 * TEST_LIMIT_S, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return False
        if done.returncode != 0:
            return False
    return True


def look_again(config, stats, clock):
    """Move the reports of unsteady tests from `failed` and `error` of the statistics to `unsteady`,
    and count such a test as passed.  Returns whether the run fails."""
    failures = {}
    for report in stats.get("failed", []) + stats.get("error", []):
        failures.setdefault(report.nodeid, []).append(report)
    end_s = clock() + TOTAL_MAX_S
    for nodeid, reports in failures.items() if len(failures) <= TESTS_MAX else ():
        if "::" not in nodeid or clock() > end_s or not passes(config, nodeid):
            continue
        for name in ("failed", "error"):
            stats[name] = [report for report in stats.get(name, []) if report.nodeid != nodeid]
        stats.setdefault("unsteady", []).extend(reports)
        if not any(report.nodeid == nodeid for report in stats.get("passed", [])):
            stats.setdefault("passed", []).append(reports[0])
    return bool(stats.get("failed") or stats.get("error")) or len(unsteady(stats)) > UNSTEADY_MAX


def unsteady(stats):
    return {report.nodeid for report in stats.get("unsteady", [])}


def reason(report):
    """Why it failed, in a line; the last of its text where none says so."""
    text = report.longreprtext.strip()
    found = next(filter(None, (re.search(pattern, text, re.M) for pattern in REASONS)), None)
    return found[1] if found else text.splitlines()[-1] if text else ""


def lines(stats):
    """What failed and what is unsteady, and why."""
    for report in stats.get("failed", []) + stats.get("error", []):
        yield f"failed: {report.nodeid}: {reason(report)}"
    for report in stats.get("unsteady", []):
        yield f"unsteady: {report.nodeid} failed, and passed {TIMES} times by itself: {reason(report)}"
        yield from (f"    {line}" for line in report.longreprtext.splitlines())
        for title, text in report.sections:
            yield f"    {title}:"
            yield from (f"    {line}" for line in text.splitlines())
    count = len(unsteady(stats))
    if count > UNSTEADY_MAX:
        yield f"unsteady: {count} tests, of which {UNSTEADY_MAX} are borne: the run fails"
