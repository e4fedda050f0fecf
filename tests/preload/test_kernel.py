"""Time in the kernel: its frames stand on top of the user stack that called it, and it adds up to
what the program measured; without the rights the reason is said."""

import os

import pytest

from rights import may_see_the_kernel, paranoid
from running import COMMAND, LATE_NS, clean_environment, execute, of_cpu_time, target

pytestmark = pytest.mark.measures

CPU_MS = 1000
CALLING = 0.01  # of the time in large reads, what is not the kernel's


def as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)


@pytest.mark.skipif(not may_see_the_kernel(), reason="the kernel's side may not be sampled")
def test_system_time_is_what_the_program_measured(profiler, record_property):
    result, spools = profiler.collected([target("system_time"), CPU_MS], kernel="yes",
                                        weight="events")
    assert result.status == 0
    read_ns, all_ns, wall_ns = map(int, result.stdout.split())
    folded = profiler.fold(spools, "--weight", "events")
    kernel_ns = sum(value for frames, value in folded.stacks.items()
                    if "read_zeros" in frames and frames[-1].endswith("_[k]"))
    leaf_only_ns = folded.inclusive(r"\[leaf only\]")
    record_property("in reads by itself", read_ns)
    record_property("in reads in the profile", kernel_ns)
    assert of_cpu_time(read_ns * (1 - CALLING)) - leaf_only_ns <= kernel_ns <= wall_ns + LATE_NS
    assert read_ns >= CPU_MS * 1000000 / 2 and all_ns >= CPU_MS * 1000000
    assert of_cpu_time(all_ns) <= folded.total <= result.wall_ns


@pytest.mark.skipif(not may_see_the_kernel(), reason="the kernel's side may not be sampled")
def test_kernel_frames_stand_on_the_user_stack_that_called_them(profiler):
    result, spools = profiler.collected([target("system_time"), 200], kernel="yes")
    assert result.status == 0
    folded = profiler.fold(spools, "--weight", "events")
    kernel = {frames: value for frames, value in folded.stacks.items()
              if "read_zeros" in frames and frames[-1].endswith("_[k]")}
    read_ns = int(result.stdout.split()[0])
    left_out_ns = LATE_NS + folded.inclusive(r"\[leaf only\]")
    assert sum(kernel.values()) >= read_ns * (1 - CALLING) - left_out_ns
    for frames in kernel:
        first = next(i for i, frame in enumerate(frames) if frame.endswith("_[k]"))
        assert first > frames.index("read_zeros")
        assert all(frame.endswith("_[k]") for frame in frames[first:])
    inside = sum(value for frames, value in kernel.items()
                 if any("read" in frame for frame in frames if frame.endswith("_[k]")))
    assert inside > 0.5 * sum(kernel.values())  # the others: interrupts of user code


@pytest.mark.skipif(not may_see_the_kernel(), reason="the kernel's side may not be sampled")
def test_time_that_fills_the_ring_is_in_the_next_sample(profiler):
    """The first read takes the memory's pages, in which a first period ends hundreds of times."""
    result, spools = profiler.collected([target("system_time"), 200], kernel="yes", rate=4999)
    assert result.status == 0
    all_ns = int(result.stdout.split()[1])
    folded = profiler.fold(spools, "--weight", "events")
    assert folded.total >= of_cpu_time(all_ns)


@pytest.mark.skipif(os.geteuid() != 0 or paranoid() < 2,
                    reason="needs root, and kernel.perf_event_paranoid at 2 or more")
@pytest.mark.parametrize("event", ["off-cpu", "task-clock:k"])
def test_without_the_rights_the_reason_is_said(profiler, event):
    profiler.folder.chmod(0o755)
    home = profiler.folder / "nobody"
    home.mkdir()
    os.chown(home, 65534, 65534)
    done = execute([COMMAND, "-e", event, "-o", home / "x", "--spool", home, target("burn"), 5],
                   clean_environment(), preexec=as_nobody)
    text = done.stderr.decode()
    assert (done.status, done.stdout) == (125, b"")
    assert event in text and "perf_event_paranoid" in text, text
