"""Time off the processor: each wait is as long in the profile as the program measured it, and time
on and off the processor add up to the lives of the threads; in two graphs (--off-cpu) or in one (--wall).
A real server under its own load generator, with every switch of its threads sampled: nobody gets an error,
and the picture shows where it waits."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import pytest

from rights import may_see_the_kernel
from running import (BUILD, COMMAND, LATE_NS, LIMIT_S, Folded, Profiler, clean_environment, execute, program,
                     target)

WAIT_MS = 150
OF_WAIT = 0.05
OF_INTERRUPTS_NS = 1000000  # those of the disk are neither CPU time of the thread nor a switch
OF_HOST_NS = 40000000  # it may take the processor away between a thread's end of waiting and its clock

pytestmark = [pytest.mark.measures,
              pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")]


def measured(result):
    assert result.status == 0, result.stderr
    found = {"wait": {}, "call": {}, "thread": {}}
    for line in result.stdout.decode().splitlines():
        kind, name, value = line.split()
        found[kind][name] = int(value)
    return found


@pytest.fixture(scope="module")
def waits(tmp_path_factory):  # one run serves several tests
    profiler = Profiler(tmp_path_factory.mktemp("waits"))
    with tempfile.NamedTemporaryFile(dir=BUILD) as file:  # a disk, where there is one
        result, files = profiler.launched(
            ["-e", "task-clock,off-cpu", "--weight", "events", "--threads", "name",
             "-c", 1000000], [target("waits"), file.name, WAIT_MS])
    return measured(result), files, result.wall_ns


def folded_of(files, counter):
    return Folded(files[f"profile.{counter}.folded"])


@pytest.mark.parametrize("name, kernel", [
    ("wait_sleep", r".*nanosleep.*_\[k\]"),
    ("wait_futex", r".*futex.*_\[k\]"),
    ("wait_poll", r".*poll.*_\[k\]"),
    ("wait_epoll", r".*epoll.*_\[k\]"),
    ("wait_pipe", r".*(pipe|read).*_\[k\]"),
    ("wait_fsync", r".*(sync|write|open).*_\[k\]"),
    ("wait_mutex", r".*futex.*_\[k\]"),
])
def test_a_wait_is_as_long_as_the_program_measured(waits, name, kernel, record_property):
    found, files, _ = waits
    expected_ns = found["wait"][name]
    folded = folded_of(files, "off-cpu")
    if name == "wait_fsync" and expected_ns < 1000000:
        pytest.skip("this file system does not wait when it syncs")
    got_ns = folded.inclusive(name)
    waited = sum(value for frames, value in folded.stacks.items()
                 if name in frames and frames[-1] != "[preempted]")
    record_property("by itself", expected_ns)
    record_property("in the profile", got_ns)
    if name == "wait_fsync":  # the call also works, on the processor: many short waits
        assert expected_ns / 2 < got_ns
        assert waited <= found["call"][name] + OF_INTERRUPTS_NS
    else:  # the function may be preempted before it looks at the clock, and after
        assert waited - expected_ns < OF_WAIT * expected_ns + OF_INTERRUPTS_NS
        assert expected_ns - got_ns < OF_WAIT * expected_ns + OF_INTERRUPTS_NS + OF_HOST_NS
    in_call = sum(value for frames, value in folded.stacks.items() if name in frames
                  and frames[-1] != "[preempted]"
                  and any(re.fullmatch(kernel, frame) for frame in frames))
    assert in_call > 0.5 * waited > 0  # the others: pages that had to be read again


@pytest.mark.parametrize("thread", ["waits", "helper"])
def test_time_on_and_off_the_processor_is_the_life_of_the_thread(waits, thread, record_property):
    """Which it measured from main on: it had some of both before, and has after."""
    found, files, wall_ns = waits
    on_ns = folded_of(files, "task-clock").roots()[thread]
    off_ns = folded_of(files, "off-cpu").roots()[thread]
    life_ns = found["thread"][thread]
    record_property("on, off, life", (on_ns, off_ns, life_ns))
    assert life_ns - LATE_NS - OF_INTERRUPTS_NS <= on_ns + off_ns <= wall_ns


def test_threads_that_wait_when_the_program_ends_are_counted(profiler, record_property):
    result, files = profiler.launched(["-e", "off-cpu", "--weight", "events"],
                                      [target("waits"), os.devnull, WAIT_MS, "blocked"])
    expected_ns = measured(result)["wait"]["block_read"]
    blocked_ns = Folded(files["profile.folded"]).inclusive(r"\[still blocked\]")
    record_property("by itself", expected_ns)
    record_property("in the profile", blocked_ns)
    assert expected_ns <= blocked_ns <= 2 * result.wall_ns


def switches(profiler, events, *arguments):
    """(what the program said, its end, spool)."""
    result, spools = profiler.collected([target("waiting_threads"), *arguments], events=events,
                                        period=100000)
    assert result.status == 0
    return [int(word) for word in result.stdout.split()], result.usage, spools[0]


@pytest.mark.parametrize("period, number", [(100, 4000), (1000, 8000), (3000, 15000)])
def test_a_period_samples_so_many_switches_and_loses_none(profiler, period, number,
                                                          record_property):
    (count, _, _), usage, spool = switches(profiler, f"off-cpu/period={period}/", "pipe", number)
    record_property("switches, samples", (count, spool.samples()))
    # Two threads, each with a random first period; and the first has some before the shim is there.
    most = (usage.ru_nvcsw + usage.ru_nivcsw) // period + 2
    assert count // period - 2 <= spool.samples() <= most
    assert spool.samples() >= 2
    assert spool.lost() == 0


def test_the_weights_of_sampled_switches_are_scaled(profiler, record_property):
    """One nap in four is measured: with their weight they are no more than the longest quarter of
    them four times, and no less than what so many naps must take.  Without it they would be."""
    nap_ns = 200000
    said, usage, spool = switches(profiler, "off-cpu/period=4/", "sleep", 1500, nap_ns // 1000)
    _, napped_ns, longest_ns = said
    off_ns = profiler.fold([spool], "--weight", "events").inclusive("nap")
    samples = profiler.fold([spool], "--weight", "samples").inclusive("nap")
    record_property("napped, in the profile", (napped_ns, off_ns))
    # each thread's first period is random
    assert 0 < spool.samples() <= (usage.ru_nvcsw + usage.ru_nivcsw) / 4 + len(spool.threads)
    # a thread that lost the processor on its way to bed was off it for less
    in_bed = max(0, samples - usage.ru_nivcsw)
    if usage.ru_nivcsw < 100 and samples <= 2 * 1500 // 4:  # nor in between, or there are more
        assert off_ns <= 4 * longest_ns
    assert off_ns >= 4 * in_bed * nap_ns / 2


def test_a_period_of_faults_is_kept(profiler):
    """Not with PERF_SAMPLE_PERIOD, where each occurrence of a software event is an overflow."""
    argv = ["/usr/bin/env", "true"]
    each, spools = profiler.collected(argv, events="page-faults/period=1/:u")
    some, tenth = profiler.collected(argv, events="page-faults/period=10/:u")
    assert each.status == some.status == 0
    assert sum(spool.samples() for spool in spools) > 20
    assert 0 < sum(spool.samples() for spool in tenth) < sum(s.samples() for s in spools) / 5


@pytest.mark.parametrize("events, counted", [("task-clock,off-cpu", True), ("off-cpu", False)])
def test_a_program_that_is_traced_is_refused_and_ends(profiler, events, counted):
    """It stops for each signal, and each stop would be a sample, with a signal."""
    result = execute([program("strace"), "-f", "-o", "/dev/null", COMMAND, "-e", events, "-o",
                      profiler.folder / "out", target("sample_gaps"), 100, 1000], clean_environment(),
                     limit_s=300)
    if b"ptrace" in result.stderr:
        pytest.skip("nothing can be traced here: " + result.stderr.decode())
    assert result.status == 0, result.stderr
    assert re.search(rb"off-cpu(, using per-thread CPU timers)?: the process is traced", result.stderr)
    assert bool(list(profiler.folder.glob("out.*folded"))) == counted


WALL_WAIT_MS = 50


def launched_waits(profiler, *options, environment=None):
    with tempfile.NamedTemporaryFile(dir=BUILD) as file:
        return profiler.launched(["-c", 1000000, *options],
                                 [target("waits"), file.name, WALL_WAIT_MS], environment)


def test_off_cpu_adds_the_event_in_nanoseconds(profiler):
    result, files = launched_waits(profiler, "--off-cpu")
    wait_ns = measured(result)["wait"]["wait_sleep"]
    assert set(files) == {"profile.task-clock.folded", "profile.task-clock.svg",
                          "profile.off-cpu.folded", "profile.off-cpu.svg", "profile.svg",
                          "profile.html"}
    assert Folded(files["profile.off-cpu.folded"]).inclusive("wait_sleep") >= \
        wait_ns - OF_WAIT * wait_ns - OF_INTERRUPTS_NS


@pytest.mark.parametrize("asked, variable, counted", [
    (["-e", "page-faults"], {}, {"page-faults", "off-cpu"}),
    (["-e", "off-cpu:k,cpu-clock"], {}, {"off-cpu-k", "cpu-clock"}),
    ([], {"FLAMETRAP_EVENTS": "cpu-clock"}, {"cpu-clock", "off-cpu"}),
])
def test_off_cpu_keeps_the_events_that_were_asked_for(profiler, asked, variable, counted):
    _, files = launched_waits(profiler, "--off-cpu", *asked, environment=variable)
    assert {name.split(".")[1] for name in files if name.endswith(".folded")} == counted


def test_an_event_list_that_cannot_be_read_is_refused_as_without_it():
    done = execute([COMMAND, "--off-cpu", "-e", "nonsense", "true"], clean_environment())
    assert done.status == 125
    assert b"--events=nonsense" in done.stderr


def test_wall_counts_the_processor_whatever_else_is_asked_for(profiler):
    _, files = launched_waits(profiler, "--wall", "-e", "page-faults")
    assert set(Folded(files["profile.wall.folded"]).roots()) == {"[on-CPU]", "[off-CPU]"}
    assert "profile.page-faults.folded" in files


def as_a_user(profiler, argv, **settings):
    """(result, {file name: text}), as a user has it who sets variables."""
    with tempfile.TemporaryDirectory(dir=profiler.folder) as folder:
        result, _ = profiler.files(argv, output=f"{folder}/profile", **settings)
        return result, {path.name: path.read_text(encoding="utf-8")
                        for path in pathlib.Path(folder).iterdir()}


@pytest.mark.parametrize("by", ["command", "library"])
def test_wall_is_both_sides_and_adds_up_to_the_life_of_the_threads(profiler, by):
    if by == "command":
        result, files = launched_waits(profiler, "--wall")
    else:
        with tempfile.NamedTemporaryFile(dir=BUILD) as file:
            result, files = as_a_user(profiler, [target("waits"), file.name, WALL_WAIT_MS], wall="yes",
                                      events="page-faults", period=1000000, format="folded,svg")
    lives_ns = sum(measured(result)["thread"].values())
    wall = Folded(files["profile.wall.folded"])
    on_ns, off_ns = wall.roots()["[on-CPU]"], wall.roots()["[off-CPU]"]
    assert set(wall.roots()) == {"[on-CPU]", "[off-CPU]"} and "profile.wall.svg" in files
    assert on_ns == Folded(files["profile.task-clock.folded"]).total
    assert off_ns == Folded(files["profile.off-cpu.folded"]).total
    assert lives_ns - 3 * LATE_NS <= on_ns + off_ns <= 2 * result.wall_ns  # two threads
    assert all(frames[0] == "waits" for frames in wall.stacks)


def test_off_cpu_of_a_preloaded_program_is_the_same(profiler):
    result, files = as_a_user(profiler, [target("waits"), os.devnull, WALL_WAIT_MS, "blocked"],
                              off_cpu="yes", events="page-faults")
    off = Folded(files["profile.off-cpu.folded"])
    assert off.inclusive(r"\[still blocked\]") >= measured(result)["wait"]["block_read"]
    assert not any("wall" in name for name in files)


def test_the_graph_of_wall_colours_the_waiting_apart(profiler):
    """A function that waits may have a sample on the processor too, on its way to sleep."""
    _, files = launched_waits(profiler, "--wall", "--threads", "name")
    picture = files["profile.wall.svg"]
    assert ">off the processor</text>" in picture  # the legend
    classes = {}
    for name, code in re.findall(r'<g><title>([\w\[\]-]+)[^<]*</title><rect class="([a-z])', picture):
        classes.setdefault(name, set()).add(code)
    assert classes["[off-CPU]"] == {"o"}, picture[:3000]
    assert "o" in classes["wait_sleep"]
    assert "u" in classes["work_burn"]


def test_a_graph_without_waiting_does_not_speak_of_it(profiler):
    _, files = launched_waits(profiler, "-e", "task-clock")
    assert ">off the processor</text>" not in files["profile.svg"]


REQUESTS = 40000
CLIENTS = 20


def speak(folder, *words):
    return subprocess.run([program("redis-cli"), "-s", folder / "socket", *words],
                          capture_output=True, timeout=LIMIT_S, check=False)


def wait_until_it_answers(folder, server):
    while speak(folder, "ping").stdout != b"PONG\n":
        assert server.poll() is None, (folder / "log").read_text()
        time.sleep(0.05)


def serve(folder, prefix):
    """(requests per second, the client's standard error, the server's log)."""
    folder.mkdir()
    with open(folder / "errors", "wb") as errors:
        server = subprocess.Popen(
            [*prefix, program("redis-server"), "--port", "0", "--unixsocket", folder / "socket",
             "--save", "", "--dir", folder, "--logfile", folder / "log", "--loglevel", "notice"],
            env=clean_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=errors)
        try:
            wait_until_it_answers(folder, server)
            load = subprocess.run(
                [program("redis-benchmark"), "-s", folder / "socket", "-c", str(CLIENTS),
                 "-n", str(REQUESTS), "-t", "set,get", "-q"],
                capture_output=True, timeout=LIMIT_S, check=False)
            speak(folder, "shutdown", "nosave")
            assert server.wait(LIMIT_S) == 0
        finally:
            if server.poll() is None:
                server.send_signal(signal.SIGKILL)
                server.wait()
    assert load.returncode == 0, load.stderr
    rates = [float(rate) for rate in
             re.findall(rb"(?:SET|GET): ([\d.]+) requests per second", load.stdout)]
    assert len(rates) == 2, load.stdout
    return 2 / (1 / rates[0] + 1 / rates[1]), load, (folder / "log").read_text()


def warnings(log):
    """What the log has at that level, without process and time."""
    return [re.sub(r"pid=\d+", "pid", line.split(" # ", 1)[1])
            for line in log.splitlines() if " # " in line]


def test_redis_serves_as_ever_and_shows_where_it_waits(profiler, record_property, capsys):
    base = profiler.folder
    plain, _, plain_log = serve(base / "plain", [])
    profiled, load, log = serve(base / "profiled",
                                [COMMAND, "--wall", "--coarse", "no", "--threads", "name",
                                 "-o", base / "profile"])
    assert b"rror" not in load.stdout + load.stderr
    assert warnings(log) == warnings(plain_log)
    record_property("requests per second, plain", round(plain))
    record_property("requests per second, profiled", round(profiled))
    with capsys.disabled():
        print(f"\nredis: {plain:.0f} requests per second, profiled {profiled:.0f}")
    wall = Folded((base / "profile.wall.folded").read_text(encoding="utf-8"))
    waiting = {frames: value for frames, value in wall.stacks.items()
               if frames[1] == "[off-CPU]" and frames[2] == "redis-server"}
    in_epoll = sum(value for frames, value in waiting.items()
                   if any("epoll" in frame and frame.endswith("_[k]") for frame in frames))
    idle = sum(value for frames, value in waiting.items() if frames[-1] != "[preempted]")
    assert in_epoll > 0.5 * idle > 0  # its event loop
    served = sum(value for frames, value in wall.stacks.items() if frames[1] == "[on-CPU]")
    sent = sum(value for frames, value in wall.stacks.items() if frames[1] == "[on-CPU]"
               and any(re.search(r"sock|unix_stream", frame) for frame in frames))
    assert 0 < sent < served  # reading and answering
