"""What a reader sees of a flame graph: names that can be told apart, whole notes, times in units one
can picture, a title that stays, colours on paper, and the foot of what is higher than the window."""

import base64
import html
import re
import subprocess
import tempfile

import pytest

from browser import chromium
from graph_page import Page, graph, luminance, top

TREE = "std::_Rb_tree<std::string, std::pair<std::string const, std::vector<int> > >::_M_insert(int const&)"


def label_of(browser, folder, name, width):
    """The one label of a frame that has the window to itself."""
    page = Page(browser, graph(folder, f"app;{name} 1\n"), size=(width, 500))
    label, = [text for text in page.labels() if text not in ("all", "app")]
    return label


def test_a_name_without_room_loses_its_arguments_first(browser, tmp_path):
    """As tests/page/words.test.mjs has it for more names."""
    assert label_of(browser, tmp_path, TREE, 325) == "std::_Rb_tree<…>::_M_insert(int const&)"


def test_names_of_waiting_code_are_its_own(browser, tmp_path):
    page = Page(browser, graph(tmp_path, "app;[off-CPU];main;read 3\napp;[on-CPU];main 1\n"))
    assert sorted(page.labels()) == ["[off-CPU]", "[on-CPU]", "all", "app", "main", "main", "read"]
    browser.hover(page.element("read"))
    assert page.text(".details") == "read (3 samples, 75.00%), off the processor"
    page.search("^read$")
    assert page.matched() == "Matched: 75.0%"


def test_functions_of_scripts_go_by_their_own_names(browser, tmp_path):
    name = "json.decoder.JSONDecoder.decode"
    page = Page(browser, graph(tmp_path, f"python3;main;eval;{name}_[p];scan 3\n"
                               "python3;main;eval;<module>_[p] 1\n"))
    assert sorted(page.labels()) == ["<module>", "all", "eval", name, "main", "python3", "scan"]
    browser.hover(page.element(name))
    assert page.text(".details") == f"{name} (3 samples, 75.00%), interpreted"
    page.search("[.]decode$")
    assert page.matched() == "Matched: 75.0%"


def test_a_name_from_right_to_left_does_not_turn_its_numbers_round(browser, tmp_path):
    page = Page(browser, graph(tmp_path, "app;שלום;عالم 10\napp;plain 2\n"))
    labels = browser.js("""return [...document.querySelectorAll('.frames g')].map(
        g => g.getAttribute('aria-label'))""")
    assert "\u2068שלום\u2069 (10 samples, 83.33%)" in labels
    assert "plain (2 samples, 16.67%)" in labels
    page.search("^عالم$")
    assert page.matched() == "Matched: 83.3%"


@pytest.mark.parametrize("width", [400, 800, 1280])
def test_notes_take_as_many_lines_as_they_need(browser, tmp_path, width):
    notes = "task-clock, 999 Hz; 123456 samples of 12 processes by sigtrap and timer; 17 lost"
    page = Page(browser, graph(tmp_path, "app;main 1\n", "--notes", notes), size=(width, 500))
    assert page.text(".notes") == notes
    lines = browser.js("""return [...document.querySelectorAll('.notes tspan')].map(
        line => { const box = line.getBoundingClientRect(); return [box.top, box.bottom, box.right]; })""")
    first = browser.js("""return Math.min(...[...document.querySelectorAll(
        '.frames rect, .tools.below')].map(one => one.getBoundingClientRect().top))""")
    assert all(right <= width for _, _, right in lines) and lines[-1][1] <= first + 1
    assert all(lines[i][0] < lines[i + 1][0] for i in range(len(lines) - 1))


def test_the_title_stays_when_the_picture_is_higher_than_the_window(browser, tmp_path):
    deep = ";".join(f"f{i}" for i in range(500))
    page = Page(browser, graph(tmp_path, f"{deep} 1\n", "--title", "Deep & long"))
    title = """const bar = document.querySelector('.tools'), box = bar.getBoundingClientRect();
        return [box.top, box.left, box.width, getComputedStyle(bar).backgroundColor]"""
    browser.click(browser.find(".more button"))
    browser.until(lambda: browser.js(title)[:3] == [0, 0, 1200])
    assert luminance(browser.js(title)[3]) > .9
    assert page.text(".tools .title") == "Deep & long"
    assert browser.js("return document.querySelector('.tools .title').hidden") is False
    browser.js("window.scrollTo(0, 0)")
    browser.until(lambda: browser.js("return document.querySelector('.tools .title').hidden"))
    browser.js("window.scrollTo(0, 3000)")
    browser.until(lambda: not browser.js("return document.querySelector('.tools .title').hidden"))


def test_paper_gets_light_colours_and_no_controls(browser, tmp_path):
    page = Page(browser, graph(tmp_path, "app;main 1\n"))
    browser.cdp("Emulation.setEmulatedMedia", media="print",
                features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        assert luminance(browser.js("return getComputedStyle(document.querySelector('.paper')).fill")) > .9
        shown = """return [...document.querySelectorAll('.chrome')].filter(
            one => getComputedStyle(one).display !== 'none').length"""
        assert browser.js(shown) == 0
    finally:
        browser.cdp("Emulation.setEmulatedMedia", media="", features=[])
    assert browser.js(shown) == 2
    browser.js("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.js("return document.documentElement.getAttribute('viewBox')").startswith("0 0 1200 ")
    assert all('attribute height: Expected length, "auto"' in line for line in browser.errors())
    browser.js("window.dispatchEvent(new Event('afterprint'))")
    assert browser.js("return document.documentElement.getAttribute('viewBox')") is None
    assert page.frames()["main"][1] == pytest.approx(1180, abs=1)


def test_nothing_moves_by_itself(browser, tmp_path):
    Page(browser, graph(tmp_path, "app;main 1\n"))
    moving = browser.js("""return [...document.querySelectorAll('*')].map(one => getComputedStyle(one)).filter(
        style => style.animationName !== 'none' || style.transitionDuration !== '0s' ||
            style.scrollBehavior === 'smooth').length""")
    assert moving == 0


def test_one_frame_and_one_sample_are_told_as_one(browser, tmp_path):
    page = Page(browser, graph(tmp_path, "app 1\n"))
    assert sorted(page.labels()) == ["all", "app"]
    assert page.text(".details") == "all (1 sample, 100.00%)"
    page.click("app")
    assert page.text(".details") == "app (1 sample, 100.00%)"


def test_the_picture_without_script_cuts_names_as_the_script_does(browser, tmp_path):
    names = [TREE, "libsqlite3_and_a_long_suffix.so.0@0x1a2b0", "x" * 300,
             "f(std::vector<int>, std::vector<int>, std::vector<int>)->decltype(g<int>())",
             "operator<< <std::char_traits<char> >(std::ostream&, char const*, char const*)",
             "日本語の関数名テスト日本語の関数名テスト日本語の関数名テスト"]
    path = graph(tmp_path, "".join(f"app;{name} 10\n" for name in names))
    still = re.findall(r"<text x=\"[^\"]*\" y=\"[^\"]*\">([^<]*)</text></g>", path.read_text())
    page = Page(browser, path)
    cell = browser.js("""const text = document.querySelector('.frames text');
        return text.getComputedTextLength() / text.textContent.length""")
    room = 1180 / len(names) - 6
    if room // cell == room // 6.65:  # with another font names are cut elsewhere
        assert sorted(page.labels()) == sorted(html.unescape(label) for label in still)
    assert len(still) == len(names) + 2


# A picture that is higher than the window begins at its foot, and shows the rest when asked

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


def test_a_zoom_into_what_was_left_out_shows_it(browser, tmp_path):
    Page(browser, graph(tmp_path, DEEP), f"#x=0&y={DEPTH - 10}")
    assert browser.js(f"return !!document.querySelector('.frames g[aria-level=\"{DEPTH - 9}\"]')")
    assert more(browser) == ""


def test_arrows_lead_into_what_was_left_out(browser, tmp_path):
    Page(browser, graph(tmp_path, DEEP))
    shown = rows(browser)
    browser.js("document.querySelector('.frames g[tabindex=\"0\"]').focus()")
    browser.keys(*["Up"] * (shown + 2))
    assert rows(browser) == DEPTH + 1
    assert browser.js("return Number(document.activeElement.getAttribute('aria-level'))") == shown + 3


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
