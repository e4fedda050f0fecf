"""What a pair of sigprocmask(2) calls that blocks all signals costs, in system calls."""

import re
import shutil
import subprocess

import pytest

from running import LIBRARY, clean_environment, target

PAIRS = 200
LIMIT_S = 300
# Of each pair: how many calls it makes that concern the mask.
CALLS = {"mask": 2, "block": 2, "unblock": 2, "nested": 4, "asking": 3}


def counted(path, *argv):
    """How often each system call was made, as strace saw it."""
    done = subprocess.run(["strace", "-o", path, *map(str, argv)], env=clean_environment(),
                          check=False, timeout=LIMIT_S, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"0\n")
    calls = {}
    for name in re.findall(r"^(\w+)\(", path.read_text("utf-8"), re.MULTILINE):
        calls[name] = calls.get(name, 0) + 1
    return calls


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("first", ["", "vfork"])
def test_blocking_all_signals_makes_the_program_s_own_calls(tmp_path, kind, first):
    """Each call to change or to read the mask makes the kernel's alone; from the first child on that
    shared memory, of which there may be others, one getpid each, too."""
    preload = ["-E", f"LD_PRELOAD={LIBRARY}", "-E", f"FLAMETRAP_OUTPUT={tmp_path}/x",
               "-E", "FLAMETRAP_EVENTS=page-faults", "-E", "FLAMETRAP_PERIOD=1000000000",
               "-E", "FLAMETRAP_LOG=quiet"]
    bare = counted(tmp_path / "bare", target("mask_pairs"), kind, PAIRS, first)
    idle = counted(tmp_path / "idle", *preload, target("mask_pairs"), kind, 0, first)
    ours = counted(tmp_path / "ours", *preload, target("mask_pairs"), kind, PAIRS, first)
    more = {name: count - idle.get(name, 0) for name, count in ours.items()
            if count > idle.get(name, 0) + PAIRS // 2}
    expected = CALLS[kind] * PAIRS
    assert bare["rt_sigprocmask"] >= expected
    assert more.pop("rt_sigprocmask") <= expected
    assert more.pop("getpid", 0) <= (expected if first else 0)
    assert more == {}
