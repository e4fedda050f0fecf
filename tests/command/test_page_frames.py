"""Frames of the kernel, or all but a script's, may be left out of a page: what was in them belongs to
their callers, in all its parts."""

import pytest

from page_profiles import single
from viewer_page import SECOND, Sums, Viewer, approximately, plain, viewer

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


@pytest.fixture(scope="module", name="path")
def written(tmp_path_factory):
    return viewer(tmp_path_factory.mktemp("frames"), mixed(KEEPS["All frames"]))


@pytest.mark.parametrize("counter, off", [("task-clock", "0"), ("off-cpu", "0")])
@pytest.mark.parametrize("kind", KEEPS)
def test_what_was_in_them_belongs_to_their_callers(browser, path, kind, counter, off):
    page = Viewer(browser, path, f"#c={counter}&o={off}")
    page.choose("Frames", kind)
    expected = Sums(mixed(KEEPS[kind]), int(counter == "off-cpu"))
    assert page.rows() == approximately(expected.table())
    assert browser.errors() == []


def test_they_come_back(browser, path):
    page = Viewer(browser, path, "#c=task-clock&o=0")
    everything = page.rows()
    for kind in ("Script only", "Without the kernel", "All frames"):
        page.choose("Frames", kind)
    assert page.rows() == everything
    page.keys("k")
    assert "copy" not in page.rows() and "g=user" in page.fragment()
    page.keys("k", "k")
    assert page.rows() == everything and "g=" not in page.fragment()


def test_the_flame_graph_has_the_same_frames(browser, path):
    page = Viewer(browser, path, "#c=task-clock&o=0&g=script")
    expected = Sums(mixed(KEEPS["Script only"]), 0)
    said = page.frame(2, 0.05)
    inside = expected.below("all", "app", "handle_[p]")
    assert said.startswith(f"handle ({inside:,} samples, {100 * inside / expected.all:.2f}%)")
    said = page.frame(3, 0.05)
    inside = expected.below("all", "app", "handle_[p]", "parse_[p]")
    assert said.startswith(f"{plain('parse_[p]')} ({inside:,} samples")


def test_a_line_is_that_of_the_frame_that_is_shown(browser, path):
    """Of parse, 11 samples were on its line; those in memcpy were on a line of memcpy."""
    page = Viewer(browser, path, "#c=task-clock&o=0&g=script")
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
