"""What a reader does with a page, by mouse and by keyboard."""

import pytest

from viewer_page import RIGHT, SECOND, Sums, approximately, heat_x

def asked(page, letter):
    parts = dict(part.split("=", 1) for part in page.fragment()[1:].split("&") if "=" in part)
    return parts.get(letter)


def selected(page):
    """Begin and end of what is selected, in seconds."""
    return [int(part) * page.data.unit_ns / SECOND for part in asked(page, "t").split("-")]


def test_a_click_selects_a_column_and_escape_everything(opened):
    page = opened("stalls")
    page.click_at(".picture", heat_x(page, 5.5), 100)
    assert selected(page) == pytest.approx([5, 6], abs=1e-5)
    assert page.selection().startswith("5.00 s to 6.00 s (1 s) \u00b7 22:13:25.000 to 22:13:26.000 UTC")
    begin, end = (int(part) for part in asked(page, "t").split("-"))
    expected = Sums(page.data, 0, begin, end)
    assert page.selection().endswith(f"{expected.all} samples, {100 * expected.all / 1800:.1f}% of all")
    assert page.rows() == approximately(expected.table())
    page.keys("Escape")
    assert page.selection() == "Whole run \u00b7 1,800 samples"


def test_a_drag_selects_from_cell_to_cell(browser, opened):
    page = opened("stalls")
    page.drag(".picture", (heat_x(page, 4.5), 199), (heat_x(page, 6.5), 103))
    begin, end = selected(page)
    assert begin == pytest.approx(4, abs=1e-5) and end == pytest.approx(6.5, abs=.021)
    browser.call("POST", "/back")
    page.settle()
    assert page.selection().startswith("Whole run")


def test_a_drag_over_the_load_selects_time_of_the_whole_run(opened):
    page = opened("stalls")
    page.drag(".axis", (heat_x(page, 6), 10), (heat_x(page, 12), 12))
    assert selected(page) == pytest.approx([6, 12], abs=.05)


def test_a_stall_is_found_in_one_click(browser, opened):
    page = opened("stalls")
    browser.until(lambda: len(page.texts(".moments button")) == 2)
    told = page.texts(".moments button")
    assert told[0].startswith("Nearly no samples6 times") and "every 4 s" in told[0]
    assert told[1].startswith("B 100.0% instead of 8.0%18 times") and "every 1 s" in told[1]
    page.click(".moments button:nth-of-type(2)")
    begin, end = selected(page)
    assert begin % 1 == pytest.approx(.365, abs=.001) and end % 1 == pytest.approx(.445, abs=.001)
    assert page.rows()["B"] == [0, 8] and "A" not in page.rows()
    page.click(".moments button:nth-of-type(2)")
    assert selected(page)[0] != begin
    page.keys("Escape")
    page.keys("m")
    page.keys("m")
    assert asked(page, "t")


def test_arrows_move_and_select_in_the_heatmap(opened):
    page = opened("stalls")
    page.focus(".picture")
    for name in ("Right", "Right", "Right", "Enter"):
        page.keys(name)
    assert selected(page) == pytest.approx([2, 3], abs=1e-5)
    page.keys("Escape")
    page.keys("Shift", "Right")
    page.keys("Shift", "Up")
    begin, end = selected(page)
    assert begin == pytest.approx(2, abs=1e-5) and end == pytest.approx(3.04, abs=1e-5)


def test_wheel_and_keys_zoom_the_time(browser, opened):
    page = opened("stalls")
    page.hover(".picture", 600, 100)
    left, top = browser.js("""const box = document.querySelector('.picture').getBoundingClientRect();
        return [box.left + 600, box.top + 100]""")
    browser.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
        {"type": "scroll", "x": round(left), "y": round(top), "deltaX": 0, "deltaY": -120}]}]})
    page.settle()
    low, high = (int(part) for part in asked(page, "a").split("-"))
    assert high - low < 24 * SECOND / 1024 * .85
    page.keys("+")
    assert asked(page, "a") != f"{low}-{high}"
    before = asked(page, "a")
    page.keys("]")
    assert int(asked(page, "a").split("-")[0]) > int(before.split("-")[0])
    page.keys("0")
    assert asked(page, "a") is None
    page.click_at(".picture", heat_x(page, 5.5), 100)
    page.press("Zoom to selection")
    assert asked(page, "a") is not None
    page.press("Whole run")
    assert asked(page, "a") is None


def test_columns_and_colours_of_the_heatmap_can_be_chosen(opened):
    page = opened("stalls")
    page.choose("Time of a column", "Column: 2 s")
    page.click_at(".picture", heat_x(page, 5.5), 100)
    assert selected(page) == pytest.approx([4, 6], abs=1e-5)
    assert page.texts(".keys button") == ["A 92.0%", "B 8.0%"]
    page.choose("Colour of the picture", "Colour: load")
    assert page.texts(".keys button") == [] and asked(page, "h") == "load"


def test_lanes_select_threads_and_time(browser, opened):
    page = opened("crowd")
    page.press("Lanes")
    assert asked(page, "v") == "lanes"
    width = browser.js("return document.querySelector('.picture').clientWidth")
    gutter = round(min(max(width * .17, 120), 260))
    page.click_at(".picture", 60, 17 * 1.5)  # the busiest thread
    track = int(asked(page, "k"))
    expected = Sums(page.data, 0, keep=lambda sample: sample[2] == track)
    assert page.rows() == approximately(expected.table())
    assert f"thread {page.data.tracks[track]['name']}" in page.selection()
    page.drag(".picture", (gutter + 100, 60), (gutter + 200, 62))
    begin, end = selected(page)
    part = 20 / (width - gutter - RIGHT)
    assert [begin, end] == pytest.approx([100 * part, 200 * part], abs=.05)
    page.keys("Escape")
    assert page.selection().startswith("Whole run")


def test_lanes_by_keyboard(browser, opened):
    page = opened("crowd")
    page.keys("l")
    page.focus(".picture")
    high = "return document.querySelector('.picture').clientHeight"
    before = browser.js(high)
    page.keys("Down")
    page.keys(" ")
    assert browser.js(high) < before  # the first process is closed
    page.keys("Enter")
    tracks = {at for at, track in enumerate(page.data.tracks)
              if track["process"] == page.data.tracks[int(asked(page, "k").split("-")[0].split(".")[0])]["process"]}
    assert page.rows() == approximately(
        Sums(page.data, 0, keep=lambda sample: sample[2] in tracks).table())
    page.keys("Shift", "Right")
    page.keys("Shift", "Right")
    assert asked(page, "t")


def test_click_zooms_the_flame_graph_and_escape_leaves(opened):
    page = opened("labelled")
    width = page.frame_width()
    page.click_at(".frames", 20, 3 * 18 + 9)  # parse
    assert page.frame(3, .99).startswith("parse (")
    assert page.shown(".flame .bar > button")
    page.keys("Escape")
    assert page.frame(3, .999).startswith("write (")
    assert width == page.frame_width()


def test_arrows_move_through_frames_and_enter_zooms(browser, opened):
    page = opened("labelled")
    page.focus(".frames")
    said = "return document.querySelector('#frame').getAttribute('aria-label').split(' (')[0]"
    assert browser.js(said) == "all"
    for name in ("Down", "Down", "Down", "Right"):
        page.keys(name)
    assert browser.js(said) == "render"
    page.keys("Left")
    page.keys("Enter")
    assert page.frame(3, .99).startswith("parse (")
    assert browser.js(said) == "parse"
    page.focus(".frames")
    page.keys("c")
    assert asked(page, "m") == "around"
    page.keys("Escape")
    page.keys("2")
    assert asked(page, "m") == "up"
    page.keys("3")
    assert asked(page, "m") == "around"
    page.keys("1")
    assert asked(page, "m") is None


def test_the_table_is_sorted_filtered_and_chosen_from(opened):
    page = opened("labelled")
    expected = Sums(page.data, 0).table()
    by_total = sorted(expected, key=lambda name: -expected[name][1])
    page.click("th.total button")
    assert page.order()[-2:] == by_total[-2:]
    page.click("th.name button")
    assert page.order() == sorted(expected)
    page.click("th.name button")
    assert page.order() == sorted(expected, reverse=True)
    page.focus(".table input")
    page.type("PAR")
    assert page.order() == ["parse"]
    page.keys("Escape")
    page.focus("tbody tr[tabindex='0']")
    page.keys("Down")
    page.keys("Enter")
    assert page.text(".source strong") == page.order()[1]
    page.keys("Escape")
    assert not page.shown(".source")


def test_a_thread_in_the_table_becomes_the_selection(opened):
    page = opened("labelled", "#b=thread")
    page.click("tbody tr:nth-child(2)")
    assert asked(page, "k") == "1"
    page.click("tbody tr[aria-selected='true']")
    assert asked(page, "k") is None
    page.choose("Rows", "By label tenant")
    page.click("tbody tr:first-child")
    assert "label tenant = " in page.selection()


def test_search_highlights_and_is_told(opened):
    page = opened("labelled")
    page.keys("/")
    page.type("^WRITE$")
    assert page.text(".matched") == "Matched: 0.0%"
    page.keys("Control", "i")
    expected = Sums(page.data, 0)
    assert page.text(".matched") == f"Matched: {100 * expected.total['write_[k]'] / expected.all:.1f}%"
    assert page.texts("tr.match .name") == ["write"]
    page.type("(")
    assert page.text(".matched").startswith("Not a regular expression")
    page.keys("Escape")
    assert page.text(".matched") == "" and asked(page, "s") is None


def test_marks_are_told(opened):
    page = opened("waits")
    told = page.hover(".axis", heat_x(page, 1.5, 20), 56)
    assert told == "1.500 s \u00b7 load \u00b7 /usr/lib/libz.so.1 \u00b7 app (100)"
    assert page.shown(".tip")


def test_marks_are_told_at_the_keyboards_cursor(opened):
    page = opened("waits", "#w=1000000000")
    page.focus(".picture")
    for name in ["Right"] * 10 + ["Up"] * 12:
        page.keys(name)
    assert page.text(".details").endswith("; 9.250 s \u00b7 throttled \u00b7 task-clock \u00b7 app (100)")


def test_help_opens_and_closes(opened):
    page = opened("labelled")
    page.keys("?")
    assert page.shown(".help") and "Keys" in page.text(".help")
    page.keys("Escape")
    assert not page.shown(".help")


def test_light_and_dark_follow_the_reader_and_a_switch(browser, opened):
    back = "return getComputedStyle(document.body).backgroundColor"
    browser.scheme("dark")
    page = opened("labelled")
    dark = browser.js(back)
    page.press("Light or dark")
    assert browser.js(back) != dark and asked(page, "p") == "light"
    browser.scheme("light")
    page.settle()
    page.press("Light or dark")
    assert browser.js(back) == dark and asked(page, "p") == "dark"


def test_everything_is_reached_by_tab(browser, opened):
    page = opened("labelled")
    seen = []
    while len(seen) < 60:
        page.keys("Tab")
        seen.append(browser.js("""const one = document.activeElement;
            return one.getAttribute('aria-label') || one.textContent.slice(0, 40)"""))
        if seen.count(seen[0]) > 1:
            break
    for name in ("Counter", "Search functions by regular expression", "Help", "Lanes", "Inverted", "Rows",
                 "Filter the rows of the table"):
        assert name in seen
    assert any(name.startswith("Samples by time") for name in seen)
    assert any(name.startswith("Frames;") for name in seen)
