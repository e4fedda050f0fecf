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
    done = flametrap("diff", "before.folded", "after.folded", *options, cwd=folder)
    assert done.returncode == status, done.stderr
    return done


def rows(table):
    """Functions of the table of own values: before, after, change, z of shares, marked or not."""
    own = table.split("function, itself\n", 1)[1].split("\n\n", 1)[0]
    found = {}
    for line in own.splitlines():
        match = re.match(r" +\d+ +\d+ +[-+]\d+ +([\d.]+) +([\d.]+) +([-+][\d.]+) +(-?[\d.]+) "
                         r"([* ]) (\S+)$", line)
        assert match, line
        found[match[6]] = (float(match[1]), float(match[2]), float(match[3]), float(match[4]),
                           match[5] == "*")
    return found


def test_the_table_tells_shares_and_significance(tmp_path):
    table = diff(tmp_path).stdout
    assert "before before.folded: 1000 samples" in table
    assert "after  after.folded: 2000 samples" in table
    assert rows(table) == {
        "grows": (0, 40, 40, 23.4, True), "shrinks": (40, 20, -20, -11.7, True),
        "vanishes": (20, 0, -20, -20.7, True)}


def test_values_stand_before_shares_and_the_whole_s_change_above(tmp_path):
    table = diff(tmp_path).stdout
    assert "\nchange +1000 samples (+100.0 %)\n" in table
    assert re.search(r"^ +0 +800 +\+800 +0\.00 +40\.00 .* grows$", table, re.M)
    assert re.search(r"^ +400 +400 +\+0 +40\.00 +20\.00 .* shrinks$", table, re.M)


def test_a_reversed_picture_leaves_the_tables_as_they_are(tmp_path):
    """The command is no function there, wherever the picture has it."""
    words = {"before": BEFORE, "after": AFTER.replace("app;", "app2;")}
    table = diff(tmp_path, **words).stdout
    assert "the commands app and app2 are compared as one" in table and "grows" in table
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
    assert "the commands bench_old and bench_new are compared as one\n" in done.stdout
    table = rows(done.stdout)
    assert "[bench_old]" not in table and table["copy"][0] == 0
    shown = frames_of(tmp_path / "after.diff.svg")
    for name in ("bench_new", "main", "same", "[bench_new]"):
        assert "was 0.00%" not in shown[name], shown[name]
    assert "was 0.00%" in shown["cat"]


def test_commands_that_both_have_keep_their_names(tmp_path):
    done = diff(tmp_path, before="a;f 10\nb;f 20\n", after="a;f 30\nb;f 10\n")
    assert "compared as one" not in done.stdout
    assert "was 66.67%" in frames_of(tmp_path / "after.diff.svg")["b"]


def test_interrupts_and_preemption_take_no_part(tmp_path):
    same = "app;main;f 1000\napp;main;g 3000\n"
    noise = "app;main;f;asm_sysvec_apic_timer_interrupt_[k];tick_[k] 800\n"
    done = diff(tmp_path, before=same, after=same + noise)
    assert "noise  0 samples before, 800 after: interrupts, preemption" in done.stdout
    assert "*" not in done.stdout.split("Values in")[0] and "no function changed" in done.stdout
    done = diff(tmp_path, before=same, after=same + "app;main;sysvec_like 800\n")
    assert rows(done.stdout)["sysvec_like"][4]


def test_a_difference_that_chance_explains_is_not_marked(tmp_path):
    table = diff(tmp_path, before="app;a 50\napp;b 50\n", after="app;a 55\napp;b 45\n").stdout
    assert rows(table) == {"a": (50, 55, 5, .7, False), "b": (50, 45, -5, -.7, False)}


def test_profiles_of_commands_alone_differ_in_no_function(tmp_path):
    assert "no function changed" in diff(tmp_path, before="app 5\n", after="app 7\n").stdout


def test_the_picture_lies_beside_the_second_file(tmp_path):
    assert "wrote after.diff.svg" in diff(tmp_path).stderr
    shown = titles((tmp_path / "after.diff.svg").read_bytes())
    assert "grows (800 samples, 40.00%, was 0.00%, +40.00)" in shown
    assert "shrinks (400 samples, 20.00%, was 40.00%, -20.00)" in shown


def test_standard_output_takes_the_picture_alone(tmp_path):
    ElementTree.fromstring(diff(tmp_path, "-o", "-").stdout)
    assert not list(tmp_path.glob("*.svg"))


def test_an_empty_profile_is_refused(tmp_path):
    done = diff(tmp_path, after="", status=1)
    assert "after.folded: no samples" in done.stderr
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("arguments", [[], ["one"], ["a", "b", "c"], ["a", "b", "--rows", "x"]])
def test_wrong_usage_is_status_2(arguments, tmp_path):
    done = flametrap("diff", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr


def channels(colour):
    return [int(value) for value in re.findall(r"\d+", colour)[:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_more_is_red_less_is_blue_equal_is_neither(browser, tmp_path, scheme):
    diff(tmp_path)
    page = Page(browser, tmp_path / "after.diff.svg")
    browser.scheme(scheme)
    fills = browser.js("""return Object.fromEntries([...document.querySelectorAll('.frames g')].map(
        g => [g.getAttribute('aria-label').split(' ')[0],
              getComputedStyle(g.querySelector('rect')).fill]))""")
    red, _, blue = channels(fills["grows"])
    assert red > blue + 60
    red, _, blue = channels(fills["shrinks"])
    assert blue > red + 40
    for name in ("same", "main", "all"):
        assert len(set(channels(fills[name]))) == 1
    assert "vanishes" not in fills
    page.browser.hover(page.element("grows"))
    assert page.text(".details") == "grows (800 samples, 40.00%, was 0.00%, +40.00)"
    assert browser.errors() == []


def test_values_that_are_no_samples_carry_no_marks(tmp_path):
    """Nanoseconds would all be beyond noise."""
    before, after = "app;a 1000000\napp;b 9000000\n", "app;a 1100000\napp;b 8900000\n"
    assert rows(diff(tmp_path, before=before, after=after).stdout)["a"][4]
    table = diff(tmp_path, "--unit", "ns", before=before, after=after).stdout
    assert "*" not in table and "noise is not estimated" in table
