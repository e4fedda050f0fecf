"""The page (--format html) lists moments that chance does not explain, of the threads that are selected."""

import random
import re

import pytest

from page_profiles import single, stalls
from viewer_page import SECOND, Viewer, viewer

MS = 1_000_000


@pytest.fixture(name="shown")
def _shown(browser, tmp_path):
    """Opens the page of data once its moments were looked for."""
    def opened(data, fragment=""):
        page = Viewer(browser, viewer(tmp_path, data), fragment)
        browser.until(lambda: settled(page))
        return page
    return opened


def settled(page):
    page.settle()
    return not page.browser.js("return document.querySelector('.moments').hasAttribute('aria-busy')")


def chips(page):
    """[(what, times)]"""
    return page.browser.js("""return [...document.querySelectorAll('.moments button')].map(one =>
        [...one.children].map(part => part.textContent))""")


def asked(page):
    return [int(part) for part in re.search(r"t=(\d+)-(\d+)", page.fragment()).groups()]


def mixed(chance, data, begin, end, step, nodes):
    """Records that stand for the milliseconds since the one before, of any of some functions."""
    for time in range(begin, end, step):
        data.sample(time * MS, chance.choice(nodes), 0, 0, step, step * MS)


def test_a_record_of_many_samples_is_one_observation(shown):
    """A rare function's record that stands for many samples is no moment."""
    chance = random.Random(4)
    data = single("Late", 8)
    data.counters[0]["period"] = MS
    nodes = [data.node("app", "main", name) for name in ("hash", "parse")]
    rare = data.node("app", "main", "clone3")
    for time in range(0, 8000):
        late = chance.choice((4, 6, 9, 20)) if time % 257 == 0 else 1
        data.sample(time * MS, rare if late > 1 else chance.choice(nodes), 0, 0, late, late * MS)
    assert chips(shown(data)) == []


def test_chance_makes_no_moment_of_coarse_records(shown):
    chance = random.Random(5)
    data = single("Coarse", 12)
    mixed(chance, data, 24, 12000, 24, [data.node("app", "main", name) for name in "abcde"])
    assert chips(shown(data)) == []


def test_coarse_records_one_after_the_other_are_one_moment(shown):
    """The records are further apart than the shortest pieces that are looked at."""
    chance = random.Random(6)
    data = single("Coarse", 12)
    data.counters[0]["period"] = MS
    nodes = [data.node("app", "main", name) for name in "acde"]
    mixed(chance, data, 24, 3000, 24, nodes)
    mixed(chance, data, 3000, 3600, 24, [data.node("app", "main", "B")])
    mixed(chance, data, 3600, 12000, 24, nodes)
    page = shown(data)
    (what, times), = chips(page)
    assert what == "B 100.0% instead of 5.0%" and times == "600 ms"
    page.click(".moments button")
    begin, end = asked(page)
    assert begin * data.unit_ns == pytest.approx(2976 * MS, abs=2 * data.unit_ns)
    assert end * data.unit_ns == pytest.approx(3576 * MS, abs=2 * data.unit_ns)


def test_a_moment_goes_on_while_its_thread_waits_for_a_processor(shown):
    chance = random.Random(8)
    data = single("Busy", 9)
    data.counters[0]["period"] = MS
    nodes, stall = [data.node("app", "main", name) for name in "ac"], data.node("app", "main", "B")
    for time in range(1, 9000):
        if time % 1000 >= 80 or time < 1000:
            data.sample(time * MS, chance.choice(nodes), 0, 0, 1, MS)
        elif time % 17 < 8:
            data.sample(time * MS, stall, 0, 0, 1, MS)
    times, = [times for what, times in chips(shown(data)) if what.startswith("B 100.0% instead of ")]
    assert re.fullmatch(r"8 times 7\d(\.\d)? ms, every 1 s", times), times


def test_a_moment_has_two_times_and_lasts_as_long_as_a_sample(shown):
    """Of eight threads at once: all in B at one time, then at two."""
    for step, listed in ((0, False), (MS // 4, True)):
        chance = random.Random(7)
        data = single("Threads", 4)
        data.counters[0]["period"] = MS
        tracks = [0] + [data.track(0, 101 + at, f"worker-{at}", end=data.end) for at in range(7)]
        nodes, rare = [data.node("app", "main", name) for name in "ac"], data.node("app", "main", "B")
        for time in range(1, 4000):
            for at, track in enumerate(tracks):
                node = rare if time == 2000 else chance.choice(nodes)
                data.sample(time * MS + (at % 2) * step, node, track, 0, 1, MS)
        page = shown(data)
        assert [what for what, _ in chips(page) if what.startswith("B ")] == \
            (["B 100.0% instead of 0.0%"] if listed else []), chips(page)
        if listed:
            page.click(".moments button")
            begin, end = asked(page)
            assert (end - begin) * data.unit_ns >= MS


def test_moments_are_of_the_selected_threads(shown):
    data = stalls()
    data.track(0, 101, "steady", end=data.end)
    data.track(0, 102, "even", end=data.end)
    node = data.node("app", "main", "steady")
    for step in range(2400):
        for track in (1, 2):
            data.sample(step * 10 * MS, node, track, 0, 1, 10 * MS)
    page = shown(data)
    page.go("#k=1")
    page.browser.until(lambda: settled(page))
    assert chips(page) == []
    page.go("#k=0")
    page.browser.until(lambda: settled(page))
    assert [what for what, _ in chips(page)] == ["Nearly no samples", "B 100.0% instead of 8.0%"]
    assert page.text(".moments strong") == "Unusual moments of app (100):"
    page.go("#k=1-2")
    page.keys("m")  # at once, before the list is made anew
    assert "t=" not in page.fragment()
    assert chips(page) == []


def test_a_quiet_moment_tells_what_waited(shown):
    data = stalls()
    data.counter("off-cpu", "ns", "events", 0, off=True)
    asleep, brief = data.node("app", "main", "flush", "fsync"), data.node("app", "main", "A", "read")
    for second in range(24):
        if second % 4 == 3:
            data.sample((second + 1) * SECOND, asleep, 0, 1, 1, SECOND)
        else:
            data.sample(second * SECOND + 500 * MS, brief, 0, 1, 1, MS)
    assert chips(shown(data))[0][0] == "Nearly no samples, waits in flush"


def test_lengths_that_differ_are_told_as_a_range(shown):
    data = single("Pauses", 20)
    data.counters[0]["period"] = MS
    node = data.node("app", "main", "work")
    for time in range(20000):
        if not (4000 <= time < 4100 or 9000 <= time < 9500 or 15000 <= time < 16000):
            data.sample(time * MS, node, 0, 0, 1, MS)
    (what, times), = chips(shown(data))
    assert what == "Nearly no samples" and times == "3 times 100 ms to 1 s"
