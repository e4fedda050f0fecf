"""The page (--format html) lists unusual moments of the threads that are selected; tests/page/moments.test.mjs
has which moments are unusual."""

import pytest

from page_profiles import stalls
from viewer_page import Viewer, viewer

MS = 1_000_000


@pytest.fixture(name="shown")
def _shown(browser, tmp_path):
    """Opens the page of data once its moments were looked for."""
    def opened(data, fragment=""):
        page = Viewer(browser, viewer(tmp_path, data), fragment)
        browser.until(lambda: settled(page))
        return page
    return opened


def settled(page):
    page.settle()
    return not page.browser.js("return document.querySelector('.moments').hasAttribute('aria-busy')")


def chips(page):
    """[(what, times)]"""
    return page.browser.js("""return [...document.querySelectorAll('.moments button')].map(one =>
        [...one.children].map(part => part.textContent))""")


def test_moments_are_of_the_selected_threads(shown):
    data = stalls()
    data.track(0, 101, "steady", end=data.end)
    data.track(0, 102, "even", end=data.end)
    node = data.node("app", "main", "steady")
    for step in range(2400):
        for track in (1, 2):
            data.sample(step * 10 * MS, node, track, 0, 1, 10 * MS)
    page = shown(data)
    page.go("#k=1")
    page.browser.until(lambda: settled(page))
    assert chips(page) == []
    page.go("#k=0")
    page.browser.until(lambda: settled(page))
    assert [what for what, _ in chips(page)] == ["Nearly no samples", "B 100.0% instead of 8.0%"]
    assert page.text(".moments strong") == "Unusual moments of app (100):"
    page.go("#k=1-2")
    page.keys("m")  # at once, before the list is made anew
    assert "t=" not in page.fragment()
    assert chips(page) == []
