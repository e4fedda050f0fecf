"""What a start leaves out, as strace sees it."""

import os
import re
import shutil
import subprocess

import pytest

from running import LIBRARY, clean_environment

TRIAL = '"/dev/zero"'


def calls_of(tmp_path, *before):
    """The system calls of a preloaded /bin/true, a line for each."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    done = subprocess.run([*before, "strace", "-o", tmp_path / "calls",
                           "-E", f"LD_PRELOAD={LIBRARY}", "-E", f"FLAMETRAP_OUTPUT={tmp_path}/x",
                           "-E", "FLAMETRAP_EVENTS=task-clock", "-E", "FLAMETRAP_LOG=quiet",
                           "/bin/true"],
                          env=clean_environment(), check=False, timeout=60)
    assert done.returncode == 0
    return (tmp_path / "calls").read_text("utf-8").splitlines()


def test_only_a_kernel_older_than_6_11_is_tried_for_calls_it_interrupts(tmp_path):
    """A kernel that calls itself 2.6, which setarch makes it do, is tried."""
    if not shutil.which("setarch"):
        pytest.skip("setarch is not installed")
    older = calls_of(tmp_path, "setarch", "--uname-2.6")
    if not any(TRIAL in call for call in older):
        pytest.skip("the kernel side of programs may not be sampled here")
    version, patch_level = map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
    tried = [call for call in calls_of(tmp_path) if TRIAL in call]
    assert len(tried) == ((version, patch_level) < (6, 11))
