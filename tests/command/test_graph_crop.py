"""A picture that is higher than the window begins at its foot, and shows the rest when asked."""

import base64
import subprocess
import tempfile

from browser import chromium
from graph_page import Page, graph, top

DEPTH = 200
DEEP = ";".join(f"f{i}" for i in range(DEPTH)) + " 3\nf0;other 1\n"
FOOT = """return document.querySelector('.frames g').getBoundingClientRect().bottom
    < window.innerHeight && window.scrollY"""


def rows(browser):
    return browser.js("return new Set([...document.querySelectorAll('.frames rect')]"
                      ".map(rect => rect.getAttribute('y'))).size")


def more(browser):
    return browser.js("""const more = document.querySelector('.more');
        return more.checkVisibility() ? more.textContent : ''""")


def test_what_fits_is_shown_and_the_rest_is_a_click_away(browser, tmp_path):
    page = Page(browser, graph(tmp_path, DEEP))
    shown = rows(browser)
    assert browser.js(FOOT) == 0
    assert more(browser) == f"\u25b2 {DEPTH + 1 - shown} more rows"
    assert browser.js("return document.documentElement.getBoundingClientRect().height"
                      " <= window.innerHeight")
    browser.click(browser.find(".more button"))
    assert rows(browser) == DEPTH + 1
    assert more(browser) == ""
    assert 600 < top(browser, "other") < 800  # the foot is still what is seen
    assert browser.js("return window.scrollY") > 0
    assert page.matched() == ""
    assert browser.errors() == []


def test_a_search_and_page_up_show_the_whole_picture(browser, tmp_path):
    path = graph(tmp_path, DEEP)
    page = Page(browser, path)
    page.search("^f150$")
    assert rows(browser) == DEPTH + 1
    assert page.matched() == "Matched: 75.0%"
    Page(browser, path, size=(1200, 790))
    assert more(browser)
    browser.js("document.dispatchEvent(new KeyboardEvent('keydown', "
               "{ key: 'PageUp', bubbles: true }))")
    assert rows(browser) == DEPTH + 1
    Page(browser, path, "#s=f150", size=(1200, 780))
    assert rows(browser) == DEPTH + 1
    assert browser.errors() == []


def test_a_zoom_into_what_was_left_out_shows_it(browser, tmp_path):
    Page(browser, graph(tmp_path, DEEP), f"#x=0&y={DEPTH - 10}")
    assert browser.js(f"return !!document.querySelector('.frames g[aria-level=\"{DEPTH - 9}\"]')")
    assert more(browser) == ""
    assert browser.errors() == []


def test_arrows_lead_into_what_was_left_out(browser, tmp_path):
    Page(browser, graph(tmp_path, DEEP))
    shown = rows(browser)
    browser.js("document.querySelector('.frames g[tabindex=\"0\"]').focus()")
    browser.keys(*["Up"] * (shown + 2))
    assert rows(browser) == DEPTH + 1
    assert browser.js("return Number(document.activeElement.getAttribute('aria-level'))") == shown + 3
    assert browser.errors() == []


def test_an_icicle_and_a_low_picture_are_whole(browser, tmp_path):
    Page(browser, graph(tmp_path, DEEP, "--inverted", name="icicle"))
    assert (rows(browser), more(browser)) == (DEPTH + 1, "")
    Page(browser, graph(tmp_path, "a;b;c 1\n", name="low"))
    assert (rows(browser), more(browser)) == (4, "")


def test_a_browser_without_a_window_takes_a_picture_of_it(browser, tmp_path):
    path = graph(tmp_path, DEEP)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        subprocess.run([chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                        "--disable-background-networking", "--disable-sync", "--disable-quic",
                        f"--user-data-dir={profile}", "--window-size=800,600",
                        f"--screenshot={tmp_path / 'shot.png'}", path.as_uri()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser.open("about:blank")
    picture = browser.decoded(base64.b64encode((tmp_path / "shot.png").read_bytes()).decode())
    coloured = sum(1 for line in picture for pixel in line if max(pixel) - min(pixel) > 60)
    assert coloured > 800 * 600 // 3
