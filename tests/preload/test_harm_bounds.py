"""R17, R18, R24: what we need is bounded, whatever the number of threads, samples and stacks;
and the tree is sound while others read it.  HARM_LONG=1 for the full numbers."""

import os
import re
import resource

import pytest

import spool_log
from running import BUILD, clean_environment, execute, target

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
    number = 100000 if LONG else 4000
    few, small = profiler.collected([target("crowd"), 1000, "in-turn", 60000], kernel="no",
                                    period=50000)
    result, spools = profiler.collected([target("crowd"), number, "in-turn", 60000],
                                        kernel="no", period=50000)
    assert few.status == 0 and result.outcome() == (0, b"%d threads\n" % number, b"")
    record_property("threads", number)
    record_property("bytes", spools[0].used_bytes)
    assert spools[0].count("THREADS_ENDED") >= number
    used = [spool.used_bytes - spool_log.log_bytes(spool) for spool in (small[0], spools[0])]
    assert used[1] <= used[0] + 8 * 65536
    assert spools[0].samples() > 0


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
