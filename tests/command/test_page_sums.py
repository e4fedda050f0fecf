"""The numbers of a page are the sums of its samples: by function, module, thread, process, label and
wait, for ranges of time, threads, labels and counters with unequal parts, with frames left out."""

import csv
import io

import pytest

from launching import flametrap, run
from page_profiles import labelled, single, waits
from rights import may_see_the_kernel
from running import COMMAND, target
from viewer_page import SECOND, Sums, Viewer, approximately, plain, viewer

TENANTS = {0: "none", 1: "blue", 2: "red", 3: "red"}


@pytest.fixture(scope="module", name="made")
def made_once():
    return labelled()


@pytest.fixture(scope="module", name="path")
def written(tmp_path_factory, made):
    return viewer(tmp_path_factory.mktemp("sums"), made)


@pytest.fixture(scope="module", name="waiting")
def waiting_once(tmp_path_factory):
    data = waits()
    return data, viewer(tmp_path_factory.mktemp("waits"), data)


def units(data, seconds):
    return int(seconds * SECOND) // data.unit_ns


@pytest.mark.parametrize("begin, end, counter", [(0, 10, 0), (1.37, 1.38, 0), (2.5, 7.25, 1)])
def test_functions_of_a_range_of_time(browser, made, path, begin, end, counter):
    low, high = units(made, begin), units(made, end)
    page = Viewer(browser, path, f"#t={low}-{high}&c={made.counters[counter]['name']}")
    expected = Sums(made, counter, low, high + (end == 10))
    assert page.rows() == approximately(expected.table())
    assert browser.errors() == []


@pytest.mark.parametrize("tracks", [[0], [1]])
def test_functions_of_a_thread(browser, made, path, tracks):
    page = Viewer(browser, path, f"#t=100000-5000000&k={tracks[0]}")
    expected = Sums(made, 0, 100000, 5000000, lambda sample: sample[2] in tracks)
    assert page.rows() == approximately(expected.table())


@pytest.mark.parametrize("value", ["blue", "red", ""])
def test_functions_of_a_label(browser, made, path, value):
    page = Viewer(browser, path, f'#l=["tenant","{value}"]')
    expected = Sums(made, 0, keep=lambda sample: TENANTS[sample[6]] == (value or "none"))
    assert page.rows() == approximately(expected.table())


def test_threads_processes_modules_and_labels(browser, made, path):
    page = Viewer(browser, path, "#b=thread&t=0-6000000")
    expected = Sums(made, 0, 0, 6000000)
    assert page.rows() == {"app (100)": [expected.by["track"][0]], "worker (101)": [expected.by["track"][1]]}
    page.choose("Rows", "By process")
    assert page.rows() == {"app (100)": [expected.all]}
    page.choose("Rows", "By label tenant")
    found = {}
    for labels, value in expected.by["labels"].items():
        found[TENANTS[labels]] = [found.get(TENANTS[labels], [0])[0] + value]
    assert page.rows() == found
    page.choose("Rows", "By module")
    inside = {name: expected.self.get(name, 0) for name in ("parse", "memcpy")}
    assert page.rows() == {
        "/usr/lib/libc.so.6": [inside["memcpy"]] * 2,
        "/opt/app": [inside["parse"], expected.all],
        "no module": [expected.all - sum(inside.values()), expected.all]}


def check_frames(page, expected, path, level, left, width):
    """Every frame that is wide enough to be hit, from the left, by name."""
    kids = sorted({stack[len(path)] for stack in expected.leaf
                   if stack[:len(path)] == path and len(stack) > len(path)})
    for kid in kids:
        value = expected.below(*path, kid)
        part = value / expected.all
        said = page.frame(level, left + part / 2 * .02 + 2 / width)
        amount = f"{value:,} sample" + ("" if value == 1 else "s")
        assert said.startswith(f"{plain(kid)} ({amount}, {100 * part:.2f}%)"), path
        check_frames(page, expected, path + (kid,), level + 1, left, width)
        left += part


def test_frames_of_a_range_of_time(browser, made, path):
    page = Viewer(browser, path, "#t=1000000-3000000")
    expected = Sums(made, 0, 1000000, 3000000)
    check_frames(page, expected, ("all",), 1, 0, page.frame_width())


def test_inverted_frames_begin_with_those_that_used_the_time(browser, made, path):
    page = Viewer(browser, path, "#m=up&t=0-4000000")
    expected = Sums(made, 0, 0, 4000000)
    left = 0
    for name, value in sorted(expected.self.items(), key=lambda entry: (-entry[1], entry[0])):
        said = page.frame(1, (left + value / 2) / expected.all)
        assert said.startswith(f"{plain(name)} ({value:,} samples, {100 * value / expected.all:.2f}%)")
        left += value


def test_callers_and_callees_of_a_function_that_calls_itself(browser, made, path):
    page = Viewer(browser, path, "#t=0-4000000")
    expected = Sums(made, 0, 0, 4000000)
    page.keys("Escape")
    page.browser.js("[...document.querySelectorAll('tbody tr')].find(row => "
                    "row.querySelector('.name').title === 'parse').click()")
    page.go(page.fragment() + "&m=around&t=0-4000000")
    total, whole = expected.total["parse"], expected.all
    said = [page.frame(level, .001) for level in range(4)]
    told = f"({total:,} samples, {100 * total / whole:.2f}%)"
    assert [one.split(" (")[0] for one in said] == ["app", "main", "parse", "memcpy"]
    assert all(one.split(") ")[0].split(" ", 1)[1].startswith(told) for one in said[:3])
    below = expected.below("all", "app", "main", "parse", "memcpy")
    assert said[3].startswith(f"memcpy ({below:,} samples, {100 * below / whole:.2f}%)")


def test_a_wait_counts_by_the_part_that_lies_in_the_selection(browser, waiting):
    data, path = waiting
    low, high = units(data, 3.1), units(data, 3.8)
    page = Viewer(browser, path, f"#t={low}-{high}")
    assert page.rows() == approximately(Sums(data, 0, low, high, off=1).table())
    page.press("Off-CPU")
    assert page.rows() == approximately(Sums(data, 0, low, high).table())
    page.choose("Counter", "off-cpu")
    assert page.rows() == approximately(Sums(data, 1, low, high, off=1).table())


def test_a_ratio_divides_the_events_of_a_function(browser, made, path):
    page = Viewer(browser, path, "#t=2000000-5000000")
    page.choose("Colour", "Colour: page-faults per ms of task-clock")
    faults = Sums(made, 1, 2000000, 5000000).table()
    clock = Sums(made, 0, 2000000, 5000000, off=1).table()
    found = page.rows()
    for name, values in found.items():
        ratio = faults.get(name, [0, 0])[1] / clock[name][1] * 1e6
        assert values[2] == pytest.approx(ratio, rel=.006), name
    said = page.frame(1, .5)
    assert f"{faults['app'][1] / clock['app'][1] * 1e6:.3g} page-faults per ms of task-clock" in said


def test_source_lines_of_a_function(browser, made, path):
    page = Viewer(browser, path, "#t=2000000-5000000")
    browser.js("[...document.querySelectorAll('tbody tr')].find(row => "
               "row.querySelector('.name').title === 'render').click()")
    page.settle()
    leaf = made.node("app", "main", "render")
    expected = Sums(made, 0, 2000000, 5000000, lambda sample: sample[1] == leaf).by["line"]
    lines = browser.js("""return [...document.querySelectorAll('.line.hot')].map(line => [
        line.querySelector('.number').textContent, line.querySelector('.count').title,
        line.querySelector('.text').textContent])""")
    found = {int(number): amount for number, amount, _ in lines}
    for line, value in expected.items():
        assert found[made.lines[line - 1][1]] == f"{value:,} sample" + ("" if value == 1 else "s")
    texts = {int(number): text for number, _, text in lines}
    assert texts[3] == "line 3 of the source" and texts[12] == ""


def test_the_share_of_a_search_counts_nested_matches_once(browser, made, path):
    page = Viewer(browser, path, "#s=^parse$&t=2000000-5000000")
    expected = Sums(made, 0, 2000000, 5000000)
    part = 100 * expected.total["parse"] / expected.all
    assert page.text(".matched") == f"Matched: {part:.1f}% of the selection"


PATHS = {  # samples of a thread: unequal, so that none stands for another
    ("main", "eval", "handle_[p]", "eval", "parse_[p]", "memcpy"): 7,
    ("main", "eval", "handle_[p]", "eval", "parse_[p]"): 11,
    ("main", "eval", "handle_[p]", "read", "sys_read_[k]", "copy_[k]"): 13,
    ("main", "eval", "handle_[p]", "read", "sys_read_[k]"): 17,
    ("main", "boot"): 19,
    ("main", "write", "sys_write_[k]"): 23,
    ("sys_exit_[k]",): 3,
}
KEEPS = {
    "All frames": lambda name: True,
    "Without the kernel": lambda name: not name.endswith("_[k]"),
    "Script only": lambda name: name.endswith("_[p]"),
}


def mixed(keeps, paths=None):
    data = single("Mixed", 10)
    data.counter("off-cpu", "ns", "events", 0, off=True)
    line = data.line(0, 5)
    data.files.append({"path": "/src/app.c"})
    at = 0
    for mixed_path, samples in (paths or PATHS).items():
        node = data.node("app", *filter(keeps, mixed_path))
        for _ in range(samples):
            at += 50_000_000
            data.sample(at, node, events=10_000_000, line=line)
    if not paths:
        wait = data.node("app", *filter(keeps, ("main", "write", "sys_write_[k]", "schedule_[k]")))
        data.sample(9 * SECOND, wait, counter=1, events=700_000_000)
    return data


@pytest.fixture(scope="module", name="mixed_path")
def mixed_once(tmp_path_factory):
    return viewer(tmp_path_factory.mktemp("frames"), mixed(KEEPS["All frames"]))


@pytest.mark.parametrize("counter, off", [("task-clock", "0"), ("off-cpu", "0")])
@pytest.mark.parametrize("kind", KEEPS)
def test_what_was_in_them_belongs_to_their_callers(browser, mixed_path, kind, counter, off):
    page = Viewer(browser, mixed_path, f"#c={counter}&o={off}")
    page.choose("Frames", kind)
    expected = Sums(mixed(KEEPS[kind]), int(counter == "off-cpu"))
    assert page.rows() == approximately(expected.table())
    assert browser.errors() == []


def test_they_come_back(browser, mixed_path):
    page = Viewer(browser, mixed_path, "#c=task-clock&o=0")
    everything = page.rows()
    for kind in ("Script only", "Without the kernel", "All frames"):
        page.choose("Frames", kind)
    assert page.rows() == everything
    page.keys("k")
    assert "copy" not in page.rows() and "g=user" in page.fragment()
    page.keys("k", "k")
    assert page.rows() == everything and "g=" not in page.fragment()


def test_the_flame_graph_has_the_same_frames(browser, mixed_path):
    page = Viewer(browser, mixed_path, "#c=task-clock&o=0&g=script")
    expected = Sums(mixed(KEEPS["Script only"]), 0)
    said = page.frame(2, 0.05)
    inside = expected.below("all", "app", "handle_[p]")
    assert said.startswith(f"handle ({inside:,} samples, {100 * inside / expected.all:.2f}%)")
    said = page.frame(3, 0.05)
    inside = expected.below("all", "app", "handle_[p]", "parse_[p]")
    assert said.startswith(f"{plain('parse_[p]')} ({inside:,} samples")


def test_a_line_is_that_of_the_frame_that_is_shown(browser, mixed_path):
    """Of parse, 11 samples were on its line; those in memcpy were on a line of memcpy."""
    page = Viewer(browser, mixed_path, "#c=task-clock&o=0&g=script")
    page.browser.js("[...document.querySelectorAll('tbody tr')].find(row => "
                    "row.querySelector('.name').title === 'parse').click()")
    page.settle()
    assert page.texts(".source .number") == ["5"]
    said, = [text for text in page.texts(".source p") if "have no line" in text]
    assert said.startswith("38.9%"), said  # 7 of 18


def test_there_is_no_choice_where_there_is_one_kind(browser, tmp_path):
    page = Viewer(browser, viewer(tmp_path, mixed(KEEPS["All frames"], {("main", "f"): 9})), "#g=script&o=0")
    assert page.shown("select[aria-label='Frames']") is False
    assert page.rows() == {"all": [0, 9], "app": [0, 9], "main": [0, 9], "f": [9, 9]}


WAITS = {"wait_sleep": "nanosleep", "wait_poll": "poll"}


@pytest.fixture(scope="module", name="profile")
def profile_once(tmp_path_factory):
    if not may_see_the_kernel():
        pytest.skip("an ordinary user may not count the kernel side here")
    folder = tmp_path_factory.mktemp("waits")
    done = run([COMMAND, "--wall", "-o", "out", "--format", "html,spool", "--", target("waits"),
                folder / "file", 30], folder)
    assert done.returncode == 0, done.stderr
    spool, = folder.glob("out.*.spool")
    return folder / "out.html", spool


def reported(spool):
    """{row: its own ns} of the counter off-cpu"""
    text = flametrap("report", "--csv", "--counter", "off-cpu", spool).stdout
    rows = csv.DictReader(io.StringIO(text))
    return {row["name"]: int(row["self"]) for row in rows if int(row["self"])}


def shown(waits):
    """Rows of the page, which tells times in three digits."""
    return {name: [pytest.approx(ns, rel=6e-3)] for name, ns in waits.items()}


def test_waits_are_rows_by_themselves(browser, profile):
    mixed_path, spool = profile
    page = Viewer(browser, mixed_path, "#c=off-cpu")
    expected = reported(spool)
    assert page.rows() == shown(expected)
    for function, call in WAITS.items():
        assert any(name.startswith(f"{function} -> ") and call in name for name in expected), function
    scheduled = sum(ns for name, ns in expected.items() if name.startswith("schedule"))
    assert scheduled < sum(expected.values()) / 100
    assert browser.errors() == []


def test_a_row_chooses_the_function_that_waits(browser, profile):
    page = Viewer(browser, profile[0], "#c=off-cpu")
    at = next(i for i, name in enumerate(page.order()) if name.startswith("wait_sleep -> "))
    page.click(f"tbody tr:nth-child({at + 1})")
    assert "f=" in page.fragment()
    assert page.text(".source strong") == "wait_sleep"
    page.choose("Rows", "By function")
    assert "b=function" in page.fragment() and page.order()[0] == "schedule"


def test_other_counters_have_functions_as_rows_and_waits_when_asked(browser, profile):
    mixed_path, spool = profile
    page = Viewer(browser, mixed_path, "#c=task-clock")
    assert not any(" -> " in name for name in page.order())
    page.choose("Rows", "By wait")
    assert page.rows() == shown(reported(spool))
