"""The page (--format html) lists unusual moments of the threads that are selected, and the report names
the same in the same words; tests/page/moments.test.mjs has which moments are unusual."""

import random

import pytest

from launching import flametrap
from page_profiles import stalls
from spool_writer import GONE, Spool
from viewer_page import Viewer

MS, S = 10**6, 10**9


def settled(page):
    page.settle()
    return not page.browser.js("return document.querySelector('.moments').hasAttribute('aria-busy')")


def chips(page):
    """[(what, times)] once the moments were looked for."""
    page.browser.until(lambda: settled(page))
    return page.browser.js("""return [...document.querySelectorAll('.moments button')].map(one =>
        [...one.children].map(part => part.textContent))""")


def test_moments_are_of_the_selected_threads(opened):
    data = stalls()
    data.track(0, 101, "steady", end=data.end)
    data.track(0, 102, "even", end=data.end)
    node = data.node("app", "main", "steady")
    for step in range(2400):
        for track in (1, 2):
            data.sample(step * 10 * MS, node, track, 0, 1, 10 * MS)
    page = opened(data)
    page.go("#k=1")
    assert chips(page) == []
    page.go("#k=0")
    assert [what for what, _ in chips(page)] == ["Nearly no samples", "B 100.0% instead of 8.0%"]
    assert page.text(".moments strong") == "Unusual moments of app (100):"
    page.go("#k=1-2")
    page.keys("m")  # at once, before the list is made anew
    assert "t=" not in page.fragment()
    assert chips(page) == []


def steady(at_ms, chance):
    return chance.choice(("usual", "other")) if at_ms % 3 else "usual"


def two_stalls(at_ms, chance):
    """Of one function at 6.2 s, and of another now and then; asleep from 4 to 5 s."""
    if 4000 <= at_ms < 5000:
        return None
    if 6200 <= at_ms < 6300:
        return "stall"
    return "flush" if at_ms % 2000 < 50 and at_ms > 1000 else steady(at_ms, chance)


def quiet(at_ms, chance):
    return steady(at_ms, chance) if not 2500 <= at_ms < 2900 and not 7500 <= at_ms < 7900 else None


def busy(at_ms, chance):
    return [steady(at_ms, chance)] * (5 if 7200 <= at_ms < 7300 else 1)


def spool_of(path, leaf_at):
    chance = random.Random(3)
    spool = Spool(GONE)
    nodes = {leaf: spool.call(spool.code(leaf)) for leaf in ("usual", "other", "stall", "flush")}
    spool.timed(10 * S)
    for at_ms in range(1, 10000):
        leaves = leaf_at(at_ms, chance)
        for leaf in [leaves] if isinstance(leaves, str) else leaves or []:
            spool.sample(nodes[leaf], at_ms * MS, 1, MS)
    spool.write(path)
    return path


@pytest.mark.parametrize("leaf_at", [steady, two_stalls, quiet, busy])
def test_report_and_page_say_the_same(browser, tmp_path, leaf_at):
    spool = spool_of(tmp_path / "app.spool", leaf_at)
    flametrap("fold", "--format", "html", "-o", tmp_path / "app.html", spool, status=0)
    found = chips(Viewer(browser, tmp_path / "app.html"))[:3]
    text = flametrap("report", spool).stdout
    lines = [line.strip() for line in text.splitlines()]
    said = [(what, when) for when, what in zip(lines, lines[1:]) if when.startswith("unusual ")]
    assert [what.replace("_[p]", "") for what, _ in said] == [what for what, _ in found]
    assert (leaf_at is steady) == (not said)
    for (_, times), (_, when) in zip(found, said):
        if " times " in times:
            assert when.endswith(f", {times}:")
