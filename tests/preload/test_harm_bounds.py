"""R17, R18, R24: what we need is bounded, whatever the number of threads, samples and stacks; and the tree is
sound while others read it.  HARM_LONG=1 for the full numbers.  R1 to R6: what hangs or crashes profilers,
at 20 kHz; HARM_SECONDS makes it longer, HARM_TIMES repeats it (make test-long).  Threads are found, named
and accounted for however they are made, and forgotten cheaply."""

import os
import re
import resource

import pytest

import spool_log
from running import (BUILD, LIBRARY, LIMIT_S, PERIOD_NS, TARGETS, Folded, clean_environment, execute,
                     least_ns, memory_limit, target)

LONG = os.environ.get("HARM_LONG") == "1"
MEGABYTES = 64


def numbers(text):
    return {name: int(value) for name, value in re.findall(r"(\w+) (\d+)", text.decode())}


@pytest.mark.parametrize("kind, samples", [("day", 86400 * (999 if LONG else 19)),
                                           ("new", 10000000 if LONG else 700000)])
def test_what_samples_need_is_bounded_and_none_is_lost(kind, samples, record_property):
    """A day of 5,000 known stacks; and stacks that never come twice."""
    done = execute([BUILD / "test" / "bound_tree", kind, samples, MEGABYTES],
                   clean_environment())
    assert done.status == 0, done.stderr
    found = numbers(done.stdout)
    assert found["in_tree"] == found["samples"] == samples and found["none"] == 0
    assert found["used_bytes"] <= found["bound_bytes"] == MEGABYTES << 20
    assert (found["overflow"] > 0) == (kind == "new")
    if kind == "day":
        assert found["used_bytes"] < 4 << 20, "known stacks cost nothing more"
    for name in ("samples", "overflow", "used_bytes"):
        record_property(name, found[name])


def test_a_reader_sees_a_sound_tree_while_it_grows(record_property):
    """Under ThreadSanitizer, whose report is the test."""
    done = execute([BUILD / "test" / "race_tree", 400000 if LONG else 40000],
                   clean_environment())
    assert (done.status, done.stderr) == (0, b""), done.stderr[-3000:].decode()
    lines = done.stdout.decode().splitlines()
    assert lines[-1] == "ok"
    record_property("nodes read", int(lines[0].split()[0]))


@pytest.mark.parametrize("scene", ["publish", "codes", "reuse", "chunks", "log"])
def test_the_spool_is_sound_in_every_order_of_its_users_steps(scene, record_property):
    """Writers and the reader as they are, preempted at every two points; HARM_LONG: at three."""
    done = execute([BUILD / "test" / "interleave_tree", scene, 3 if LONG else 2],
                   clean_environment())
    assert (done.status, done.stdout.split(b"\n")[-2:]) == (0, [b"ok", b""]), done.stdout
    record_property("orders", numbers(done.stdout)["rounds"])


def test_a_log_is_sound_after_each_store_of_its_writer(record_property):
    """As a process leaves it that is killed there, also while the log is thinned and moved."""
    done = execute([BUILD / "test" / "steps_log"], clean_environment())
    assert (done.status, done.stdout.split(b"\n")[-2:]) == (0, [b"ok", b""]), done.stdout
    record_property("looks", int(done.stdout.split()[0]))


def test_threads_one_after_another_do_not_grow_the_spool(profiler, record_property):
    """Contexts not met before may still take a few chunks; threads take none."""
    used = []
    for number in (1000, 100000 if LONG else 10000):
        result, (spool,) = profiler.collected([target("crowd"), number, "in-turn", 60000], kernel="no",
                                              period=50000)
        assert result.outcome() == (0, b"%d threads\n" % number, b"")
        assert spool.count("THREADS_ENDED") >= number and spool.count("ATTACH_FAILED") == 0
        assert spool.samples() > 0
        used.append(spool.used_bytes - spool_log.log_bytes(spool))
    record_property("threads", number)
    record_property("bytes", spool.used_bytes)
    assert used[1] <= used[0] + 8 * 65536


def test_four_thousand_threads_at_once_live(profiler, record_property):
    number = 4000 if LONG else 3000
    argv = [target("crowd"), number, "at-once", 1000000]
    _, spools = profiler.alike(argv, (0, b"%d threads\n" % number, b""), period=50000)
    record_property("threads", number)
    record_property("samples", spools[0].samples())
    record_property("by a timer", spools[0].count("DEGRADED"))
    assert spools[0].count("ATTACH_FAILED") == 0
    assert spools[0].count("THREADS_ENDED") == number
    assert spools[0].samples() > 0
    assert spools[0].used_bytes <= MEGABYTES << 20


def test_a_limit_on_descriptors_is_the_target_s_alone(profiler):
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    result, spools = profiler.collected([target("crowd"), 600, "at-once", 1000000],
                                        period=50000, preexec=few_descriptors)
    assert result.outcome() == (0, b"600 threads\n", b"")
    assert len([thread for thread in spools[0].threads if thread.samples()]) > 0
    assert spools[0].count("ATTACH_FAILED") == 0


def test_a_limit_on_address_space_leaves_the_program_its_room(profiler):
    """The spool takes a share of it, and one of many processes that has no room says nothing."""
    def little_room():
        resource.setrlimit(resource.RLIMIT_AS, (40 << 20, 40 << 20))
    argv = [target("burn"), 60]
    result, spools = profiler.collected(argv, period=1000000, preexec=little_room)
    assert (result.stdout, result.stderr) == (b"ok\n", b"")
    assert spools[0].samples() > 0
    assert spools[0].path.stat().st_size <= 40 << 16
    script = f"ulimit -v 9000; {target('burn')} 1; echo done"
    profiler.alike(["/bin/sh", "-c", script], period=1000000)


SECONDS = float(os.environ.get("HARM_SECONDS", "0.4"))  # of CPU time, each thread
TIMES = int(os.environ.get("HARM_TIMES", "1"))
STORM_PERIOD_NS = 50000
STORMS = [["dlopen", "dlopen", "throw"], ["objects", "dlopen", "backtrace"],
          ["throw", "throw", "malloc"], ["nongnu", "nongnu", "throw"], ["llvm", "llvm", "throw"],
          ["thread", "thread", "malloc"], ["map", "signal", "thread"],
          ["dlopen", "dlopen", "objects", "throw", "throw", "malloc", "thread", "backtrace",
           "signal", "map"]]


@pytest.mark.parametrize("storm", STORMS, ids=["+".join(sorted(set(storm))) for storm in STORMS])
def test_a_storm_is_weathered(profiler, storm, record_property):
    argv = [target("harm_storm"), int(SECONDS * 1000), *storm]
    limit_s = LIMIT_S + 40 * SECONDS
    plain = profiler.plain(argv, limit_s=limit_s)
    if plain.status == 77:
        pytest.skip(plain.stdout.decode().strip())
    for _ in range(TIMES):
        result, spools = profiler.collected(argv, period=STORM_PERIOD_NS, limit_s=limit_s)
        assert (result.status, result.stdout) == (plain.status, plain.stdout) == (7, b"ok\n")
        record_property("hits", spools[0].samples())
        record_property("turns", int(result.stderr.split()[0]))
        # Threads that live less than a period are in no sample, and may be most of the work.
        assert spools[0].events() >= 0.1 * SECONDS * 1e9


def test_not_one_allocation_of_the_target_s_is_ours(profiler, record_property):
    """Not from main on: before it, the constructor loads libunwind, for which the loader
    allocates.  The allocator aborts when it is called from our code, and counts its calls."""
    counter = TARGETS / "libharm_malloc.so"
    plain = profiler.plain([target("harm_allocations")], environment={"LD_PRELOAD": str(counter)})
    more = profiler.preloaded(f"{LIBRARY}:{counter}", period=STORM_PERIOD_NS, collect="yes")
    result = profiler.plain([target("harm_allocations")], environment=more)
    assert plain.status == 7 and int(plain.stdout.split()[0]) > 100
    assert (result.status, result.stderr) == (plain.status, b"")
    count = int(result.stdout.split()[0])
    assert count <= int(plain.stdout.split()[0])
    record_property("under the shim", count)
    record_property("allocations", int(plain.stdout.split()[0]))
    assert list(profiler.folder.glob("*.spool"))


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


CALLS_OF_THREAD = 12 + 7  # of ours, when a thread starts and when it ends
CALLS_OF_MEMBER = 3 + 1  # it is opened, mapped, closed; and unmapped
THREADS_TRACED = 10


def calls_of_threads(profiler, **settings):
    """How many system calls each thread but the first made, by strace."""
    result, lines = profiler.straced([target("crowd"), THREADS_TRACED, "in-turn"], "-f", **settings)
    assert result.status == 0, result.stderr
    lines = [line for line in lines
             if "resumed>" not in line and "---" not in line and "+++" not in line]
    threads = [line.split()[0] for line in lines]
    found = [threads.count(thread) for thread in dict.fromkeys(threads)]
    assert len(found) == 1 + THREADS_TRACED
    return found[1:]


@pytest.mark.parametrize("events, members", [("task-clock", 0), ("{task-clock,page-faults}", 1)])
def test_a_thread_makes_few_system_calls_of_ours(profiler, events, members, record_property):
    plain = calls_of_threads(profiler, library=None)
    ours = calls_of_threads(profiler, events=events, period=100 * PERIOD_NS, collect="yes", notify="sigtrap")
    added = min(ours) - min(plain)
    record_property("system calls added", added)
    if added <= 0:
        pytest.skip("no counters here")
    assert added <= CALLS_OF_THREAD + members * CALLS_OF_MEMBER
