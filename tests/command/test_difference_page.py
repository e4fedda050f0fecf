"""The page of a comparison: what its reader sees and does, by mouse and by keyboard."""

import re

import pytest

from launching import flametrap
from spool_writer import GONE, Spool
from viewer_page import ROW, Viewer

HOSTILE = "</script><script>document.title='no'</script>"


def folded(run, **values):
    lines = {"f": "app;main;f", "g": "app;main;f;g", "gone": "app;main;gone", "new": "app;main;new",
             "same": f"app;main;{HOSTILE}"}
    return "".join(f"{lines[name]} {value + 3 * run}\n" for name, value in values.items())


@pytest.fixture(name="path", scope="module")
def _path(tmp_path_factory):
    """Four runs a side: g grows by half, one function goes and another comes."""
    folder = tmp_path_factory.mktemp("page")
    for run in range(4):
        (folder / f"a{run}.folded").write_text(folded(run, f=3000, g=4000, gone=900, same=2000))
        (folder / f"b{run}.folded").write_text(folded(run, f=3000, g=6000, new=700, same=2000))
    return compared(folder)


def compared(folder, before="a?.folded", after="b?.folded"):
    """The page of files by their patterns."""
    flametrap("diff", "--before", *sorted(folder.glob(before)), "--after", *sorted(folder.glob(after)),
              "-o", "x.html", cwd=folder, status=0)
    return folder / "x.html"


class Difference(Viewer):
    def functions(self):
        """The table: names with the texts of the other columns, and whether the change is sure."""
        found = self.browser.js("""return [...document.querySelectorAll('.table tbody tr')].map(row =>
            [row.classList.contains('unsure'), ...[...row.cells].map(cell => cell.textContent)])""")
        return {cells[1]: (not cells[0], cells[2:]) for cells in found}

    def chosen(self):
        return self.texts(".table tr[aria-selected='true'] td.name")

    def drawn_frames(self):
        """Names of the frames that main calls, those of a twentieth of the width or more."""
        return {self.frame(3, (part + .5) / 20).split(" (")[0] for part in range(20)}


@pytest.fixture
def page(browser, path):
    return Difference(browser, path)


def test_the_answer_and_the_functions_are_seen_at_once(browser, page):
    assert page.text(".verdict").startswith("samples rose by 18.")
    assert "4 runs before, 4 after" in page.text(".facts")
    table = page.functions()
    assert list(table)[:3] == ["g", "gone", "new"]
    assert [table[name][0] for name in ("g", "gone", "new", "f", HOSTILE)] == [True] * 3 + [False] * 2
    assert table["g"][1][:4] == ["4,005", "6,005", "+2,000", "+49.9%"]
    assert table["gone"][1][3] == "gone" and table["new"][1][3] == "new"
    assert browser.js("return document.title") != "no"
    assert len(browser.requests()) == 1


def test_a_function_and_its_frames_are_chosen_together(page):
    page.click(".table tbody tr:first-child td.name")
    assert page.chosen() == ["g"]
    page.click(".table tbody tr:first-child td.name")
    assert page.chosen() == []
    told = page.frame(3, .2)
    assert told.startswith("f (before 7,009 samples") and "99% interval +" in told
    page.click_at(".frames", page.frame_width() * .2, 3 * ROW + 5)
    assert page.chosen() == ["f"]
    assert page.frame(3, .98).startswith("f (")
    page.keys("Escape")
    page.keys("Escape")
    assert page.chosen() == [] and page.frame(3, .98).startswith("new (")


def test_what_is_gone_is_shown_with_the_widths_before(page):
    assert "1 frame is gone: choose Widths: before" in page.text(".flame .legend")
    assert "gone" not in page.drawn_frames()
    page.press("Widths: before")
    assert "gone" in page.drawn_frames() and "new" not in page.drawn_frames()
    page.keys("w")
    page.click(".table tbody tr:nth-child(2) td.name")
    assert page.chosen() == ["gone"] and "w=before" in page.fragment()


def test_headings_sort_and_sure_ones_stay_first(page):
    page.press("Function")
    assert [name for name, (sure, _) in page.functions().items() if sure] == ["g", "gone", "new"]
    page.press("Function \u25b4")
    assert list(page.functions())[:3] == ["new", "gone", "g"]
    page.press("With callees")
    table = page.functions()
    assert table["main"][0] and table["f"][0] and not table[HOSTILE][0]
    page.focus(".table input")
    page.type("gon")
    assert list(page.functions()) == ["gone"]


def test_what_only_one_side_has_and_hardly_is_last(browser, tmp_path):
    for run in range(4):
        for side in "ab":
            once = f"app;main;one-{side} 1\n" if run == 2 else ""
            (tmp_path / f"{side}{run}.folded").write_text(f"app;main;f {5000 + run}\napp;main;g {9 + run}\n{once}")
    page = Difference(browser, compared(tmp_path))
    assert [list(page.functions())[i] for i in (-2, -1)] == ["one-a", "one-b"]
    page.press("Before")
    assert list(page.functions()) == ["f", "g", "one-a", "one-b"]
    page.press("Before \u25be")
    assert list(page.functions()) == ["g", "f", "one-b", "one-a"]


def test_everything_is_reached_by_keyboard(page):
    page.focus(".table tbody tr")
    page.keys("Down")
    page.keys("Enter")
    assert page.chosen() == ["gone"]
    page.keys("2")
    assert page.text(".choice button[aria-pressed='true']") == "With callees"
    page.focus(".frames")
    page.keys("Down")
    page.keys("Down")
    page.keys("Enter")
    assert page.fragment().count("z=") == 1
    page.keys("/")
    page.type("new")
    page.keys("Escape")
    page.keys("?")
    assert page.shown("dialog.help")
    page.keys("Escape")
    page.keys("d")
    assert "p=" in page.fragment()


def test_a_search_tells_its_share_of_each_side(page):
    page.keys("/")
    page.type("^(g|new)$")
    assert page.text(".matched") == "Matched: 40.4% before, 57.3% after"
    assert page.texts(".table tr.match td.name") == ["g", "new"]


def test_a_link_leads_to_what_was_seen(browser, path):
    page = Difference(browser, path, "#w=before&b=total&d=name.a")
    assert page.text(".choice button[aria-pressed='true']") == "With callees"
    assert list(page.functions())[0] == "f"
    for damage in ("#c=%", "#z=9.9.9&f=99999&w=x", "#d=zz&b=%E0%A4"):
        page = Difference(browser, path, damage)
        assert page.shown(".frames")


def test_the_line_at_the_bottom_tells_a_function(page):
    told = page.hover(".table tbody tr:first-child", 20, 8)
    assert re.fullmatch(r"g, itself \(before 4,005 samples, 40\.\d+%; after 6,005 samples, 51\.\d+%; change "
                        r"\+2,000 samples, \+49\.94%, 99% interval \+1,\d+ samples to \+2,\d+ samples, "
                        r"\+4\d\.\d% to \+5\d\.\d%, significant\)", told)
    assert page.hover("h1", 5, 5) == ""
    page.keys("2")
    page.click(".table tbody tr:first-child td.name")
    name = page.chosen()[0]
    for place in (".table tbody tr:first-child", "h1"):
        assert page.hover(place, 20, 8).startswith(name + ", with callees (before")
    page.click(".table tbody tr:first-child td.name")
    assert page.chosen() == [] and page.hover("h1", 5, 5) == ""


def test_the_line_at_the_bottom_follows_the_keyboard_and_forgets(page):
    page.hover(".table tbody tr:first-child", 20, 8)
    page.focus(".table tbody tr")
    page.keys("Down")
    assert re.match(r"gone, itself \(before 90\d samples.* after 0 samples.* gone.*, significant\)",
                    page.text(".details"))
    page.press("With callees")
    page.focus(".table tbody tr[tabindex='0']")
    for name in page.texts(".table td.name")[2:]:
        page.keys("Down")
        assert page.text(".details").startswith(name + ", with callees (")
    assert page.text(".details").endswith(", not significant)")
    page.focus(".frames")
    page.keys("Down")
    assert page.text(".details").startswith("app (before")
    page.focus(".search, header input")
    assert page.text(".details") == ""


@pytest.mark.parametrize("width", [700, 1600, 2500])
def test_names_and_numbers_have_room_in_the_table(browser, tmp_path, width):
    name = "std::map<" + "std::vector<int>, " * 20 + ">::find(" + "unsigned long, " * 20 + "int)"
    for side, value in (("a", 30 * 10**9), ("b", 5555 * 10**9)):
        (tmp_path / f"{side}.folded").write_text(
            f"app;main;{name} {value}\napp;main;f 1234567\napp;main;g {value // 500}\n")
    page = Difference(browser, compared(tmp_path, "a.folded", "b.folded"), size=(width, 900))
    table = page.functions()
    assert list(table)[0].startswith("std::map<\u2026>::find(")
    assert table[list(table)[0]][1][:4] == ["30 G", "5.55 T", "+5.53 T", "+18417%"]
    assert table["f"][1][:2] == ["1,234,567", "1,234,567"] and table["g"][1][0] == "60 M"
    assert cut_texts(browser) == [] and browser.js("""return [...document.querySelectorAll('.table th button')]
        .filter(one => one.scrollWidth > one.clientWidth).length""") == 0


@pytest.mark.parametrize("width", [700, 1600])
def test_a_long_name_leaves_room_for_the_numbers(browser, tmp_path, width):
    name = "std::map<" + "std::vector<int>, " * 40 + "int>::find(" + "unsigned long, " * 40 + "int)"
    for side in "ab":
        (tmp_path / f"{side}.folded").write_text(f"app;main;{name} {1000 if side == 'a' else 9000}\n")
    page = Difference(browser, compared(tmp_path, "a.folded", "b.folded"), size=(width, 900))
    for told in (page.hover(".table tbody tr:first-child", 20, 8), page.frame(3, .5)):
        assert told.startswith("std::map<") and told.endswith("significant)") and "before 1,000 samples" in told
        assert browser.js("""const line = document.querySelector('.details');
            return line.scrollHeight <= line.clientHeight && line.scrollWidth <= line.clientWidth""")


@pytest.mark.parametrize("width", [700, 1600, 2500])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(browser, path, width, scheme):
    browser.scheme(scheme)
    page = Difference(browser, path, size=(width, 900))
    assert browser.js("return document.documentElement.scrollWidth <= window.innerWidth")
    cut = browser.js("""return [...document.querySelectorAll('.table td:not(.name)')]
        .filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)""")
    assert cut == [] and page.shown(".table")


def measured(folder, before, after):
    """A page of runs that lasted so many tenths of a second."""
    for side, lengths in (("before", before), ("after", after)):
        for run, length in enumerate(lengths):
            made = Spool(GONE - run - 100 * (side == "before"))
            made.timed(length * 10**8)
            made.sample(made.node(0x500000000000), 10**8, 500)
            made.write(folder / f"{side}{run}.spool")
    return compared(folder, "before*.spool", "after*.spool")


@pytest.fixture(name="outlier", scope="module")
def _outlier(tmp_path_factory):
    """Runs of which one lasted far longer, with long names."""
    folder = tmp_path_factory.mktemp("measured" + "-and-of-a-long-name" * 4)
    return measured(folder, [10, 11, 10, 11, 10, 19], [10, 11, 10, 11, 10, 11])


def cut_texts(browser):
    return browser.js("""return [...document.querySelectorAll(
        'header p, .measures td, .measures .rows, .measures .remarks, .measures .legend, .table td:not(.name)')]
        .filter(one => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1)
        .map(one => one.className + ': ' + one.textContent)""")


@pytest.mark.parametrize("width", [700, 1000, 1600, 2500])
def test_the_answer_and_the_measures_are_read_whole(browser, outlier, width):
    page = Difference(browser, outlier, size=(width, 900))
    assert "1 outlier before" in page.text(".measures tbody")
    assert page.texts(".measures .entry") == ["a run before", "a run after", "mean before", "mean after"]
    assert page.shown(".measures .legend") and cut_texts(browser) == []


@pytest.fixture(name="turns", scope="module")
def _turns(tmp_path_factory):
    """Two commands in turns, whose measures have the longest names."""
    folder = tmp_path_factory.mktemp("turns")
    flametrap("ab", "-n", "2", "--warmup", "0", "-o", "x.html", "--", "true", "--", "true", cwd=folder,
              status=0)
    return folder / "x.html"


@pytest.mark.parametrize("width", [700, 1000, 1600, 2500])
def test_names_of_measures_are_read_whole(browser, turns, width):
    page = Difference(browser, turns, size=(width, 900))
    assert "load of other processes" in page.texts(".measures td.name")
    assert cut_texts(browser) == []


def test_of_an_interval_without_a_relative_end_the_amounts_are_shown(browser, tmp_path):
    page = Difference(browser, measured(tmp_path, [10, 11, 10, 11, 10, 900], [10, 11, 10, 11, 10, 11]),
                      size=(700, 900))
    assert re.fullmatch(r"\u2212[\d.]+\ss to \+[\d.]+\ss", page.text(".measures td.range"))
    assert cut_texts(browser) == []


def test_of_one_run_a_side_the_page_says_what_is_not_known(browser, path):
    flametrap("diff", "a0.folded", "b0.folded", "-o", "one.html", cwd=path.parent, status=0)
    assert "variation between runs is unknown" in Difference(browser, path.parent / "one.html").text(".note")
    assert not Difference(browser, path).texts(".note")
