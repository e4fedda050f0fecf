"""What a page (--format html) tells of what it draws, and that all of it can be seen."""

import pytest

from page_profiles import labelled, stalls
from viewer_page import Viewer, viewer

GUTTER, RIGHT = 58, 8  # of the heatmap
MS = 1_000_000
PIXELS = """const [css, x, y, wide, high] = arguments, canvas = document.querySelector(css);
    const ratio = window.devicePixelRatio, context = canvas.getContext('2d');
    const { data } = context.getImageData(x * ratio, y * ratio, wide * ratio, high * ratio);
    return [...data]"""
COLOUR = """const one = document.createElement('canvas').getContext('2d');
    one.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0]);
    one.fillRect(0, 0, 1, 1);
    return [...one.getImageData(0, 0, 1, 1).data]"""


@pytest.fixture(scope="module", name="stalling")
def stalling_once(tmp_path_factory):
    return viewer(tmp_path_factory.mktemp("stalls"), stalls())


@pytest.fixture(scope="module", name="lines")
def lines_once(tmp_path_factory):
    data = labelled()
    data.files[0]["text"] = data.files[0]["text"].replace("line 9 of", "line 9, " + "which is long, " * 40 + "of")
    for at in range(60):  # rows of the table
        data.sample(at * MS, data.node("app", "main", f"small_{at}"))
    return viewer(tmp_path_factory.mktemp("lines"), data)


def heat_x(page, seconds, whole=24):
    width = page.browser.js("return document.querySelector('.picture').clientWidth") - GUTTER - RIGHT
    return GUTTER + seconds / whole * width


def colours(page, css, *box):
    found = page.browser.js(PIXELS, css, *(round(one) for one in box))
    return [tuple(found[at:at + 4]) for at in range(0, len(found), 4)]


def box_of(page, css):
    return page.browser.js("""const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return [box.top, box.bottom, window.innerHeight]""", css)


def wheel(page, css, **settings):
    """Whether the page keeps a turn of the wheel from scrolling."""
    prevented = page.browser.js("""const one = document.querySelector(arguments[0]);
        const box = one.getBoundingClientRect(), at = { clientX: box.left + 300, clientY: box.top + 9 };
        const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, ...at, ...arguments[1] });
        one.dispatchEvent(event);
        return event.defaultPrevented""", css, settings)
    page.settle()
    return prevented


def test_a_function_chosen_in_the_table_shows_its_lines(browser, lines):
    page = Viewer(browser, lines)
    page.click("tbody tr:nth-child(2)")
    top, bottom, high = box_of(page, ".source")
    row, _, _ = box_of(page, "tbody tr[aria-selected='true']")
    assert top < high - 150 and row >= 0 and (bottom <= high or row < 100)
    assert browser.js("""const list = document.querySelector('.lines');
        return list.scrollWidth <= list.clientWidth""")
    browser.js("scrollTo(0, 0)")
    page.keys("Escape")
    assert not page.shown(".source")


def test_a_function_chosen_in_the_graph_leads_to_its_lines(browser, lines):
    page = Viewer(browser, lines)
    assert not page.shown(".flame .bar > button:nth-of-type(2)")
    page.click_at(".frames", 20, 3 * 18 + 9)
    assert browser.js("return scrollY") == 0
    page.press("Source lines")
    top, _, high = box_of(page, ".source")
    assert 0 <= top < high - 150
