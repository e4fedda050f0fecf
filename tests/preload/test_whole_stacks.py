"""Stacks are whole to the thread's first frame, or their outermost frame gives the reason: deep ones,
and those of functions whose unwind information is untrue."""

import platform
import shutil

import pytest

from running import FIRST_FRAMES, LEAF_ONLY, LIBRARY, Folded, clean_environment, execute, target

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


@pytest.mark.parametrize("levels", [1000, 1018, 1030, 4000, 10000])
def test_stacks_of_any_depth_are_whole_without_the_command(profiler, levels):
    """The library writes them, without the names that are not exported."""
    library = profiler.folder / "alone.so"
    shutil.copyfile(LIBRARY, library)
    result = execute([BINARY, "deep", str(levels)], clean_environment(
        **profiler.preloaded(library, depth=4096, period=1000000)))
    assert result.outcome()[:2] == (0, b"")
    stacks_of = Folded((profiler.folder / "x.folded").read_text(encoding="utf-8")).stacks
    found = [frames for frames in stacks_of if frames[1] != "[unknown]"]  # of a leaf only
    deepest = max(len(frames) for frames in found)
    assert all("@0x" in frames[-1] or frames[-1] == "[kernel]_[k]" for frames in found)
    if levels < 4096:
        for frames in found:
            assert frames[1].startswith(("whole_stacks@", "ld-")), frames[:5]
        assert deepest > levels + 3
    else:
        assert deepest >= 4096
        assert all(frames[1] == "[truncated]" for frames in found if len(frames) >= 4096)


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
