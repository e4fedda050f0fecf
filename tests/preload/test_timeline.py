"""The timeline: what is in the trees of a spool is in its logs too, with the time, and with the trace and the
span that an OpenTelemetry SDK publishes (OTEP 4947).  The programs for these were written from its text."""

import collections
import errno
import subprocess

import pytest

import spool_format
import spool_log
from running import PERIOD_NS, clean_environment, target
from spool import Spool

ONE_NS = 1000000000


def samples_of(log):
    return [entry for entry in log if entry.kind == spool_log.SAMPLE]


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


PROGRAMS = {
    "one thread": (["burn"], {}),
    "threads": (["names", 50], {}),
    "threads kept apart": (["names", 50], {"threads": "id"}),
    "short threads": (["crowd", 500, "in-turn"], {"period": 100000}),
    "forks": (["forks", "many", 20, 20], {}),
    "the timer": (["names", 50], {"engine": "timer"}),
    "a group": (["names", 50], {"events": "{task-clock,page-faults,context-switches}"}),
    "two clocks": (["names", 50], {"events": "task-clock,cpu-clock"}),
    "waits": (["waits", "naps"], {"events": "task-clock,off-cpu"}),
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
    thread = spool.threads[0]
    times = [entry.time_ns for entry in samples_of(spool_log.log_of(spool, thread))]
    assert len(times) > 1 and times == sorted(times)


def test_no_timeline_is_written_when_none_is_asked_for(profiler):
    result, (spool,) = profiler.collected([target("names"), 20], timeline="no")
    assert result.status in (0, 7)
    assert spool.timeline_bytes == 0 and spool_log.log_bytes(spool) == 0
    assert spool.samples() > 0


def by_counter(sums):
    total = {}
    for (_, counter), (samples, events) in sums.items():
        before = total.get(counter, (0, 0))
        total[counter] = before[0] + samples, before[1] + events
    return total


@pytest.mark.parametrize("arguments", [["burn", 3000], ["names", 1000]])
def test_a_tiny_timeline_stays_within_its_bound_and_adds_up(profiler, arguments):
    which, *more = arguments
    result, (spool,) = profiler.collected([target(which), *more], frequency=20000,
                                          timeline="64K")
    assert result.status in (0, 7)
    assert 0 < spool_log.log_bytes(spool) <= spool.timeline_bytes * 5 / 4 + spool_log.CHUNK
    dropped = spool.count("LOG_DROPPED")
    for thread in spool.threads:
        log = spool_log.log_of(spool, thread)
        in_log = by_counter(spool_log.sums(log))
        in_tree = by_counter(spool_log.tree_sums(spool, thread))
        if not thread.count["LOG_DROPPED"] or not dropped:
            assert in_log == in_tree, thread.name
        assert not in_log or in_log[0][0] <= in_tree[0][0]
    if which == "burn":  # one thread always has room for what it has thinned
        assert dropped == 0


def test_a_killed_program_leaves_its_log(profiler):
    """Up to the last sample: the entry may be missing of the one that was being taken."""
    environment = clean_environment(**profiler.preloaded(collect="yes", period=PERIOD_NS))
    with subprocess.Popen([target("burn"), "200", "forever"], env=environment,
                          stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"ok\n"
        child.kill()
    (path,) = profiler.folder.glob("flametrap*")
    spool = Spool(path)
    thread = spool.threads[0]
    in_log = spool_log.sums(spool_log.log_of(spool, thread))
    in_tree = spool_log.tree_sums(spool, thread)
    assert in_log
    missing = sum(in_tree[key][0] - in_log.get(key, [0, 0])[0] for key in in_tree)
    assert 0 <= missing <= 1 and set(in_log) <= set(in_tree)


def marks(log, name):
    return [entry for entry in log
            if entry.kind == spool_log.MARK and entry.mark == spool_log.MARKS[name]]


def test_the_marks_of_a_process_say_when_it_forked(profiler):
    result, spools = profiler.collected([target("forks"), "many", 2, 50])
    assert result.status == 0
    (forked,) = [spool for spool in spools if marks(spool_log.marks_of(spool), "FORK")]
    (mark,) = marks(spool_log.marks_of(forked), "FORK")
    (child,) = [spool for spool in spools if spool is not forked]
    assert forked.start_ns < mark.time_ns < forked.end_ns
    assert abs(child.start_ns - mark.time_ns) < ONE_NS * 60
    assert not spool_log.marks_of(child)


def test_the_marks_of_a_process_say_when_exec_failed_and_when_it_did_not(profiler):
    result, spools = profiler.collected([target("exec_chain"), 50])
    assert result.outcome() == (0, b"ok\n", b"")
    kinds = [[(entry.mark, entry.value) for entry in spool_log.marks_of(spool)
              if entry.mark != spool_log.MARKS["LOAD"]] for spool in spools]
    names = spool_log.MARKS
    assert [(names["EXEC"], 0), (names["EXEC_FAILED"], errno.ENOENT), (names["EXEC"], 0)] in kinds
    assert [(names["EXEC"], 0)] in kinds or not any(spool.samples() for spool in spools[2:])


def test_objects_that_come_and_go_have_marks(profiler):
    result, (spool,) = profiler.collected([target("churn"), 20, target("libchurn.so")],
                                          events="page-faults:u", period=1)
    assert result.status == 0
    log = spool_log.marks_of(spool)
    loads, unloads = marks(log, "LOAD"), marks(log, "UNLOAD")
    starts = {module.start for module in spool.entries(spool_format.Module, spool.first_module)}
    assert loads and unloads
    assert {entry.value for entry in loads + unloads} <= starts
    assert loads[0].time_ns < unloads[0].time_ns


def test_the_window_has_marks_in_the_log(profiler):
    result, (spool,) = profiler.collected([target("burn"), 1500], start="200ms", stop="300ms")
    assert result.status in (0, 7)
    log = check_log(spool, spool.threads[0])
    (start,), (stop,) = marks(log, "START"), marks(log, "STOP")
    assert (start.time_ns, stop.time_ns) == (spool.window_from_ns, spool.window_to_ns)
    samples = samples_of(log)
    assert samples
    assert all(start.time_ns <= entry.time_ns < stop.time_ns for entry in samples)


@pytest.mark.parametrize("timeline, expected", [("yes", 1 << 18), ("128K", 1 << 17),
                                                ("16G", 3 << 18)])
def test_the_timeline_leaves_room_for_the_stacks(profiler, timeline, expected):
    result, (spool,) = profiler.collected([target("names"), 50], memory="1M", timeline=timeline)
    assert result.status == 0
    assert spool.timeline_bytes == expected
    check_all([spool])


def traces(profiler, *argv):
    """Samples by (first byte of the trace, first byte of the span), of all threads."""
    result, (spool,) = profiler.collected([target(argv[0]), *argv[1:]])
    assert result.status == 0, result.stderr
    found = collections.Counter()
    for thread in spool.threads:
        for entry in spool_log.log_of(spool, thread):
            if entry.kind == spool_log.SAMPLE:
                for each in (entry.trace, entry.span):
                    assert each == each[:1] * len(each), "a record is read whole"
                found[entry.trace[0], entry.span[0]] += entry.samples
    return found


def has_shares(found, expected):
    """Of the samples with a trace, each expected one has its share."""
    total = sum(number for (trace, _), number in found.items() if trace)
    assert {key for key in found if key[0]} == set(expected)
    for key, share in expected.items():
        assert abs(found[key] / total - share) < 0.1, (key, found)


def test_a_variable_of_the_program_is_read(profiler):
    found = traces(profiler, "traced_program")
    has_shares(found, {(0x11, 1): 3 / 8, (0x11, 2): 1 / 8, (0x22, 1): 3 / 8, (0x22, 2): 1 / 8})
    assert found[0, 0] > 50


def test_a_variable_of_a_library_is_read(profiler):
    has_shares(traces(profiler, "traced_linked"), {(0x33, 1): 3 / 4, (0x33, 2): 1 / 4})


def test_a_variable_of_a_library_that_is_loaded_later_is_read(profiler):
    found = traces(profiler, "traced", "loaded")
    has_shares(found, {(0xa1, 1): 1 / 3, (0xa1, 2): 1 / 6, (0xb2, 1): 1 / 3, (0xb2, 2): 1 / 6})
    assert found[0, 0] > 100


def test_a_record_that_is_not_valid_is_ignored(profiler):
    found = traces(profiler, "traced", "fixed")
    assert {key for key in found if key[0]} == {(0xc3, span) for span in range(1, 11)}
    assert found[0, 0] > 300


def test_pointers_that_lead_nowhere_are_ignored(profiler):
    assert set(traces(profiler, "traced", "hostile")) == {(0, 0)}


def test_a_library_may_be_unloaded_and_loaded_again(profiler):
    found = traces(profiler, "traced", "unloaded")
    assert set(found) == {(0, 0), (0xd4, 1)}
    assert found[0xd4, 1] > 300, "it was found again"


def test_without_a_timeline_nothing_is_looked_for(profiler):
    result, (spool,) = profiler.collected([target("traced_linked")], timeline="no")
    assert result.status == 0
    assert spool.samples() > 100
