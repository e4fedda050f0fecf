"""Stacks are whole to the thread's first frame, or their outermost frame gives the reason: deep ones,
and those of functions whose unwind information is untrue."""

import platform
import shutil

import pytest

from running import FIRST_FRAMES, LEAF_ONLY, target

BINARY = target("whole_stacks")


def stacks(profiler, *arguments, **settings):
    result, spools = profiler.collected([BINARY, *arguments], period=1000000, **settings)
    assert result.outcome() == (0, b"", b"")
    folded = profiler.fold(spools)
    found = {frames: value for frames, value in folded.stacks.items() if frames[1] != LEAF_ONLY}
    assert found, "no stack was taken"
    return found


@pytest.mark.parametrize("levels", [250, 256, 300, 1000, 3000])
def test_recursion_of_any_depth_is_whole(profiler, levels):
    deepest = 0
    for frames in stacks(profiler, "deep", str(levels), depth=4096):
        assert frames[1] in FIRST_FRAMES, frames[:5]
        # what exit() calls has no name in a stripped libc
        named = frames[:frames.index("exit")] if "exit" in frames else frames
        assert not [frame for frame in named if frame.startswith(("[", "0x"))], frames
        deepest = max(deepest, frames.count("down"))
        if frames[-1] == "work":
            assert frames.count("down") == levels + 1
    assert deepest == levels + 1


def test_recursion_beyond_the_limit_of_depth_says_so(profiler):
    found = stacks(profiler, "deep", "10000", depth=600)
    cut = [frames for frames in found if frames[-1] == "work"]
    assert cut
    for frames in cut:
        assert frames[1] == "[truncated]" and len(frames) == 602, frames[:5]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the function is of x86-64")
def test_a_return_address_of_zero_ends_no_stack_in_silence(profiler):
    found = stacks(profiler, "zero")
    lying = [frames for frames in found if frames[-1] == "lying"]
    assert lying
    for frames in found:
        assert frames[1] in FIRST_FRAMES or frames[1].startswith("["), frames
    assert all(frames[-2] == "calls" for frames in lying)


def test_stacks_of_an_interpreter_with_untrue_unwind_information_are_whole(profiler, tmp_path):
    script = tmp_path / "script.lua"
    script.write_text("jit.off() local s = 0\n"
                      "for i = 1, 3000000 do s = s + i * 5 % 89 + math.floor(i / 7) end\n")
    if not shutil.which("luajit"):
        pytest.skip("luajit is not installed")
    _, spools = profiler.collected(["luajit", script], period=1000000)
    for frames in profiler.fold(spools).stacks:
        assert frames[1] in FIRST_FRAMES or frames[1].startswith("["), frames
