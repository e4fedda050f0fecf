"""Without R's library a comparison shows its values and says what is missing; it checks no limit."""

import os

import pytest

from launching import flametrap

MISSING = "libRmath.so.1 cannot be loaded (Debian: r-mathlib, Fedora: libRmath)"


@pytest.fixture(name="without")
def library_that_cannot_be_loaded(tmp_path):
    folder = tmp_path / "libraries"
    folder.mkdir()
    for name in ("libRmath.so.1", "libRmath.so"):
        (folder / name).write_text("")
    return {"LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def test_two_commands_are_compared_without_intervals(tmp_path, without):
    done = flametrap("ab", "-n", "2", "--warmup", "0", "--", "true", "--", "true", cwd=tmp_path,
                     settings=without, status=0)
    assert f"{MISSING}: changes have no intervals, and none is significant.\n" in done.stdout
    assert " wall\n" in done.stdout


def test_a_limit_that_cannot_be_checked_is_refused(tmp_path, without):
    command = ("ab", "-n", "2", "--fail-above", "3%", "--", "true", "--", "true")
    done = flametrap(*command, cwd=tmp_path, settings=without, status=125)
    assert f"flametrap: --fail-above needs intervals, and {MISSING}\n" == done.stderr
    assert done.stdout == ""
