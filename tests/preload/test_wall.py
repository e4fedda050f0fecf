"""--off-cpu and --wall: settings by one word, and both sides of a thread's life in one graph."""

import os
import pathlib
import re
import tempfile

import pytest

from rights import may_see_the_kernel
from running import BUILD, COMMAND, LATE_NS, Folded, clean_environment, execute, target
from test_off_cpu import OF_INTERRUPTS_NS, OF_WAIT, measured

WAIT_MS = 50

pytestmark = [pytest.mark.measures,
              pytest.mark.skipif(not may_see_the_kernel(), reason="switches may not be sampled")]


def waits(profiler, *options, environment=None):
    with tempfile.NamedTemporaryFile(dir=BUILD) as file:
        return profiler.launched(["-c", 1000000, *options],
                                 [target("waits"), file.name, WAIT_MS], environment)


def test_off_cpu_adds_the_event_in_nanoseconds(profiler):
    result, files = waits(profiler, "--off-cpu")
    wait_ns = measured(result)["wait"]["wait_sleep"]
    assert set(files) == {"profile.task-clock.folded", "profile.task-clock.svg",
                          "profile.off-cpu.folded", "profile.off-cpu.svg", "profile.svg",
                          "profile.html"}
    assert Folded(files["profile.off-cpu.folded"]).inclusive("wait_sleep") >= \
        wait_ns - OF_WAIT * wait_ns - OF_INTERRUPTS_NS


@pytest.mark.parametrize("asked, counted", [
    (["-e", "page-faults"], {"page-faults", "off-cpu"}),
    (["-e", "off-cpu:k,cpu-clock"], {"off-cpu-k", "cpu-clock"}),
])
def test_off_cpu_keeps_the_events_that_were_asked_for(profiler, asked, counted):
    _, files = waits(profiler, "--off-cpu", *asked)
    assert {name.split(".")[1] for name in files if name.endswith(".folded")} == counted


def test_off_cpu_keeps_the_events_of_the_environment(profiler):
    _, files = waits(profiler, "--off-cpu", environment={"FLAMETRAP_EVENTS": "cpu-clock"})
    assert {name.split(".")[1] for name in files if name.endswith(".folded")} == {"cpu-clock", "off-cpu"}


def test_an_event_list_that_cannot_be_read_is_refused_as_without_it():
    done = execute([COMMAND, "--off-cpu", "-e", "nonsense", "true"], clean_environment())
    assert done.status == 125
    assert b"--events=nonsense" in done.stderr


def test_wall_is_both_sides_and_adds_up_to_the_life_of_the_threads(profiler):
    result, files = waits(profiler, "--wall")
    lives_ns = sum(measured(result)["thread"].values())
    wall = Folded(files["profile.wall.folded"])
    on_ns, off_ns = wall.roots()["[on-CPU]"], wall.roots()["[off-CPU]"]
    assert set(wall.roots()) == {"[on-CPU]", "[off-CPU]"}
    assert on_ns == Folded(files["profile.task-clock.folded"]).total
    assert off_ns == Folded(files["profile.off-cpu.folded"]).total
    assert lives_ns - 3 * LATE_NS <= on_ns + off_ns <= 2 * result.wall_ns  # two threads
    assert all(frames[0] == "waits" for frames in wall.stacks)


def test_wall_counts_the_processor_whatever_else_is_asked_for(profiler):
    _, files = waits(profiler, "--wall", "-e", "page-faults")
    assert set(Folded(files["profile.wall.folded"]).roots()) == {"[on-CPU]", "[off-CPU]"}
    assert "profile.page-faults.folded" in files


def preloaded(profiler, argv, **settings):
    """(result, {file name: text}), as a user has it who sets variables."""
    with tempfile.TemporaryDirectory(dir=profiler.folder) as folder:
        result, _ = profiler.files(argv, output=f"{folder}/profile", **settings)
        return result, {path.name: path.read_text(encoding="utf-8")
                        for path in pathlib.Path(folder).iterdir()}


def test_wall_of_a_preloaded_program_is_the_same(profiler):
    with tempfile.NamedTemporaryFile(dir=BUILD) as file:
        result, files = preloaded(profiler, [target("waits"), file.name, WAIT_MS], wall="yes",
                                  events="page-faults", period=1000000, format="folded,svg")
    lives_ns = sum(measured(result)["thread"].values())
    wall = Folded(files["profile.wall.folded"])
    assert "profile.wall.svg" in files
    assert set(wall.roots()) == {"[on-CPU]", "[off-CPU]"}
    assert wall.roots()["[on-CPU]"] == Folded(files["profile.task-clock.folded"]).total
    assert wall.roots()["[off-CPU]"] == Folded(files["profile.off-cpu.folded"]).total
    assert lives_ns - 3 * LATE_NS <= wall.total <= 2 * result.wall_ns  # two threads


def test_off_cpu_of_a_preloaded_program_is_the_same(profiler):
    result, files = preloaded(profiler, [target("waits"), os.devnull, WAIT_MS, "blocked"],
                              off_cpu="yes", events="page-faults")
    off = Folded(files["profile.off-cpu.folded"])
    assert off.inclusive(r"\[still blocked\]") >= measured(result)["wait"]["block_read"]
    assert not any("wall" in name for name in files)


def test_the_graph_of_wall_colours_the_waiting_apart(profiler):
    """A function that waits may have a sample on the processor too, on its way to sleep."""
    _, files = waits(profiler, "--wall", "--threads", "name")
    picture = files["profile.wall.svg"]
    assert ">off the processor</text>" in picture  # the legend
    classes = {}
    for name, code in re.findall(r'<g><title>([\w\[\]-]+)[^<]*</title><rect class="([a-z])', picture):
        classes.setdefault(name, set()).add(code)
    assert classes["[off-CPU]"] == {"o"}, picture[:3000]
    assert "o" in classes["wait_sleep"]
    assert "u" in classes["work_burn"]


def test_a_graph_without_waiting_does_not_speak_of_it(profiler):
    _, files = waits(profiler, "-e", "task-clock")
    assert ">off the processor</text>" not in files["profile.svg"]
