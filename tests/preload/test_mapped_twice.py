"""Code that a program maps a second time from the file of a loaded object has the names of the
first, though the loader knows of one mapping only."""

import pytest

from running import LIBRARY, program, target

UNITS = 100_000_000  # 4 times as many turns of a loop: some 100 ms
PERIOD_NS = 200000
INNER = 3 / 4  # of the work
WITHIN = 0.1  # by chance, of hundreds of samples


@pytest.mark.parametrize("how", ["end", "unmap", "fork", "exec"])
def test_functions_in_a_second_mapping_have_their_names(profiler, how):
    """Whether it is there at the end, was unmapped before, is in a child, or gives way to another
    program."""
    argv = [target("twice"), UNITS, how]
    result, spools = profiler.alike(argv, period=PERIOD_NS, events="task-clock:u")
    assert result.stdout == (b"done\n" if how == "exec" else b"")
    folded = profiler.fold(spools, "--weight", "samples")
    outer, inner = folded.inclusive("outer"), folded.leaf("inner")
    assert outer >= 100 and outer >= 0.9 * folded.inclusive("main")
    assert abs(inner / outer - INNER) <= WITHIN, (inner, outer)
    assert not folded.inclusive(r"\[unknown\]")


def test_both_mappings_are_one_module(profiler):
    _, spools = profiler.collected([target("twice"), UNITS], period=PERIOD_NS,
                                   events="task-clock:u")
    folded = profiler.fold(spools, "--weight", "samples", "--by", "module")
    assert folded.leaf("twice") >= 0.9 * folded.total


def test_nothing_is_read_where_no_sample_met_such_code(profiler):
    """Neither at munmap nor at the end."""
    def opened(*argv):
        trace = profiler.folder / "trace"
        more = profiler.preloaded(None, events="task-clock:u", period=PERIOD_NS, collect="yes",
                                  log="quiet", notify="sigtrap")
        done = profiler.plain([program("strace"), "-e", "trace=openat", "-o", trace, "-E",
                               f"LD_PRELOAD={LIBRARY}", *argv],
                              environment=more)
        assert done.status in (0, 7), done.stderr
        return trace.read_text(encoding="ascii").count("/proc/self/maps")

    assert opened(target("harm_loop"), "1000") == 0
    assert opened(target("twice"), UNITS, "unmap") == 2
