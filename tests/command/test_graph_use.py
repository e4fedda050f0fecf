"""What a reader does with a flame graph in a browser: zoom, search, keyboard, links, and the walk
through what a search found."""

import pytest

import browser as browsers
from graph_page import Page, graph, top


@pytest.fixture
def page(browser, nested):
    return Page(browser, nested)


def test_click_zooms_and_a_faded_ancestor_zooms_out(page):
    page.click("run")
    frames = page.frames()
    assert set(frames) == {"all", "app", "main", "run", "read"}
    assert frames["run"][1] == pytest.approx(1180, abs=1)
    assert frames["read"][1] == pytest.approx(1180 * 25 / 45, abs=1)
    assert frames["main"][2] == "faded" and frames["run"][2] == ""
    page.click("main")
    frames = page.frames()
    assert frames["main"][1] == pytest.approx(1180, abs=1)
    assert "parse" in frames and "idle" not in frames


def test_reset_zoom_shows_everything(browser, page):
    reset = browser.find(".tools button")
    assert browser.js("return arguments[0].hidden", {browsers.ELEMENT: reset}) is True
    page.click("run")
    assert page.text(".tools button") == "Reset zoom"
    browser.click(reset)
    assert "idle" in page.frames()
    assert browser.js("return arguments[0].hidden", {browsers.ELEMENT: reset}) is True


def test_hover_tells_name_count_share_and_kind(browser, page):
    assert page.text(".details") == "all (100 samples, 100.00%)"
    browser.hover(page.element("read"))
    assert page.text(".details") == "read (25 samples, 25.00%), kernel"
    browser.hover(page.element("lex"))
    assert page.text(".details") == "lex (40 samples, 40.00%)"
    titles = browser.js("return [...document.querySelectorAll('.frames title')].map(t => t.textContent)")
    assert "read (25 samples, 25.00%), kernel" in titles


def test_search_counts_nested_matches_once(browser, page):
    page.search("parse|lex")
    assert page.matched() == "Matched: 40.0%"
    colours = browser.js("""return [...document.querySelectorAll('.frames g.match rect')].map(
        rect => getComputedStyle(rect).fill)""")
    assert colours == ["rgb(230, 0, 230)"] * 4


@pytest.mark.parametrize("pattern, matched", [
    ("^read$", "Matched: 25.0%"), (r"_\[k\]$", "Matched: 25.0%"), ("nothing", "Matched: 0.0%"),
    ("(run", "Not a regular expression: Unterminated group"), ("(run)", "Matched: 45.0%")])
def test_search_is_a_regular_expression_on_name_and_suffix(page, pattern, matched):
    page.search(pattern)
    assert page.matched() == matched


def test_search_again_resets_it(browser, page):
    page.search("run")
    assert page.matched() == "Matched: 45.0%"
    browser.keys("Control", "f")
    assert page.matched() == ""
    assert browser.js("return document.querySelectorAll('.match').length") == 0
    browser.keys("F3")
    browser.type("idle")
    assert page.matched() == "Matched: 10.0%"
    browser.keys("F3")
    assert page.matched() == ""


def test_the_search_button_focuses_then_resets(browser, page):
    button = browser.find(".tools button:last-child")
    browser.click(button)
    browser.type("idle")
    assert page.matched() == "Matched: 10.0%"
    assert page.text(".tools button:last-child") == "Reset search"
    browser.click(button)
    assert page.matched() == ""


def test_case_is_ignored_on_request(browser, page):
    page.search("^run$")
    assert page.matched() == "Matched: 45.0%"
    browser.keys("Control", "i")
    assert page.matched() == "Matched: 50.0%"
    assert browser.js("return document.querySelector('[aria-pressed]').ariaPressed") == "true"
    browser.click(browser.find(".tools button[aria-pressed]"))
    assert page.matched() == "Matched: 45.0%"


def test_a_match_is_told_of_the_zoomed_part_and_of_all(page):
    page.search("read")
    page.click("run")
    assert page.matched() == "Matched: 55.6% here, 25.0% of all"


def test_the_url_holds_zoom_and_search(browser, nested, page):
    page.click("parse")
    page.search("a&b=c|lex")
    browser.keys("Control", "i")
    link = page.fragment()
    again = Page(browser, nested, link)
    assert again.frames()["parse"][1] == pytest.approx(1180, abs=1)
    assert "run" not in again.frames()
    assert browser.js("return document.querySelector('input').value") == "a&b=c|lex"
    assert again.matched() == "Matched: 100.0% here, 40.0% of all"
    assert browser.js("return document.querySelector('[aria-pressed]').ariaPressed") == "true"


def test_back_and_forward_walk_through_what_was_seen(browser, page):
    page.click("main")
    page.click("run")
    assert "parse" not in page.frames()
    browser.call("POST", "/back")
    browser.until(lambda: "parse" in page.frames())
    assert "idle" not in page.frames()
    browser.call("POST", "/back")
    browser.until(lambda: "idle" in page.frames())
    browser.call("POST", "/forward")
    browser.until(lambda: "idle" not in page.frames())


@pytest.mark.parametrize("fragment", ["#x=9999&y=2", "#x=1&y=-4", "#y=1", "#s=%", "#%%%&&==",
                                      "#x=NaN&y=Infinity", "#s=%28", "#x=0&y=0"])
def test_a_damaged_link_shows_everything(browser, nested, fragment):
    page = Page(browser, nested, fragment)
    assert page.frames()["all"][1] == pytest.approx(1180, abs=1)
    assert "idle" in page.frames()


def test_text_is_clipped_and_fitted_again_on_resize(browser, tmp_path):
    name = "a_function_with_a_name_that_is_longer_than_its_frame"
    page = Page(browser, graph(tmp_path, f"app;{name} 40\napp;z 60\n"), size=(400, 600))
    clipped = [label for label in page.labels() if label.startswith("a_f")]
    assert len(clipped) == 1 and clipped[0].endswith("..") and name.startswith(clipped[0][:-2])
    browser.resize(2400, 600)
    browser.until(lambda: name in page.labels())
    assert page.frames()["all"][1] == pytest.approx(2380, abs=1)


def test_arrow_keys_move_and_enter_zooms(browser, page):
    focused = "return document.activeElement.getAttribute('aria-label')"
    browser.js("document.querySelector('.frames g[tabindex=\"0\"]').focus()")
    assert browser.js(focused) == "all (100 samples, 100.00%)"
    browser.keys("Up")
    browser.keys("Up")
    assert browser.js(focused) == "main (90 samples, 90.00%)"
    browser.keys("Left")
    assert browser.js(focused) == "idle (10 samples, 10.00%)"
    browser.keys("Right")
    browser.keys("Enter")
    assert "idle" not in page.frames()
    assert browser.js(focused) == "main (90 samples, 90.00%)"
    browser.keys("Down")
    assert browser.js(focused) == "app (100 samples, 100.00%)"
    assert page.text(".details") == "app (100 samples, 100.00%)"
    browser.keys("Escape")
    assert "idle" in page.frames()


def test_one_frame_is_reached_by_tab(browser, page):
    stops = "return document.querySelectorAll('.frames g[tabindex=\"0\"]').length"
    assert browser.js(stops) == 1
    page.click("run")
    browser.keys("Up")
    assert browser.js(stops) == 1


def test_zooming_leaves_the_outermost_frame_where_it_is(browser, page):
    before = top(browser, "all")
    page.click("idle")
    assert top(browser, "all") == before


# The keyboard's way through what a search found, and what the status line names meanwhile

FOCUSED = "return document.activeElement.getAttribute('aria-label')"


def test_enter_keeps_the_overview(browser, page):
    page.search("^read$|^idle$|^Run$")
    before = page.frames()
    browser.keys("Enter")
    assert {name: frame[:2] for name, frame in page.frames().items()} == \
        {name: frame[:2] for name, frame in before.items()}
    assert browser.js("return document.querySelectorAll('.frames .match').length") == 3
    assert page.matched() == "Matched: 40.0% in 3 frames"
    assert page.text(".details") == "all (100 samples, 100.00%)"
    assert browser.js("return document.activeElement.tagName") == "g"


def test_enter_again_walks_through_matches_the_widest_first(browser, page):
    page.search("^read$|^idle$|^Run$")
    browser.keys("Enter")
    walked = []
    for _ in range(4):
        browser.keys("Enter")
        walked.append((browser.js(FOCUSED), page.matched()))
    assert walked == [("read (25 samples, 25.00%), kernel", "Matched: 40.0%, 1 of 3"),
                      ("idle (10 samples, 10.00%)", "Matched: 40.0%, 2 of 3"),
                      ("Run (5 samples, 5.00%)", "Matched: 40.0%, 3 of 3"),
                      ("read (25 samples, 25.00%), kernel", "Matched: 40.0%, 1 of 3")]
    assert "idle" in page.frames(), "nothing is zoomed: all three can be seen"


def test_n_walks_on_and_shift_n_back(browser, page):
    page.search("lex")
    browser.keys("Enter")
    browser.keys("n")
    assert browser.js(FOCUSED) == "lex (40 samples, 40.00%)"
    browser.keys("n")
    assert browser.js(FOCUSED) == "lex (30 samples, 30.00%)"
    browser.keys("Shift", "N")
    assert browser.js(FOCUSED) == "lex (40 samples, 40.00%)"
    browser.keys("Shift", "N")
    assert browser.js(FOCUSED) == "lex (30 samples, 30.00%)"
    browser.keys("Escape")
    assert page.matched() == ""
    browser.keys("n")
    assert browser.js(FOCUSED) == "lex (30 samples, 30.00%)", "without a search N does nothing"


def test_another_search_begins_at_its_own_widest(browser, page):
    page.search("lex")
    browser.keys("Enter")
    browser.keys("Enter")
    browser.keys("Escape")
    page.search("^run$")
    browser.keys("Enter")
    browser.keys("n")
    assert browser.js(FOCUSED) == "run (45 samples, 45.00%)"
    assert page.matched() == "Matched: 45.0%, 1 of 1"


def test_arrows_leave_the_walk_and_enter_zooms_again(browser, page):
    page.search("^read$")
    browser.keys("Enter")
    browser.keys("n")
    browser.keys("Down")
    assert browser.js(FOCUSED) == "run (45 samples, 45.00%)"
    browser.keys("Enter")
    assert "idle" not in page.frames() and "read" in page.frames()
    assert page.text(".details") == "run (45 samples, 45.00%)"


def test_nothing_found_stays_in_the_box(browser, page):
    page.search("nothing")
    browser.keys("Enter")
    browser.keys("!")
    assert browser.js("return document.querySelector('input').value") == "nothing!"
    assert page.matched() == "Matched: 0.0%"


def test_a_match_too_narrow_to_see_is_shown_beside_its_siblings(browser, tmp_path):
    page = Page(browser, graph(tmp_path, "app;part;x 1\napp;part;y 9\napp;rest 10000\n"))
    page.search("^x$")
    browser.keys("Enter")
    assert "x" not in page.frames()
    browser.keys("Enter")
    frames = page.frames()
    assert frames["part"][1] == pytest.approx(1180, abs=1)
    assert frames["x"][1] == pytest.approx(118, abs=1)
    assert page.text(".details").startswith("x (1 sample")


def test_a_match_outside_the_zoom_is_shown_in_the_whole_picture(browser, page):
    page.click("run")
    page.search("^parse$")
    browser.keys("Enter")
    assert "parse" not in page.frames()
    browser.keys("n")
    assert browser.js(FOCUSED) == "parse (40 samples, 40.00%)"
    assert "idle" in page.frames()


def test_a_resting_pointer_does_not_take_the_status_line_from_the_keyboard(browser, page):
    browser.hover(page.element("lex"))
    browser.js("document.querySelector('.frames g[tabindex=\"0\"]').focus()")
    for key in ("Up", "Up", "Up", "Enter"):
        browser.keys(key)
    assert browser.js(FOCUSED) == "run (45 samples, 45.00%)"
    assert "lex" not in page.frames(), "another frame, read, is below the pointer now"
    settle = "return new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))"
    browser.js(settle)
    assert page.text(".details") == "run (45 samples, 45.00%)"
    browser.hover(page.element("main"))
    assert page.text(".details") == "main (90 samples, 90.00%)", "a pointer that moves is heard"


def test_the_status_line_names_the_match_after_a_zoom_to_its_siblings(browser, tmp_path):
    page = Page(browser, graph(tmp_path, "app;part;x 1\napp;part;y 9\napp;rest 10000\n"))
    page.search("^x$")
    browser.keys("Enter")
    browser.keys("n")
    browser.keys("Control", "i")
    assert page.text(".details").startswith("x (1 sample")
