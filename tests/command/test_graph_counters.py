"""One picture of several counters or threads: the reader chooses which counter, and stays where they
are; frames may be coloured by a ratio of two counters, of which they tell what the counters' stacks
say."""

import re

import pytest

import launching
from graph_page import Page, choose, chosen, graph, luminance
from launching import flametrap
from rights import may_see_the_kernel
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


@pytest.fixture
def page(browser, written):
    return Page(browser, written / "profile.svg")


def folded(written, counter):
    return Folded((written / f"profile.{counter}.folded").read_text(encoding="utf-8"))


def total(page):
    """The value of the whole, as it is said of the outermost frame."""
    text = page.browser.js(
        "return document.querySelector('.frames g[aria-level=\"1\"]').getAttribute('aria-label')")
    return int(text.split("(")[1].split(" ")[0].replace(",", ""))


def test_the_menu_has_every_counter_and_each_has_its_own_values(browser, written, page):
    options = browser.js("return [...document.querySelectorAll('option')].map(o => o.textContent)")
    assert options == EVENTS.split(",")
    for counter in ("task-clock", "page-faults", "task-clock"):
        choose(page, counter)
        assert total(page) == folded(written, counter).total
        assert page.text(".notes").startswith(counter)
        assert f"; {folded(written, counter).total} samples of 1 process" in page.text(".notes")


def test_the_frame_stays_when_the_counter_changes(written, page):
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


def test_a_link_leads_to_the_counter_and_back_leads_back(browser, written, page):
    choose(page, "page-faults")
    link = page.fragment()
    assert "c=page-faults" in link
    browser.js("history.back()")
    browser.until(lambda: chosen(page) == "task-clock")
    assert total(page) == folded(written, "task-clock").total
    page = Page(browser, written / "profile.svg", link)
    assert chosen(page) == "page-faults"
    assert total(page) == folded(written, "page-faults").total


def test_a_search_holds_for_every_counter(written, page):
    page.search("__libc_start_main")
    matched = []
    for counter in EVENTS.split(","):
        choose(page, counter)
        profile = folded(written, counter)
        share = 100 * profile.inclusive("__libc_start_main") / profile.total
        matched.append(page.matched())
        assert abs(float(matched[-1].split(" ")[1].rstrip("%")) - share) < 0.06


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


# Frames coloured by a ratio of two counters

GROUP = "{task-clock,page-faults,context-switches}"
FAULTS = "page-faults per ms of task-clock"
FEWEST = 10
# What the picture says of a frame, and how the folded stacks mark it.
KINDS = {", kernel": "_[k]", ", interpreted": "_[p]", ", no symbol": ""}


@pytest.fixture(scope="module")
def spool(tmp_path_factory):
    """The spool of a run with one group."""
    result, spools = Profiler(tmp_path_factory.mktemp("ratio")).collected(
        [program("perl"), "-e", "for (1..60) { my $x = 'x' x 4000000; $x =~ tr/x/y/; }"],
        events=GROUP, period=250000)
    assert result.status == 0
    return spools[0].path


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    """Where a run with one group left its files; all of them count events."""
    folder = tmp_path_factory.mktemp("written")
    result, files = Profiler(folder).launched(
        ["-e", GROUP, "--weight", "events"], [program("perl"), "-e",
         "for (1..60) { my $x = 'x' x 4000000; $x =~ tr/x/y/; }"])
    assert result.status == 0 and "profile.svg" in files
    where, = folder.iterdir()
    return where


def fold(spool, counter, weight):
    return launching.folded("--counter", counter, "--weight", weight, spool, errors="replace")


def draw(spool, folder, *options):
    target = folder / "ratio.svg"
    flametrap("graph", spool, "-o", target, *options, status=0)
    return target


def below(folded):
    """Value of every path of frames: () is the whole."""
    totals = {}
    for frames, value in folded.stacks.items():
        for depth in range(len(frames) + 1):
            totals[frames[:depth]] = totals.get(frames[:depth], 0) + value
    return totals


def shown(page):
    """{path: (what is said after the share, class)} of the drawn frames, from their places."""
    rows = page.browser.js("""return [...document.querySelectorAll('.frames g[role=treeitem]')].map(
        g => [Number(g.getAttribute('aria-level')), g.getAttribute('aria-label'),
              g.querySelector('rect').getAttribute('class')])""")
    path, found = [], {}
    for level, label, style in rows:
        name, rest = re.fullmatch(r"(.*) \([\d,]+ \w+, [\d.]+%\)(.*)", label, re.S).groups()
        kind = next((kind for kind in KINDS if rest.endswith(kind)), "")
        path[level - 1:] = [name + KINDS.get(kind, "")]
        found[tuple(path[1:])] = (rest.removesuffix(kind), style)
    return found


def short(number):
    """What the picture writes for it."""
    return f"{round(number):,}" if number >= 999.5 else \
        f"{float(f'{number:.3g}'):.12f}".rstrip("0").rstrip(".")


def number(text):
    return float(text.replace(",", ""))


def test_every_frame_tells_the_ratio_of_its_own_counts(browser, spool, tmp_path):
    page = Page(browser, draw(spool, tmp_path, "--color-by", "page-faults/task-clock"))
    faults = below(fold(spool, "page-faults", "events"))
    clock = below(fold(spool, "task-clock", "events"))
    samples = below(fold(spool, "task-clock", "samples"))
    frames = shown(page)
    assert len(frames) > 10 and () in frames
    for path, (text, style) in frames.items():
        if samples[path] < FEWEST:
            assert text == f", no ratio: fewer than {FEWEST} samples", path
            assert style in ("n0", "n0 edge")
            continue
        ratio, = re.fullmatch(rf", ([\d.,]+) {FAULTS}", text).groups()
        exact = 1e6 * faults.get(path, 0) / clock[path]
        assert abs(number(ratio) - exact) <= .0051 * exact, path
        assert re.fullmatch(r"q[0-7]", style)


def test_colours_follow_the_legend(browser, spool, tmp_path):
    page = Page(browser, draw(spool, tmp_path, "--color-by", "page-faults"))
    legend = browser.js("""
        const marks = [...document.querySelectorAll('.legend rect')].map(r => r.getAttribute('class'));
        return [document.querySelector('.legend text').textContent, marks,
                [...document.querySelectorAll('.legend text')].slice(1).map(t => t.textContent)]""")
    assert legend[0] == FAULTS
    ranges = {}
    for style, text in zip(legend[1], legend[2]):
        if style.startswith("n0"):
            assert text == f"fewer than {FEWEST} samples"
            continue
        numbers = [number(found) for found in re.findall(r"[\d.,]+", text)]
        ranges[style] = (0 if text.startswith("<") else numbers[0],
                         float("inf") if text.startswith("≥") else numbers[-1])
    assert len(ranges) > 1
    for path, (text, style) in shown(page).items():
        match = re.match(r", ([\d.,]+) page", text)
        if match:
            low, high = ranges[style]
            assert low <= number(match[1]) * 1.0051 and number(match[1]) <= high * 1.0051, path


def options(page):
    return page.browser.js("""return [...document.querySelectorAll('option')].map(
        o => [o.textContent, o.parentElement.label || ''])""")


@pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")
def test_the_run_s_own_picture_offers_the_ratios_in_its_menu(browser, grouped):
    page = Page(browser, grouped / "profile.svg")
    assert options(page) == [
        ["task-clock", ""], ["page-faults", ""], ["context-switches", ""],
        [FAULTS, "Coloured by a ratio"],
        ["context-switches per ms of task-clock", "Coloured by a ratio"]]
    widths = page.frames()
    choose(page, FAULTS)
    totals = [below(Folded((grouped / f"profile.{name}.folded").read_text()))[()]
              for name in ("page-faults", "task-clock")]
    assert page.text(".details").endswith(f", {short(1e6 * totals[0] / totals[1])} {FAULTS}")
    assert page.text(".notes").endswith(f"; colour: {FAULTS}")
    again = {re.sub(r" \(.*", "", name): place[:2] for name, place in page.frames().items()}
    assert again == {re.sub(r" \(.*", "", name): place[:2] for name, place in widths.items()}
    choose(page, "task-clock")
    assert FAULTS not in page.text(".details") and "colour" not in page.text(".notes")


def test_a_spool_of_several_counters_has_the_same_menu(browser, spool, tmp_path):
    page = Page(browser, draw(spool, tmp_path, "--notes", "a note", "--reverse"))
    assert [view for view, _ in options(page)] == [
        "task-clock", "page-faults", "context-switches", FAULTS,
        "context-switches per ms of task-clock"]
    for counter in ("task-clock", "page-faults"):
        choose(page, counter)
        weight = "samples" if counter == "task-clock" else "events"
        whole = fold(spool, counter, weight).total
        assert page.text(".details").startswith(f"all ({whole:,} {weight}, 100.00%)")
        assert page.text(".notes") == "a note"
    leaves = {path[0] for path in shown(page) if len(path) == 1}
    assert leaves <= {frames[-1] for frames in fold(spool, "page-faults", "events").stacks}
    alone = Page(browser, draw(spool, tmp_path, "--counter", "page-faults"))
    assert options(alone) == []
    assert alone.text(".notes").startswith("page-faults, counted along with task-clock")


def test_zoom_search_and_link_hold_in_a_ratio(browser, grouped):
    page = Page(browser, grouped / "profile.svg")
    page.click("__libc_start_main")
    choose(page, FAULTS)
    assert page.text(".details").startswith("__libc_start_main (")
    page.search("main")
    colours = set(browser.js("""return [...document.querySelectorAll('.frames g.match rect')].map(
        rect => getComputedStyle(rect).fill)"""))
    assert colours == {"rgb(230, 0, 230)"}
    link = page.fragment()
    again = Page(browser, grouped / "profile.svg", link)
    assert chosen(again) == FAULTS
    assert again.text(".details") == page_details(again)
    assert again.text(".details").startswith("__libc_start_main (")
    assert FAULTS in again.text(".details")
    assert again.matched().startswith("Matched: 100.0% here")
    browser.keys("Escape")
    assert browser.js("return document.querySelectorAll('.match').length") == 0
    browser.call("POST", "/back")
    browser.until(lambda: browser.js("return document.querySelectorAll('.match').length") > 0)
    assert chosen(again) == FAULTS


def page_details(page):
    """What the zoomed frame says of itself to a screen reader is what the hover line says."""
    return page.browser.js("return document.querySelector('.frames g[tabindex=\"0\"]').ariaLabel")


def test_a_picture_by_ratio_can_be_seen_plain_and_links_say_which(browser, spool, tmp_path):
    path = draw(spool, tmp_path, "--color-by", "page-faults")
    page = Page(browser, path)
    assert chosen(page) == FAULTS and page.fragment() == ""
    choose(page, "task-clock")
    assert page.fragment() == "#c=task-clock"
    assert FAULTS not in page.text(".details")
    again = Page(browser, path, "#c=task-clock")
    assert chosen(again) == "task-clock"
    browser.js("history.back()")


def test_widths_may_be_another_counter_s(browser, spool, tmp_path):
    page = Page(browser, draw(spool, tmp_path, "--color-by", "page-faults/task-clock", "--counter",
                              "page-faults", "--colors", "safe"))
    faults = below(fold(spool, "page-faults", "events"))
    assert page.text(".details").startswith(f"all ({faults[()]:,} events, 100.00%)")
    assert page.text(".details").endswith(FAULTS)


def test_stacks_turned_round_have_the_ratios_of_what_stands_above(browser, spool, tmp_path):
    page = Page(browser, draw(spool, tmp_path, "--color-by", "page-faults", "--reverse", "--inverted"))
    faults = fold(spool, "page-faults", "events")
    clock = fold(spool, "task-clock", "events")
    samples = fold(spool, "task-clock", "samples")
    checked = 0
    for path, (text, _) in shown(page).items():
        if len(path) == 1 and samples.leaf(re.escape(path[0])) >= FEWEST:
            exact = 1e6 * faults.leaf(re.escape(path[0])) / clock.leaf(re.escape(path[0]))
            assert abs(number(re.match(r", ([\d.,]+)", text)[1]) - exact) <= .0051 * exact, path
            checked += 1
    assert checked > 0
    legend, frames = browser.js("""return ['.legend', '.frames'].map(
        css => document.querySelector(css).getBoundingClientRect().top)""")
    assert legend < frames  # beside the outermost frames, where one begins to read


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("palette", ["hot", "grey"])
def test_steps_rise_evenly_and_names_can_be_read_on_them(browser, spool, tmp_path, scheme, palette):
    Page(browser, draw(spool, tmp_path, "--color-by", "page-faults", "--colors", palette))
    browser.scheme(scheme)
    text, *fills = browser.js("""
        const layer = document.querySelector('.frames');
        const made = ['q0', 'q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7', 'n0'].map(name => {
            const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
            rect.setAttribute('class', name);
            layer.appendChild(rect);
            return getComputedStyle(rect).fill;
        });
        return [getComputedStyle(layer.querySelector('text')).fill, ...made];""")
    lights = [luminance(fill) for fill in fills[:8]]
    assert lights == sorted(lights, reverse=scheme == "light") and len(set(fills)) == 9
    for fill in fills:
        lighter, darker = sorted((luminance(text), luminance(fill)), reverse=True)
        assert (lighter + .05) / (darker + .05) >= 4.5, fill


@pytest.mark.parametrize("arguments, line", [
    (["--color-by", "cycles"], "cycles does not name two counters; there are task-clock, page-faults,"),
    (["--color-by", "page-faults/page-faults"], "divides a counter by itself"),
    (["--color-by", "task-clock"], "task-clock has no counter in its group to be divided by"),
    (["--color-by", "page-faults", "--counter", "cycles"], "no spool given has a counter cycles")])
def test_a_ratio_that_is_not_there_is_refused(spool, tmp_path, arguments, line):
    done = flametrap("graph", spool, "-o", "x.svg", *arguments, cwd=tmp_path)
    assert done.returncode == 1 and line in done.stderr
    assert not list(tmp_path.iterdir())
