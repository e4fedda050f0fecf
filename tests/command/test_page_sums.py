"""The numbers of a page are the sums of its samples: by function, module, thread, process and label,
for ranges of time, threads, labels and counters with unequal parts."""

import pytest

from page_profiles import labelled, waits
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
