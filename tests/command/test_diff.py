"""A comparison of two profiles tells what changed, in a picture and in a table."""

import re
from xml.etree import ElementTree

import pytest

from graph_page import Page, titles
from launching import flametrap

BEFORE = "app;main;same 400\napp;main;shrinks 400\napp;main;vanishes 200\n"
AFTER = "app;main;same 800\napp;main;grows 800\napp;main;shrinks 400\n"


def diff(folder, *options, before=BEFORE, after=AFTER, status=0):
    (folder / "before.folded").write_text(before)
    (folder / "after.folded").write_text(after)
    done = flametrap("diff", "before.folded", "after.folded", *options, cwd=folder, status=status)
    return done


NUMBER = r"[-+]?[\d.]+"
INTERVAL = rf"(?:{NUMBER} to {NUMBER}|> {NUMBER}|-)"


def rows(table, heading="function, itself"):
    """Functions of a table: before, after, change, relative change in %, share after, marked or
    not.  Its lines are those of no terminal: with all columns."""
    part = table.split(f" {heading}\n", 1)[1].split("\n\n", 1)[0]
    found = {}
    for line in part.splitlines():
        if line.startswith("  ") and re.match(r"  (no function|\d+ more|\d+ without)", line):
            continue
        match = re.match(rf" *({NUMBER}) +({NUMBER}) +({NUMBER}) +{INTERVAL} +"
                         rf"({NUMBER}|new) +{INTERVAL} +({NUMBER}) +({NUMBER}) "
                         r"([* ]) (.+)$", line)
        assert match, line
        found[match[8]] = (float(match[1]), float(match[2]), float(match[3]), match[4],
                           float(match[6]), match[7] == "*")
    return found


def test_the_table_tells_values_and_what_is_sure(tmp_path):
    """What took as long as before is no change, although its share is smaller."""
    table = diff(tmp_path).stdout
    assert "before  before.folded: 1 run\nafter   after.folded: 1 run\n" in table
    assert rows(table) == {
        "grows": (0, 800, 800, "new", 40, True), "same": (400, 800, 400, "+100.0", 40, True),
        "vanishes": (200, 0, -200, "-100.0", 0, True)}
    table = diff(tmp_path, "--all").stdout
    assert "shrinks" not in rows(table) and len(rows(table, "with all it called")) == 4


def test_the_whole_s_change_comes_first(tmp_path):
    table = diff(tmp_path).stdout
    assert "\nsamples rose by 100.0 % (99 % confidence: " in table
    assert re.search(r"^ +1000 +2000 +\+1000 .* \+100\.0 .* \* all functions$", table, re.M)
    assert table.index("all functions") < table.index("function, itself")


def test_one_run_a_side_says_what_it_does_not_know(tmp_path):
    table = diff(tmp_path).stdout
    assert "One run a side: variation between runs is unknown, only sampling is considered." in table
    assert "Method: sampling alone; 1 run before, 1 after; 99 % confidence." in table


def test_a_reversed_picture_leaves_the_tables_as_they_are(tmp_path):
    """The command is no function there, wherever the picture has it."""
    words = {"before": BEFORE, "after": AFTER.replace("app;", "app2;")}
    table = diff(tmp_path, **words).stdout
    assert "app and app2 are compared as one." in table and "grows" in table
    assert diff(tmp_path, "--reverse", **words).stdout == table
    picture = frames_of(tmp_path / "after.diff.svg")
    assert "grows" in picture and "same" in picture


def frames_of(path):
    """{frame: text of its change} of a picture."""
    return {title.split(" (")[0]: title for title in titles(path.read_bytes())}


def test_two_names_of_a_program_do_not_make_its_stacks_differ(tmp_path):
    before = "bench_old;main;same 500\nbench_old;[bench_old] 40\nsh;run 60\n"
    after = "bench_new;main;same 1000\nbench_new;[bench_new] 80\nsh;run 120\ncat;copy 3\n"
    done = diff(tmp_path, before=before, after=after)
    assert "bench_old and bench_new are compared as one.\n" in done.stdout
    table = rows(done.stdout)
    assert "[bench_old]" not in table and table["same"][:2] == (500, 1000)
    shown = frames_of(tmp_path / "after.diff.svg")
    for name in ("bench_new", "main", "same", "[bench_new]"):
        assert "before 0 samples" not in shown[name], shown[name]
    assert ", new" in shown["cat"]


def test_commands_that_both_have_keep_their_names(tmp_path):
    done = diff(tmp_path, before="a;f 10\nb;f 20\n", after="a;f 30\nb;f 10\n")
    assert "compared as one" not in done.stdout
    assert "before 20 samples, 66.67%" in frames_of(tmp_path / "after.diff.svg")["b"]


def test_interrupts_and_preemption_take_no_part(tmp_path):
    same = "app;main;f 1000\napp;main;g 3000\n"
    noise = "app;main;f;asm_sysvec_apic_timer_interrupt_[k];tick_[k] 800\n"
    table = diff(tmp_path, before=same, after=same + noise).stdout
    assert re.search(r"^ +0 +800 +\+800 .*   noise of the machine$", table, re.M)
    assert "Noise of the machine (interrupts, preemption, sampling) takes no part." in table
    assert "*" not in table and "no function changed" in table
    table = diff(tmp_path, before=same, after=same + "app;main;sysvec_like 800\n").stdout
    assert rows(table)["sysvec_like"][5]


def test_noise_alone_is_nothing_to_compare(tmp_path):
    same = "app;main;asm_sysvec_apic_timer_interrupt_[k] 800\n"
    table = diff(tmp_path, before=same, after=same).stdout
    assert "samples: the runs have nothing but noise of the machine" in table
    done = diff(tmp_path, "--fail-above", "3", before=same, after=same, status=2)
    assert done.stderr == "flametrap: --fail-above 3: there is nothing to compare\n"


def test_large_values_stay_apart(tmp_path):
    most = "app;f 18446744073709551615\n"
    table = diff(tmp_path, before="app;f 1\n", after=most).stdout
    assert "     0.0 18446744073.7 +18446744073.7 +18446744062.6 to " in table


def test_a_difference_that_chance_explains_is_not_marked(tmp_path):
    table = diff(tmp_path, "--all", before="app;a 50\napp;b 50\n",
                 after="app;a 55\napp;b 45\n").stdout
    assert rows(table) == {"a": (50, 55, 5, "+10.0", 55, False), "b": (50, 45, -5, "-10.0", 45, False)}
    assert "samples: no difference that 99 % confidence can tell (the smallest change" in table
    table = diff(tmp_path, before="app;a 50\napp;b 50\n", after="app;a 55\napp;b 45\n").stdout
    assert rows(table) == {} and "  2 without a significant change: --all lists them too\n" in table


def test_profiles_of_commands_alone_differ_in_no_function(tmp_path):
    assert "no function changed" in diff(tmp_path, before="app 5\n", after="app 7\n").stdout


def test_threads_are_no_functions(tmp_path):
    before, after = "app;worker;main;f 100\n", "app;worker;main;f 200\n"
    total = "with all it called"
    assert set(rows(diff(tmp_path, "--all", before=before, after=after).stdout, total)) == {
        "worker", "main", "f"}
    table = diff(tmp_path, "--all", "--threads", "name", before=before, after=after).stdout
    assert set(rows(table, total)) == {"main", "f"}


def test_the_picture_lies_beside_the_second_file(tmp_path):
    assert "wrote after.diff.svg" in diff(tmp_path).stderr
    shown = titles((tmp_path / "after.diff.svg").read_bytes())
    assert any(title.startswith("grows (before 0 samples, 0.00%; after 800 samples, 40.00%; "
                                "change +800 samples, new, 99% interval +") for title in shown)
    assert any(title.startswith("shrinks (before 400 samples, 40.00%; after 400 samples, 20.00%; "
                                "change +0 samples, +0.00%") for title in shown)


def test_standard_output_takes_the_picture_alone(tmp_path):
    ElementTree.fromstring(diff(tmp_path, "-o", "-").stdout)
    assert not list(tmp_path.glob("*.svg"))


def test_an_empty_profile_is_refused(tmp_path):
    done = diff(tmp_path, after="", status=2)
    assert "after.folded: no samples" in done.stderr
    assert not list(tmp_path.glob("*.svg"))


def test_a_side_without_what_is_asked_for_counts_as_nothing(tmp_path):
    table = diff(tmp_path, "--focus", "grows").stdout
    assert rows(table) == {"grows": (0, 800, 800, "new", 100, True)}
    done = diff(tmp_path, "--focus", "nothing", status=2)
    assert done.stderr == ("flametrap: no run has such samples, so there is nothing to compare\n")


def test_a_picture_of_noise_alone_says_that_there_is_nothing_to_draw(tmp_path):
    same = "app;main;asm_sysvec_apic_timer_interrupt_[k] 800\n"
    for picture in (diff(tmp_path, "-o", "-", before=same, after=same).stdout,
                    (diff(tmp_path, before=same, after=same),
                     (tmp_path / "after.diff.svg").read_text(encoding="utf-8"))[1]):
        ElementTree.fromstring(picture)
        assert "There is nothing to draw" in picture


def test_values_that_are_no_samples_carry_no_marks(tmp_path):
    """Nanoseconds would all be beyond noise."""
    before, after = "app;a 1000000\napp;b 9000000\n", "app;a 1100000\napp;b 8900000\n"
    assert rows(diff(tmp_path, before=before, after=after).stdout)["a"][5]
    table = diff(tmp_path, "--unit", "ns", "--all", before=before, after=after).stdout
    assert "*" not in table and "does not say what one sample stands for" in table
    assert "nothing is known of the variation of one run a side" in table
    assert "Values in us per run" in table and rows(table)["a"][:2] == (1000, 1100)


# The picture: significant changes have a colour, and both sides can be seen

DRAWN_BEFORE = "app;main;same 4000\napp;main;shrinks 4000\napp;main;unsure 900\napp;main;gone;inside 2000\n"
DRAWN_AFTER = "app;main;same 4000\napp;main;shrinks 2000\napp;main;unsure 930\napp;main;grows 3000\n"

FILLS = """return Object.fromEntries([...document.querySelectorAll('.frames g[aria-label]')].map(
    g => [g.getAttribute('aria-label').split(' ')[0],
          getComputedStyle(g.querySelector('rect')).fill]))"""


@pytest.fixture(name="picture", scope="module")
def _picture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("diff")
    (folder / "before.folded").write_text(DRAWN_BEFORE)
    (folder / "after.folded").write_text(DRAWN_AFTER)
    flametrap("diff", "before.folded", "after.folded", cwd=folder, status=0)
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
    flametrap("diff", picture.parent / "before.folded", picture.parent / "after.folded", "--colors",
              palette, "-o", "x.svg", cwd=tmp_path, status=0)
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
    flametrap("diff", "--before", *sorted(folder.glob("old?")), "--after", *sorted(folder.glob("new?")),
              "-o", "x.svg", cwd=tmp_path, status=0)
    assert ">old0 and 2 more \u2192 new0 and 1 more<" in (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "variation between runs is unknown" not in (tmp_path / "x.svg").read_text(encoding="utf-8")
    flametrap("diff", folder / "old0", folder / "new0", "-o", "x.svg", cwd=tmp_path, status=0)
    assert "variation between runs is unknown" in (tmp_path / "x.svg").read_text(encoding="utf-8")
