"""A page's link restores what was seen; names of any kind stay text; damage is told; nothing is asked
of a network."""

import random
import struct

import pytest

from page_data import page as write
from page_profiles import ALL, HOSTILE, stalls
from viewer_page import Viewer, viewer

STATE = """return [document.querySelector('.selection').textContent, document.querySelector('.matched').textContent,
    [...document.querySelectorAll('tbody tr')].map(row => row.textContent),
    [...document.querySelectorAll('select')].map(one => one.value),
    [...document.querySelectorAll('[aria-pressed]')].map(one => one.ariaPressed),
    document.querySelector('.picture').toDataURL(), document.querySelector('.frames canvas').toDataURL()]"""


@pytest.mark.parametrize("fragment", [
    "#c=page-faults&t=1000-5000000&k=1", "#v=lanes&k=0&a=100000-900000", "#m=up&s=mem&i=1",
    "#t=1000000-2000000&r=1.0&d=ratio.a", "#b=label%3Atenant&l=%5B%22tenant%22%2C%22red%22%5D",
    "#w=500000000&h=load&q=p&p=dark", "#m=around&f=3", "#f=3&z=1.2.3"])
def test_a_link_restores_everything(browser, fragment, opened):
    page = opened("labelled", fragment)
    first = browser.js(STATE)
    page.keys("+")
    page.keys("0")
    link = page.fragment()
    again = opened("labelled", link)
    if "a=" not in fragment:
        assert browser.js(STATE) == first
    assert again.fragment() == link


def test_back_and_forward_walk_through_what_was_seen(browser, opened):
    page = opened("labelled")
    page.press("Lanes")
    page.press("Inverted")
    page.choose("Rows", "By thread")
    states = []
    for step in ("back", "back", "back", "forward", "forward", "forward"):
        browser.call("POST", "/" + step)
        page.settle()
        states.append(page.fragment().lstrip("#"))
    assert states == ["v=lanes&m=up", "v=lanes", "", "v=lanes", "v=lanes&m=up", "v=lanes&m=up&b=thread"]


@pytest.mark.parametrize("fragment", ["", "#v=lanes", "#m=up", "#m=around&f=2", "#b=thread", "#b=module",
                                      "#b=process&f=4", "#c=page-faults%3Cimg%20src%3Dx%20",
                                      "#r=1.0", "#f=1&s=script"])
def test_hostile_names_stay_text(browser, opened, fragment):
    page = opened("hostile", fragment)
    for at in range(8):
        page.hover(".axis", 60 + 130 * at, 56)
        page.hover(".picture", 60 + 100 * at, 30)
        page.frame(3, (at + .5) / 8)
    assert browser.js("return window.injected ?? null") is None
    tags = browser.js("return [...new Set([...document.querySelectorAll('body *')].map(one => one.localName))]")
    assert not {"img", "b", "iframe", "a", "svg", "object"} & set(tags)
    assert browser.js("return document.querySelectorAll('script').length") == 1


def test_hostile_names_are_shown_as_they_are(browser, opened):
    page = opened("hostile")
    shown = set(browser.js("return [...document.querySelectorAll('td.name bdi')].map(one => one.textContent)"))
    assert {name or "(empty)" for name in HOSTILE} <= shown
    assert page.text("h1") == HOSTILE[0] and page.texts(".note") == [HOSTILE[0], HOSTILE[1]]


def test_nothing_is_asked_of_a_network(browser, made_up):
    _, path = made_up("stalls")
    Viewer(browser, path)
    asked = [url for url in browser.requests() if not url.startswith(("about:", "data:"))]
    assert asked == [path.as_uri()]
    policy = browser.js("return document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("name", ["stalls", "waits", "threads", "processes", "moment", "hour"])
@pytest.mark.parametrize("fragment", ["", "#v=lanes", "#m=up&h=load"])
def test_every_kind_of_run_opens_without_an_error(browser, name, fragment, opened):
    page = opened(name, fragment, size=(700, 900))
    assert page.selection().startswith("Whole run")
    wide = "return document.documentElement.scrollWidth <= window.innerWidth"
    assert browser.js(wide) is True


def test_a_run_without_samples(opened):
    page = opened("nothing")
    assert page.selection() == "Whole run \u00b7 0 samples"
    assert page.text(".focus") == "Nothing was sampled here."
    for key in "l2313hmz+-":
        page.keys(key)


def test_a_profile_without_times_has_the_lower_half(opened):
    data = stalls()
    data.samples = [(0,) + sample[1:] for sample in data.samples]
    data.end = 0
    page = opened(data, "#v=lanes&t=0-1")
    assert not page.shown(".picture") and page.shown(".frames") and page.shown(".table")
    for key in "l2313hmz+-0[]":
        page.keys(key)
    assert page.rows()["all"] == [0, 1800]


def test_damaged_data_is_told(browser, tmp_path):
    """As tests/page/data.test.mjs has it for other damage."""
    page = Viewer(browser, write(stalls().packed()[:-100], tmp_path / "page.html"))
    assert page.text(".failure") == "The data in this page is damaged, or was cut off on its way."


@pytest.mark.parametrize("seed", range(6))
def test_changed_bytes_are_told_or_shown(browser, tmp_path, seed):
    """In the head or in the columns; what is drawn of them may be wrong, but it is drawn."""
    chance = random.Random(seed)
    data = bytearray(ALL["waits"]().packed())
    length, = struct.unpack_from("<I", data)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(4, 4 + length) if seed % 2 else chance.randrange(4 + length, len(data))
        data[at] = chance.choice(b"0129[]{},\"\x00\xff") if seed % 2 else chance.randrange(256)
    page = Viewer(browser, write(bytes(data), tmp_path / "page.html"))
    if not page.text(".failure"):
        for key in "l2m":
            page.keys(key)


def test_a_browser_that_cannot_unpack_is_told(browser, tmp_path):
    path = viewer(tmp_path, stalls())
    path.write_text(path.read_text(encoding="utf-8").replace(
        "<noscript>", "<script>delete window.DecompressionStream;</script><noscript>"), encoding="utf-8")
    page = Viewer(browser, path)
    assert "lacks DecompressionStream" in page.text(".failure")
