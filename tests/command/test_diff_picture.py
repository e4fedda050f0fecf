"""The picture of a comparison: significant changes have a colour, and both sides can be seen."""

import re

import pytest

from graph_page import Page
from launching import flametrap

BEFORE = "app;main;same 4000\napp;main;shrinks 4000\napp;main;unsure 900\napp;main;gone;inside 2000\n"
AFTER = "app;main;same 4000\napp;main;shrinks 2000\napp;main;unsure 930\napp;main;grows 3000\n"

FILLS = """return Object.fromEntries([...document.querySelectorAll('.frames g[aria-label]')].map(
    g => [g.getAttribute('aria-label').split(' ')[0],
          getComputedStyle(g.querySelector('rect')).fill]))"""


@pytest.fixture(name="picture", scope="module")
def _picture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    (folder / "before.folded").write_text(BEFORE)
    (folder / "after.folded").write_text(AFTER)
    done = flametrap("diff", "before.folded", "after.folded", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "after.diff.svg"


def channels(colour):
    return [int(value) for value in re.findall(r"\d+", colour)[:3]]


def widths(browser):
    return browser.js("""return Object.fromEntries([...document.querySelectorAll('.frames g[aria-label]')]
        .map(g => [g.getAttribute('aria-label').split(' ')[0],
                   Number(g.querySelector('rect').getAttribute('width'))]))""")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_more_is_red_less_is_blue_and_what_is_not_sure_grey(browser, picture, scheme):
    page = Page(browser, picture)
    browser.scheme(scheme)
    fills = browser.js(FILLS)
    red, _, blue = channels(fills["grows"])
    assert red > blue + 60
    red, _, blue = channels(fills["shrinks"])
    assert blue > red + 40
    for name in ("same", "unsure"):
        assert max(channels(fills[name])) - min(channels(fills[name])) < 12
    assert "gone" not in fills
    page.browser.hover(page.element("unsure"))
    told = page.text(".details")
    assert told.startswith("unsure (before 900 samples, 8.26%; after 930 samples, 9.37%; change "
                           "+30 samples, +3.33%, 99% interval -"), told
    assert told.endswith(", not significant)")
    assert browser.errors() == []


def test_the_picture_tells_the_same_with_and_without_script(browser, picture):
    still = set(re.findall(r"<title>(\w+ \(before [^<]*)</title>", picture.read_text()))
    Page(browser, picture)
    live = set(browser.js("""return [...document.querySelectorAll('.frames g[aria-label]')].map(
        g => g.getAttribute('aria-label'))"""))
    assert live == still and len(live) == 7


def test_what_is_gone_is_seen_in_the_widths_before(browser, picture):
    Page(browser, picture)
    legend = browser.js("return document.querySelector('.legend').textContent")
    assert "1 frame is gone: choose widths: before" in legend and "99% confidence" in legend
    browser.js("document.querySelector('.tools select').focus()")
    browser.keys("Down")
    browser.until(lambda: "gone" in widths(browser))
    shown = widths(browser)
    assert "grows" not in shown and shown["gone"] == pytest.approx(shown["shrinks"] / 2, abs=1)
    assert "#c=widths" in browser.js("return location.hash")


def test_a_link_zoom_and_search_hold_for_both_sides(browser, picture):
    page = Page(browser, picture, "#c=widths%3A%20before&s=gone")
    assert page.text(".matched").startswith("Matched: 18.3%")
    page = Page(browser, picture, "#s=grows%7Cgone")
    assert page.text(".matched").startswith("Matched: 30.2%")
    browser.js("""[...document.querySelectorAll('.frames g')].find(
        g => g.getAttribute('aria-label')?.startsWith('grows')).dispatchEvent(
        new MouseEvent('click', { bubbles: true }))""")
    assert widths(browser)["grows"] > 100


def vision(colour, kind):
    """The colour as eyes without one sort of cones see it (Vienot, Brettel and Mollon 1999)."""
    red, green, blue = [(value / 255) ** 2.2 for value in channels(colour)]
    if kind == "protan":
        red, green = .11238 * red + .88762 * green, .11238 * red + .88762 * green
        blue = .00401 * red - .00401 * green + blue
    elif kind == "deutan":
        red, green = .29275 * red + .70725 * green, .29275 * red + .70725 * green
        blue = -.02234 * red + .02234 * green + blue
    return [max(value, 0) ** (1 / 2.2) * 255 for value in (red, green, blue)]


@pytest.mark.parametrize("kind", ["all", "protan", "deutan"])
@pytest.mark.parametrize("palette", ["hot", "safe"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_three_colours_are_told_apart(browser, picture, tmp_path, scheme, palette, kind):
    done = flametrap("diff", picture.parent / "before.folded", picture.parent / "after.folded", "--colors",
                     palette, "-o", "x.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    Page(browser, tmp_path / "x.svg")
    browser.scheme(scheme)
    fills = browser.js(FILLS)
    seen = [vision(fills[name], kind) for name in ("grows", "shrinks", "same")]
    for i, one in enumerate(seen):
        for other in seen[:i]:
            assert sum((a - b) ** 2 for a, b in zip(one, other)) ** .5 > 25, (fills, seen)


def test_the_title_of_several_runs_names_both_sides(tmp_path):
    """Folders and files of long names must not push the side after out of the title."""
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    for name in ("old0", "old1", "old2", "new0", "new1"):
        (folder / name).write_text("app;main 10\n")
    done = flametrap("diff", "--before", *sorted(folder.glob("old?")), "--after", *sorted(folder.glob("new?")),
                     "-o", "x.svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ">old0 and 2 more \u2192 new0 and 1 more<" in (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "variation between runs is unknown" not in (tmp_path / "x.svg").read_text(encoding="utf-8")
    flametrap("diff", folder / "old0", folder / "new0", "-o", "x.svg", cwd=tmp_path, check=True)
    assert "variation between runs is unknown" in (tmp_path / "x.svg").read_text(encoding="utf-8")
