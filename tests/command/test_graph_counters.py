"""One picture of several counters or threads: the reader chooses which counter, and stays where
they are; threads stay apart when stacks are turned round."""

import pytest

from graph_page import Page, choose, chosen, graph
from running import Folded, Profiler, program

EVENTS = "task-clock,page-faults"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Where a run with two counters left its files."""
    folder = tmp_path_factory.mktemp("counters")
    result, files = Profiler(folder).launched(
        ["-e", EVENTS], [program("xz"), "-1", "-k", "-c", "/usr/bin/perl"])
    assert result.status == 0
    assert sorted(files) == ["profile.html", "profile.page-faults.folded", "profile.page-faults.svg",
                             "profile.svg", "profile.task-clock.folded",
                             "profile.task-clock.svg"]
    where, = folder.iterdir()
    return where


def folded(written, counter):
    return Folded((written / f"profile.{counter}.folded").read_text(encoding="utf-8"))


def total(page):
    """The value of the whole, as it is said of the outermost frame."""
    text = page.browser.js(
        "return document.querySelector('.frames g[aria-level=\"1\"]').getAttribute('aria-label')")
    return int(text.split("(")[1].split(" ")[0].replace(",", ""))


def test_the_menu_has_every_counter_and_each_has_its_own_values(browser, written):
    page = Page(browser, written / "profile.svg")
    options = browser.js("return [...document.querySelectorAll('option')].map(o => o.textContent)")
    assert options == EVENTS.split(",")
    for counter in ("task-clock", "page-faults", "task-clock"):
        choose(page, counter)
        assert total(page) == folded(written, counter).total
        assert page.text(".notes").startswith(counter)
        assert f"; {folded(written, counter).total} samples of 1 process" in page.text(".notes")
    assert browser.errors() == []


def test_the_frame_stays_when_the_counter_changes(browser, written):
    page = Page(browser, written / "profile.svg")
    page.click("__libc_start_main")
    assert total(page) == folded(written, "task-clock").total
    at = page.browser.js("return document.querySelector('.details').textContent")
    assert at.startswith("__libc_start_main (")
    page.browser.hover(page.browser.find("select"))  # and not whatever comes below the pointer
    choose(page, "page-faults")
    value = folded(written, "page-faults").inclusive("__libc_start_main")
    at = page.browser.js("return document.querySelector('.details').textContent")
    assert at.startswith(f"__libc_start_main ({value:,} ")
    page.browser.keys("Escape")
    assert page.browser.js("return document.querySelector('.details').textContent").startswith("all")


def test_a_link_leads_to_the_counter_and_back_leads_back(browser, written):
    page = Page(browser, written / "profile.svg")
    choose(page, "page-faults")
    link = page.fragment()
    assert "c=page-faults" in link
    browser.js("history.back()")
    browser.until(lambda: chosen(page) == "task-clock")
    assert total(page) == folded(written, "task-clock").total
    page = Page(browser, written / "profile.svg", link)
    assert chosen(page) == "page-faults"
    assert total(page) == folded(written, "page-faults").total


def test_a_search_holds_for_every_counter(browser, written):
    page = Page(browser, written / "profile.svg")
    page.search("__libc_start_main")
    matched = []
    for counter in EVENTS.split(","):
        choose(page, counter)
        profile = folded(written, counter)
        share = 100 * profile.inclusive("__libc_start_main") / profile.total
        matched.append(page.matched())
        assert abs(float(matched[-1].split(" ")[1].rstrip("%")) - share) < 0.06
    assert browser.errors() == []


@pytest.mark.parametrize("width", [1200, 760, 420])
def test_the_menu_can_be_used_at_every_width(browser, written, width):
    page = Page(browser, written / "profile.svg", size=(width, 700))
    boxes = page.browser.js("""return [...document.querySelectorAll('.tools > :not([hidden])')].map(
        tool => { const box = tool.getBoundingClientRect(); return [box.left, box.right]; })""")
    assert len(boxes) >= 4
    assert all(0 <= left and right <= width for left, right in boxes)
    assert all(boxes[i][1] <= boxes[i + 1][0] for i in range(len(boxes) - 1))


def test_a_picture_of_one_counter_has_no_menu(browser, written):
    page = Page(browser, written / "profile.task-clock.svg")
    assert page.browser.js("return document.querySelector('select') === null")
    assert total(page) == folded(written, "task-clock").total


def test_threads_stay_apart_in_reversed_stacks(browser, tmp_path):
    folded_text = "app;one/1;main;read 30\napp;two/2;main;run;read 10\napp;two/2;main 60\n"
    page = Page(browser, graph(tmp_path, folded_text, "--reverse", "--threads", "id"))
    rows = page.browser.js("""return [...document.querySelectorAll('.frames g[role=treeitem]')].map(
        g => g.getAttribute('aria-level') + ' ' + g.getAttribute('aria-label'))""")
    for row in ("3 one/1 (30 ", "3 two/2 (70 ", "4 read (30 ", "4 read (10 ", "4 main (60 ",
                "5 main (30 ", "5 run (10 ", "6 main (10 "):
        assert any(label.startswith(row) for label in rows), (row, rows)
