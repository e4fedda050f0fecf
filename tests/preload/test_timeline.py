"""The timeline: what is in the trees of a spool is in its logs too, with the time."""

import pytest

import spool_log
from running import target

ONE_NS = 1000000000


def check_log(spool, thread):
    """Sums, times and order of one log."""
    log = spool_log.log_of(spool, thread)
    assert spool_log.sums(log) == spool_log.tree_sums(spool, thread), thread.name
    for entry in log:
        assert entry.node in thread.nodes or entry.kind not in (spool_log.SAMPLE, spool_log.MEMBER)
        assert spool.start_ns - ONE_NS < entry.time_ns, thread.name
        assert not spool.end_ns or entry.time_ns <= spool.end_ns + ONE_NS, thread.name
    for tid in {entry.tid for entry in log}:
        ends = [entry for entry in log if entry.tid == tid and entry.kind == spool_log.END]
        assert len(ends) <= 1 or thread.tid == 0
    return log


def check_all(spools):
    for spool in spools:
        assert spool.count("LOG_DROPPED") == 0
        for thread in spool.threads:
            check_log(spool, thread)


def samples_of(log):
    return [entry for entry in log if entry.kind == spool_log.SAMPLE]


PROGRAMS = {
    "one thread": (["burn"], {}),
    "threads": (["names", 50], {}),
    "threads kept apart": (["names", 50], {"threads": "id"}),
    "short threads": (["short_threads", 500], {"period": 100000}),
    "forks": (["fork_of_many", 20, 20], {}),
    "the timer": (["names", 50], {"engine": "timer"}),
    "a group": (["names", 50], {"events": "{task-clock,page-faults,context-switches}"}),
    "two clocks": (["names", 50], {"events": "task-clock,cpu-clock"}),
    "waits": (["naps"], {"events": "task-clock,off-cpu"}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_log_adds_up_to_the_tree(profiler, name):
    (which, *arguments), settings = PROGRAMS[name]
    result, spools = profiler.collected([target(which), *arguments], **settings)
    assert result.status in (0, 7), result.stderr
    assert spools and sum(spool.samples() for spool in spools) > 0
    check_all(spools)


def test_the_samples_of_a_thread_are_in_order(profiler):
    result, (spool,) = profiler.collected([target("burn")])
    assert result.status in (0, 7)
    (thread,) = spool.threads
    times = [entry.time_ns for entry in samples_of(spool_log.log_of(spool, thread))]
    assert len(times) > 1 and times == sorted(times)


def test_no_timeline_is_written_when_none_is_asked_for(profiler):
    result, (spool,) = profiler.collected([target("names"), 20], timeline="no")
    assert result.status in (0, 7)
    assert spool.timeline_bytes == 0 and spool_log.log_bytes(spool) == 0
    assert spool.samples() > 0
