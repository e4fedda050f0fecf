"""Page faults say what kind of memory was touched: as many of each kind as the program touches pages,
none for what the profiler touches itself."""

import pytest

from running import LEAF_ONLY, target

PAGE_BYTES = 4096


@pytest.fixture
def content(tmp_path):
    (tmp_path / "content").write_bytes(b"x" * 200 * PAGE_BYTES)
    return tmp_path / "content"


def touched(stdout):
    found = {}
    for line in stdout.decode().splitlines():
        function, pages, kind = line.split(" ", 2)
        found[function, kind] = int(pages)
    return found


def classes(folded, expected):
    """{(function, kind): faults} where the program knows how many there are.  A handler that also
    serves a clock may leave out first stacks, which take it longest: those are the first function's."""
    functions = [function for function, _ in expected]
    found = {}
    for frames, value in folded.stacks.items():
        called = functions[:1] if frames[1] == LEAF_ONLY else frames
        function = next((frame for frame in called if frame in functions), None)
        key = (function, frames[-1])
        if key in expected and frames[-2] == "touch":  # a call may touch one more of the stack
            found[key] = found.get(key, 0) + value
    return found


@pytest.mark.parametrize("counter, settings", [
    ("page-faults", {"events": "page-faults"}),
    ("minor-faults", {"events": "minor-faults", "kernel": "no"}),
    ("minor-faults", {"events": "task-clock/period=100000/,major-faults,minor-faults"}),
    ("page-faults", {"events": "page-faults", "notify": "sigio"}),
])
def test_faults_are_told_apart_by_what_was_touched(profiler, content, counter, settings):
    result, spools = profiler.collected([target("faulting"), content], period=1, **settings)
    assert result.status == 0, result.stderr
    expected = touched(result.stdout)
    assert len(expected) == 10
    assert spools[0].lost() == 0
    found = classes(profiler.fold(spools, "--counter", counter), expected)
    if "task-clock" in settings["events"]:  # whose signal's frame touches pages below the stack's end
        own = ("touch_own_stack", "[stack]")
        assert expected[own] * 0.8 <= found.pop(own) <= expected.pop(own)
    assert found == expected


def test_a_forked_child_tells_its_own_apart(profiler, content):
    argv = ["/bin/sh", "-c", f"({target('faulting')} {content}); true"]
    result, spools = profiler.collected(argv, events="page-faults", period=1)
    assert result.status == 0, result.stderr
    expected = touched(result.stdout)
    assert classes(profiler.fold(spools), expected) == expected


def test_what_was_counted_is_in_stacks_or_accounted_for(profiler, content):
    """Faults of the handler itself are counted by the kernel, and dropped by name."""
    _, spools = profiler.collected([target("faulting"), content], events="page-faults", period=1)
    dropped = sum(thread.totals[0]["dropped"] for thread in spools[0].threads)
    assert spools[0].counted() == spools[0].events() + dropped
