"""What a page (--format html) tells of what it draws, and that all of it can be seen."""

import random

import pytest

from page_profiles import labelled, moment, single
from viewer_page import GUTTER, RIGHT, heat_x

MS = 1_000_000
PIXELS = """const [css, x, y, wide, high] = arguments, canvas = document.querySelector(css);
    const ratio = window.devicePixelRatio, context = canvas.getContext('2d');
    const { data } = context.getImageData(x * ratio, y * ratio, wide * ratio, high * ratio);
    return [...data]"""
COLOUR = """const one = document.createElement('canvas').getContext('2d');
    one.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + arguments[0]);
    one.fillRect(0, 0, 1, 1);
    return [...one.getImageData(0, 0, 1, 1).data]"""


@pytest.fixture(scope="module", name="lines")
def lines_once():
    data = labelled()
    data.files[0]["text"] = data.files[0]["text"].replace("line 9 of", "line 9, " + "which is long, " * 40 + "of")
    for at in range(60):  # rows of the table
        data.sample(at * MS, data.node("app", "main", f"small_{at}"))
    return data


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


def test_a_cell_names_its_busiest_part(opened):
    page = opened("stalls")
    told = page.hover(".picture", heat_x(page, 5.5), 1 + 200 * (1 - .41))
    assert told == "5.40 s to 5.42 s: 2 samples, B 100.0%"
    page.choose("Time of a column", "Column: 10 s")
    told = page.hover(".picture", heat_x(page, 5.5), 1 + 200 * (1 - .05))
    assert told == "0.4 s to 0.6 s: 20 samples, A 75.0%"
    page.choose("Colour of the picture", "Colour: load")
    page.choose("Time of a column", "Column: automatic")
    page.focus(".picture")
    for name in ["Right"] * 6 + ["Up"] * 20:
        page.keys(name)
    assert page.text(".details") == "5.40 s to 5.42 s: 2 samples, B 100.0%"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_function_has_one_colour(browser, scheme, opened):
    """In the heatmap, the buttons above it, the flame graph and the table."""
    browser.scheme(scheme)
    page = opened("stalls")
    keys = page.browser.js("""return Object.fromEntries([...document.querySelectorAll('.keys button')].map(one =>
        [one.textContent.split(' ')[0], getComputedStyle(one.querySelector('i')).backgroundColor]))""")
    rows = page.browser.js("""return Object.fromEntries([...document.querySelectorAll('tbody td.name')].map(one =>
        [one.title, getComputedStyle(one.querySelector('i')).backgroundColor]))""")
    assert rows["B"] == keys["B"]
    strong = tuple(int(part) for part in keys["B"][4:-1].split(",")) + (255,)
    left = next(at for at in range(99) if page.frame(3, at / 100 + .005).startswith("B ")) / 100
    found = colours(page, ".frames canvas", left * page.frame_width() + 8, 3 * 18 + 1, 4, 2)
    assert set(found) == {strong}
    page.choose("Colour of the picture", "Colour: load")
    found = colours(page, ".frames canvas", left * page.frame_width() + 8, 3 * 18 + 1, 4, 2)
    assert strong not in found


def test_a_bar_of_a_lane_names_its_busiest_part(opened):
    page = opened("stalls", "#v=lanes&a=" + f"{5 * 10**9 // 1024}-{6 * 10**9 // 1024}")
    width = page.browser.js("return document.querySelector('.picture').clientWidth")
    gutter = round(min(max(width * .17, 120), 260))
    found = set()
    for part in range(60, 75):
        found.add(page.hover(".picture", gutter + (width - gutter - RIGHT) * (.3 + part / 500), 9))
    told = {text for text in found if "1 sample," in text}
    assert told and all(text.endswith("app (100): 1 sample, B 100.0%") and " s to 5.4" in text for text in told)


def test_the_line_at_the_bottom_is_of_the_picture_that_is_shown(opened):
    page = opened("stalls")
    assert page.hover(".picture", heat_x(page, 5.5), 100)
    page.keys("l")
    assert page.text(".details") == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_selection_is_seen_on_every_colour(browser, scheme, opened):
    browser.scheme(scheme)
    page = opened("stalls")
    other = heat_x(page, 9.5), 100, 6, 20
    before = colours(page, ".picture", *other)
    page.click_at(".picture", heat_x(page, 5.5), 100)
    assert all(one != old for one, old in zip(colours(page, ".picture", *other), before))
    inside = colours(page, ".picture", heat_x(page, 5.5), 100, 6, 20)
    assert set(inside) <= set(before)  # the same parts, as they were
    edge = set(colours(page, ".picture", heat_x(page, 5) - 5, 50, 10, 1))
    assert {tuple(browser.js(COLOUR, name)) for name in ("chosen", "back")} <= edge


def test_the_wheel_scrolls_the_page_where_it_does_not_zoom(opened):
    page = opened("stalls")
    assert not wheel(page, ".picture", deltaY=120)  # the whole run is shown
    assert not wheel(page, ".picture", deltaX=120)
    assert wheel(page, ".picture", deltaY=-120)
    assert wheel(page, ".picture", deltaY=120)
    assert wheel(page, ".picture", deltaY=120, ctrlKey=True)
    for _ in range(200):
        if not wheel(page, ".picture", deltaY=-1000):
            break
    else:
        pytest.fail("zooming in has no end")
    at = page.fragment()
    wheel(page, ".picture", deltaY=-1000)
    assert page.fragment() == at


def test_a_zoom_to_the_start_of_the_run_ends_soon_after_the_selection(opened):
    second = 10**9 // 1024
    page = opened("stalls", f"#t=0-{10 * second}")
    page.keys("z")
    assert page.fragment().endswith(f"a=0-{11 * second}")


def test_a_search_moves_nothing(opened):
    for view in ("heat", "lanes"):
        page = opened("stalls", f"#v={view}")
        before = box_of(page, ".picture"), box_of(page, ".flame")
        page.keys("/")
        page.type("A")
        assert page.text(".matched").startswith("Matched")
        assert (box_of(page, ".picture"), box_of(page, ".flame")) == before


def test_a_function_that_always_does_the_same_is_one_part(opened):
    """One whose callees take turns is split, and all that there is, even if it does not change."""
    chance = random.Random(8)
    for phases, expected in ((True, {"steady", "first", "second"}), (False, {"a", "b", "c"})):
        data = single("Parts", 20)
        steady = [data.node("app", "main", "run", "steady", name) for name in "abc"]
        turns = [data.node("app", "main", "run", "turns", name) for name in ("first", "second")]
        for step in range(4000):
            node = turns[step // 500 % 2] if phases and step % 3 == 0 else chance.choice(steady)
            data.sample(step * 5 * MS, node, events=5 * MS)
        page = opened(data)
        assert {text.split(" ")[0] for text in page.texts(".keys button")} == expected


def test_keys_say_what_their_share_is_of(browser, opened):
    data = single("Parts", 10)
    nodes = [data.node("app", "main", *path) for path in (["work"], ["work", "a"], ["work", "b"], ["rest"])]
    for step in range(1000):
        data.sample(step * 10 * MS, nodes[step % 4], events=10 * MS)
    page = opened(data)
    titles = dict(zip(page.texts(".keys button"),
                      browser.js("return [...document.querySelectorAll('.keys button')].map(one => one.title)")))
    assert titles["rest 25.0%"] == \
        "Choose this function. 25.0% of the whole run is in it and in what it calls"
    assert titles["work 25.0%"].endswith("in what it calls, without the other parts that are named here")


def test_the_load_of_a_short_run_is_no_comb(browser, opened):
    page = opened(moment())
    load, width = tuple(browser.js(COLOUR, "load")), 1000
    for x in (GUTTER + 30, GUTTER + 400):
        assert set(colours(page, ".axis", x, 12, width // 3, 4)) == {load}


def test_a_function_chosen_in_the_table_shows_its_lines(browser, lines, opened):
    page = opened(lines)
    page.click("tbody tr:nth-child(2)")
    top, bottom, high = box_of(page, ".source")
    row, _, _ = box_of(page, "tbody tr[aria-selected='true']")
    assert top < high - 150 and row >= 0 and (bottom <= high or row < 100)
    assert browser.js("""const list = document.querySelector('.lines');
        return list.scrollWidth <= list.clientWidth""")
    browser.js("scrollTo(0, 0)")
    page.keys("Escape")
    assert not page.shown(".source")


def test_a_function_chosen_in_the_graph_leads_to_its_lines(browser, lines, opened):
    page = opened(lines)
    assert not page.shown(".flame .bar > button:nth-of-type(2)")
    page.click_at(".frames", 20, 3 * 18 + 9)
    assert browser.js("return scrollY") == 0
    page.press("Source lines")
    top, _, high = box_of(page, ".source")
    assert 0 <= top < high - 150


def test_help_lists_all_that_escape_leaves(opened):
    page = opened("stalls")
    page.keys("?")
    assert "help, search, callers and callees, zoom, choice of a function, selection" in page.text(".help")
