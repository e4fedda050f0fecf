"""The keyboard's way through what a search found, and what the status line names meanwhile."""

import pytest

from graph_page import Page, graph

FOCUSED = "return document.activeElement.getAttribute('aria-label')"


def test_enter_keeps_the_overview(browser, nested):
    page = Page(browser, nested)
    page.search("^read$|^idle$|^Run$")
    before = page.frames()
    browser.keys("Enter")
    assert {name: frame[:2] for name, frame in page.frames().items()} == \
        {name: frame[:2] for name, frame in before.items()}
    assert browser.js("return document.querySelectorAll('.frames .match').length") == 3
    assert page.matched() == "Matched: 40.0% in 3 frames"
    assert page.text(".details") == "all (100 samples, 100.00%)"
    assert browser.js("return document.activeElement.tagName") == "g"


def test_enter_again_walks_through_matches_the_widest_first(browser, nested):
    page = Page(browser, nested)
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


def test_n_walks_on_and_shift_n_back(browser, nested):
    page = Page(browser, nested)
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


def test_another_search_begins_at_its_own_widest(browser, nested):
    page = Page(browser, nested)
    page.search("lex")
    browser.keys("Enter")
    browser.keys("Enter")
    browser.keys("Escape")
    page.search("^run$")
    browser.keys("Enter")
    browser.keys("n")
    assert browser.js(FOCUSED) == "run (45 samples, 45.00%)"
    assert page.matched() == "Matched: 45.0%, 1 of 1"


def test_arrows_leave_the_walk_and_enter_zooms_again(browser, nested):
    page = Page(browser, nested)
    page.search("^read$")
    browser.keys("Enter")
    browser.keys("n")
    browser.keys("Down")
    assert browser.js(FOCUSED) == "run (45 samples, 45.00%)"
    browser.keys("Enter")
    assert "idle" not in page.frames() and "read" in page.frames()
    assert page.text(".details") == "run (45 samples, 45.00%)"


def test_nothing_found_stays_in_the_box(browser, nested):
    page = Page(browser, nested)
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


def test_a_match_outside_the_zoom_is_shown_in_the_whole_picture(browser, nested):
    page = Page(browser, nested)
    page.click("run")
    page.search("^parse$")
    browser.keys("Enter")
    assert "parse" not in page.frames()
    browser.keys("n")
    assert browser.js(FOCUSED) == "parse (40 samples, 40.00%)"
    assert "idle" in page.frames()


def test_a_resting_pointer_does_not_take_the_status_line_from_the_keyboard(browser, nested):
    page = Page(browser, nested)
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
