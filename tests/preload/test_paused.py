"""What is counted while sampling is paused is neither lost nor in a stack: it is told by itself."""

import re
import subprocess

from running import COMMAND
from spool import Spool
from test_start import PAGES, preloaded  # pylint: disable=unused-import  # a fixture


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
