"""Threads are found, named and accounted for however they are made, and forgotten cheaply."""

import pytest

import spool_log
from running import LIBRARY, PERIOD_NS, Folded, least_ns, memory_limit, program, target

NAMES = [f"posix {n}" for n in range(8)] + [f"c11 {n}" for n in range(2)]


def test_every_thread_is_sampled_under_its_name(profiler):
    result, spools = profiler.collected([target("names"), 100])
    assert (result.status, result.stdout) == (0, b"ok\n")
    events = {}
    for thread in spools[0].threads:
        events[thread.name] = events.get(thread.name, 0) + thread.events()
    for name in NAMES:
        assert events.get(name, 0) >= least_ns(100), (name, events)


def test_the_output_names_threads_when_asked(profiler):
    result, files = profiler.files([target("names"), 50], threads="name", period=PERIOD_NS)
    assert result.status == 0
    (text,) = [text for name, text in files.items() if name.endswith(".folded")]
    named = {frames[1] for frames in Folded(text).stacks}
    assert {name.replace(" ", "_") for name in NAMES} <= {name.replace(" ", "_") for name in named}


def besides_stacks(spool):
    nodes = sum(len(thread.nodes) for thread in spool.threads)
    return spool.used_bytes - nodes * spool.node_bytes - spool_log.log_bytes(spool)


def test_ten_thousand_short_threads_do_not_grow_the_spool(profiler):
    few, (small,) = profiler.collected([target("crowd"), 2000, "in-turn"], period=100000,
                                      kernel="no")
    many, (large,) = profiler.collected([target("crowd"), 10000, "in-turn"], period=100000,
                                       kernel="no")
    assert (few.status, many.status) == (0, 0)
    assert many.stdout == b"10000 threads\n"
    assert large.count("THREADS_ENDED") >= 10000
    assert large.count("ATTACH_FAILED") == 0
    # How many of the short threads live for a period is the machine's doing.
    assert large.samples() > 0 and small.samples() > 0
    # Contexts not met before may still take a few chunks; threads take none.
    assert besides_stacks(large) <= besides_stacks(small) + 20 * 8192


def test_threads_past_the_locked_memory_budget_are_still_profiled(profiler):
    result, spools = profiler.collected([target("names"), 50], preexec=memory_limit(0))
    assert (result.status, result.stdout) == (0, b"ok\n")
    samples = {thread.name: thread.samples() for thread in spools[0].threads}
    for name in NAMES:
        assert samples.get(name, 0) > 0, (name, samples)


def test_ended_threads_keep_the_number_of_the_only_one_of_their_name(profiler):
    """Numbers asked for after the fact: threads were merged by name when they ended."""
    result, spools = profiler.collected([target("names"), 50])
    assert result.status == 0
    ended = {thread.name: thread.tid for thread in spools[0].threads if thread.name in NAMES}
    assert len(set(ended.values())) == len(NAMES) and 0 not in ended.values()
    shown = {frames[1] for frames in profiler.fold(spools, "--threads", "id").stacks}
    assert {f"{name}/{tid}" for name, tid in ended.items()} <= shown


def test_ended_threads_of_one_name_are_counted(profiler):
    result, (spool,) = profiler.collected([target("crowd"), 12, "in-turn", 20000000])
    assert result.status == 0
    merged, = (thread for thread in spool.threads if thread.count["THREADS_ENDED"])
    assert merged.tid == 0 and merged.count["THREADS_ENDED"] == 12
    shown = {frames[1] for frames in profiler.fold([spool], "--threads", "id").stacks}
    assert f"{merged.name}/[{merged.count['THREADS_ENDED']} ended]" in shown


CALLS = 12 + 7  # of ours, when a thread starts and when it ends
CALLS_OF_MEMBER = 3 + 1  # it is opened, mapped, closed; and unmapped
THREADS_TRACED = 10


def calls_of_threads(result, trace):
    """How many system calls each thread but the first made, by strace."""
    assert result.status == 0, result.stderr
    lines = [line for line in trace.read_text(encoding="utf-8", errors="replace").splitlines()
             if "resumed>" not in line and "---" not in line and "+++" not in line]
    threads = [line.split()[0] for line in lines]
    found = [threads.count(thread) for thread in dict.fromkeys(threads)]
    assert len(found) == 1 + THREADS_TRACED
    return found[1:]


@pytest.mark.parametrize("events, members", [("task-clock", 0), ("{task-clock,page-faults}", 1)])
def test_a_thread_makes_few_system_calls_of_ours(profiler, events, members, record_property):
    trace = profiler.folder / "trace"
    argv = [program("strace"), "-f", "-o", trace]
    threads = [target("crowd"), THREADS_TRACED, "in-turn"]
    plain = calls_of_threads(profiler.plain([*argv, *threads]), trace)
    env = profiler.preloaded(None, events=events, period=100 * PERIOD_NS, collect="yes",
                             notify="sigtrap")
    ours = calls_of_threads(profiler.plain([*argv, "-E", f"LD_PRELOAD={LIBRARY}", *threads],
                                           environment=env), trace)
    added = min(ours) - min(plain)
    record_property("system calls added", added)
    if added <= 0:
        pytest.skip("no counters here")
    assert added <= CALLS + members * CALLS_OF_MEMBER
