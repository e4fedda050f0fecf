"""Time off the processor all ends in the kernel's scheduler.  The page lists it, as the report does, by
the function that waits and the calls that it waits in."""

import csv
import io

import pytest

from launching import flametrap, run
from rights import may_see_the_kernel
from running import COMMAND, target
from viewer_page import Viewer

WAITS = {"wait_sleep": "nanosleep", "wait_poll": "poll"}


@pytest.fixture(scope="module", name="profile")
def profile_once(tmp_path_factory):
    if not may_see_the_kernel():
        pytest.skip("an ordinary user may not count the kernel side here")
    folder = tmp_path_factory.mktemp("waits")
    done = run([COMMAND, "--wall", "-o", "out", "--format", "html,spool", "--", target("waits"),
                folder / "file", 30], folder)
    assert done.returncode == 0, done.stderr
    spool, = folder.glob("out.*.spool")
    return folder / "out.html", spool


def reported(spool):
    """{row: its own ns} of the counter off-cpu"""
    text = flametrap("report", "--csv", "--counter", "off-cpu", spool).stdout
    rows = csv.DictReader(io.StringIO(text))
    return {row["name"]: int(row["self"]) for row in rows if int(row["self"])}


def shown(waits):
    """Rows of the page, which tells times in three digits."""
    return {name: [pytest.approx(ns, rel=6e-3)] for name, ns in waits.items()}


def test_waits_are_rows_by_themselves(browser, profile):
    path, spool = profile
    page = Viewer(browser, path, "#c=off-cpu")
    expected = reported(spool)
    assert page.rows() == shown(expected)
    for function, call in WAITS.items():
        assert any(name.startswith(f"{function} -> ") and call in name for name in expected), function
    scheduled = sum(ns for name, ns in expected.items() if name.startswith("schedule"))
    assert scheduled < sum(expected.values()) / 100
    assert browser.errors() == []


def test_a_row_chooses_the_function_that_waits(browser, profile):
    page = Viewer(browser, profile[0], "#c=off-cpu")
    at = next(i for i, name in enumerate(page.order()) if name.startswith("wait_sleep -> "))
    page.click(f"tbody tr:nth-child({at + 1})")
    assert "f=" in page.fragment()
    assert page.text(".source strong") == "wait_sleep"
    page.choose("Rows", "By function")
    assert "b=function" in page.fragment() and page.order()[0] == "schedule"


def test_other_counters_have_functions_as_rows_and_waits_when_asked(browser, profile):
    path, spool = profile
    page = Viewer(browser, path, "#c=task-clock")
    assert not any(" -> " in name for name in page.order())
    page.choose("Rows", "By wait")
    assert page.rows() == shown(reported(spool))
