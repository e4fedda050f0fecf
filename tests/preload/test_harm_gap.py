"""Where the program has unmapped memory, nothing of ours comes: it may count on the gap."""

import pytest

from running import target

CPU_MS = 1000
PERIOD_NS = 200000


@pytest.mark.parametrize("pages", [1, 4096, *(pytest.param(pages, marks=pytest.mark.long) for pages in (2, 17))])
@pytest.mark.parametrize("events", ["task-clock", "{task-clock,page-faults}"])
def test_what_a_handler_maps_is_not_where_the_program_unmapped(profiler, events, pages):
    argv = [target("harm_contexts"), CPU_MS, pages]
    empty = (0, b"gap\nempty\n", b"")
    assert profiler.plain(argv).outcome() == empty
    result, (spool,) = profiler.collected(argv, events=events, period=PERIOD_NS)
    assert result.outcome() == empty
    assert spool.samples() > 100
