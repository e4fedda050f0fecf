"""The numbers of a page are the sums of its samples: by function, module, thread, process, label and
wait, for ranges of time, threads, labels and counters with unequal parts, with frames left out."""

import csv
import io

import pytest

from launching import flametrap, run
from page_profiles import single
from rights import may_see_the_kernel
from running import COMMAND, target
from viewer_page import SECOND, Sums, Viewer, approximately, click_row, plain

TENANTS = {0: "none", 1: "blue", 2: "red", 3: "red"}


def units(data, seconds):
    return int(seconds * SECOND) // data.unit_ns


@pytest.mark.parametrize("begin, end, counter", [(0, 10, 0), (1.37, 1.38, 0), (2.5, 7.25, 1)])
def test_functions_of_a_range_of_time(made_up, opened, begin, end, counter):
    made, _ = made_up("labelled")
    low, high = units(made, begin), units(made, end)
    page = opened("labelled", f"#t={low}-{high}&c={made.counters[counter]['name']}")
    expected = Sums(made, counter, low, high + (end == 10))
    assert page.rows() == approximately(expected.table())


def test_threads_processes_modules_and_labels(opened):
    page = opened("labelled", "#b=thread&t=0-6000000")
    expected = Sums(page.data, 0, 0, 6000000)
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


def test_inverted_frames_begin_with_those_that_used_the_time(opened):
    page = opened("labelled", "#m=up&t=0-4000000")
    expected = Sums(page.data, 0, 0, 4000000)
    left = 0
    for name, value in sorted(expected.self.items(), key=lambda entry: (-entry[1], entry[0])):
        said = page.frame(1, (left + value / 2) / expected.all)
        assert said.startswith(f"{plain(name)} ({value:,} samples, {100 * value / expected.all:.2f}%)")
        left += value


def test_a_wait_counts_by_the_part_that_lies_in_the_selection(made_up, opened):
    data, _ = made_up("waits")
    low, high = units(data, 3.1), units(data, 3.8)
    page = opened("waits", f"#t={low}-{high}")
    assert page.rows() == approximately(Sums(data, 0, low, high, off=1).table())
    page.press("Off-CPU")
    assert page.rows() == approximately(Sums(data, 0, low, high).table())
    page.choose("Counter", "off-cpu")
    assert page.rows() == approximately(Sums(data, 1, low, high, off=1).table())


def test_a_ratio_divides_the_events_of_a_function(opened):
    page = opened("labelled", "#t=2000000-5000000")
    page.choose("Colour", "Colour: page-faults per ms of task-clock")
    faults = Sums(page.data, 1, 2000000, 5000000).table()
    clock = Sums(page.data, 0, 2000000, 5000000, off=1).table()
    found = page.rows()
    for name, values in found.items():
        ratio = faults.get(name, [0, 0])[1] / clock[name][1] * 1e6
        assert values[2] == pytest.approx(ratio, rel=.006), name
    said = page.frame(1, .5)
    assert f"{faults['app'][1] / clock['app'][1] * 1e6:.3g} page-faults per ms of task-clock" in said


def test_source_lines_of_a_function(opened):
    page = opened("labelled", "#t=2000000-5000000")
    click_row(page, "render")
    leaf = page.data.node("app", "main", "render")
    expected = Sums(page.data, 0, 2000000, 5000000, lambda sample: sample[1] == leaf).by["line"]
    lines = page.browser.js("""return [...document.querySelectorAll('.line.hot')].map(line => [
        line.querySelector('.number').textContent, line.querySelector('.count').title,
        line.querySelector('.text').textContent])""")
    found = {int(number): amount for number, amount, _ in lines}
    for line, value in expected.items():
        assert found[page.data.lines[line - 1][1]] == f"{value:,} sample" + ("" if value == 1 else "s")
    texts = {int(number): text for number, _, text in lines}
    assert texts[3] == "line 3 of the source" and texts[12] == ""


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
    for path, samples in (paths or PATHS).items():
        node = data.node("app", *filter(keeps, path))
        for _ in range(samples):
            at += 50_000_000
            data.sample(at, node, events=10_000_000, line=line)
    if not paths:
        wait = data.node("app", *filter(keeps, ("main", "write", "sys_write_[k]", "schedule_[k]")))
        data.sample(9 * SECOND, wait, counter=1, events=700_000_000)
    return data


@pytest.mark.parametrize("counter, off", [("task-clock", "0"), ("off-cpu", "0")])
@pytest.mark.parametrize("kind", KEEPS)
def test_what_was_in_them_belongs_to_their_callers(opened, kind, counter, off):
    page = opened(mixed(KEEPS["All frames"]), f"#c={counter}&o={off}")
    page.choose("Frames", kind)
    expected = Sums(mixed(KEEPS[kind]), int(counter == "off-cpu"))
    assert page.rows() == approximately(expected.table())


def test_they_come_back(opened):
    page = opened(mixed(KEEPS["All frames"]), "#c=task-clock&o=0")
    everything = page.rows()
    for kind in ("Script only", "Without the kernel", "All frames"):
        page.choose("Frames", kind)
    assert page.rows() == everything
    page.keys("k")
    assert "copy" not in page.rows() and "g=user" in page.fragment()
    page.keys("k", "k")
    assert page.rows() == everything and "g=" not in page.fragment()


def test_the_flame_graph_has_the_same_frames(opened):
    page = opened(mixed(KEEPS["All frames"]), "#c=task-clock&o=0&g=script")
    expected = Sums(mixed(KEEPS["Script only"]), 0)
    said = page.frame(2, 0.05)
    inside = expected.below("all", "app", "handle_[p]")
    assert said.startswith(f"handle ({inside:,} samples, {100 * inside / expected.all:.2f}%)")
    said = page.frame(3, 0.05)
    inside = expected.below("all", "app", "handle_[p]", "parse_[p]")
    assert said.startswith(f"{plain('parse_[p]')} ({inside:,} samples")


def test_a_line_is_that_of_the_frame_that_is_shown(opened):
    """Of parse, 11 samples were on its line; those in memcpy were on a line of memcpy."""
    page = opened(mixed(KEEPS["All frames"]), "#c=task-clock&o=0&g=script")
    click_row(page, "parse")
    assert page.texts(".source .number") == ["5"]
    said, = [text for text in page.texts(".source p") if "have no line" in text]
    assert said.startswith("38.9%"), said  # 7 of 18


def test_there_is_no_choice_where_there_is_one_kind(opened):
    page = opened(mixed(KEEPS["All frames"], {("main", "f"): 9}), "#g=script&o=0")
    assert page.shown("select[aria-label='Frames']") is False
    assert page.rows() == {"all": [0, 9], "app": [0, 9], "main": [0, 9], "f": [9, 9]}


WAITS = {"wait_sleep": "nanosleep", "wait_poll": "poll"}


@pytest.fixture(scope="module", name="profile")
def profile_once(tmp_path_factory):
    if not may_see_the_kernel():
        pytest.skip("an ordinary user may not count the kernel side here")
    folder = tmp_path_factory.mktemp("waits")
    run([COMMAND, "--wall", "-o", "out", "--format", "html,spool", "--", target("waits"),
         folder / "file", 30], folder, status=0)
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
    path, spool = profile
    page = Viewer(browser, path, "#c=off-cpu")
    expected = reported(spool)
    assert page.rows() == shown(expected)
    for function, call in WAITS.items():
        assert any(name.startswith(f"{function} -> ") and call in name for name in expected), function
    scheduled = sum(ns for name, ns in expected.items() if name.startswith("schedule"))
    assert scheduled < sum(expected.values()) / 100


def test_a_row_chooses_the_function_that_waits(browser, profile):
    page = Viewer(browser, profile[0], "#c=off-cpu")
    at = next(i for i, name in enumerate(page.order()) if name.startswith("wait_sleep -> "))
    page.click(f"tbody tr:nth-child({at + 1})")
    assert "f=" in page.fragment()
    assert page.text(".source strong") == "wait_sleep"
    page.choose("Rows", "By function")
    assert "b=function" in page.fragment() and page.order()[0] == "schedule"


def test_other_counters_have_functions_as_rows_and_waits_when_asked(browser, profile):
    path, spool = profile
    page = Viewer(browser, path, "#c=task-clock")
    assert not any(" -> " in name for name in page.order())
    page.choose("Rows", "By wait")
    assert page.rows() == shown(reported(spool))
