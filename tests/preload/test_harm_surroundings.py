"""The kernel ends the program for want of memory; the place of its output is no longer one."""

import os
import sys

import pytest

import rights
from control_group import memory_group
from running import COMMAND, LIBRARY, Folded, clean_environment, execute, target

BURN_MS = 100
PERIOD_NS = 500000
GROUP_BYTES = 96 << 20


@pytest.fixture
def folders(profiler):
    """Where spools and output go."""
    found = profiler.folder / "spools", profiler.folder / "output"
    for folder in found:
        folder.mkdir()
    return found


def recovered(spools, output):
    """Folded stacks that `flametrap recover` makes of what lies in a folder."""
    done = execute([COMMAND, "recover", spools],
                   clean_environment(FLAMETRAP_OUTPUT=str(output / "recovered")), cwd=output)
    assert done.status == 0, done.stderr
    (file,) = output.glob("*.folded")
    return Folded(file.read_text(encoding="utf-8"))


def test_a_program_that_the_kernel_ends_for_want_of_memory_keeps_its_samples(profiler, folders):
    argv = [target("memory_limits"), "filled", BURN_MS]
    spools, output = folders
    more = profiler.preloaded(period=PERIOD_NS, spool=spools, output=output / "x")
    with memory_group(GROUP_BYTES) as members:
        def enter():
            members.write_text(str(os.getpid()), encoding="ascii")
        plain = execute(argv, clean_environment(), preexec=enter)
        result = execute(argv, clean_environment(**more), preexec=enter)
    assert plain.outcome() == (-9, b"worked\n", b"")
    assert result.outcome() == plain.outcome()
    assert recovered(spools, output).inclusive("work_burn") > 0


def test_a_read_only_output_directory_keeps_the_spool(profiler, folders):
    rights.needs_private_mounts()
    spools, output = folders
    more = profiler.preloaded(None, period=PERIOD_NS, spool=spools, output=output / "x")
    script = ('mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; LD_PRELOAD="$2"\n'
              'export LD_PRELOAD; shift 2; exec "$@"')
    result = execute(["/bin/sh", "-ec", script, "sh", output, LIBRARY, target("burn"), BURN_MS],
                     clean_environment(**more), preexec=rights.private_mounts)
    assert (result.status, result.stdout) == (7, b"ok\n")
    line = result.stderr.decode()
    assert line.startswith("flametrap: ") and line.count("\n") == 1
    assert "Read-only file system" in line or str(spools) in line
    assert list(output.iterdir()) == []
    assert recovered(spools, output).inclusive("burn_here") > 0


REMOVE = """
import os, shutil, sys
def work(turns):
    return sum(i * i for i in range(turns))
work(1000000)
shutil.rmtree(sys.argv[1])
if sys.argv[2] == "file":
    open(sys.argv[1], "w").close()
print("removed", flush=True)
os._exit(5)
"""


@pytest.mark.parametrize("then", ["nothing", "file"])
def test_an_output_directory_that_goes_away_is_made_again_or_the_spool_is_kept(profiler, folders, then):
    spools, output = folders
    result, _ = profiler.files([sys.executable, "-c", REMOVE, output, then], spool=spools,
                               output=output / "x", period=PERIOD_NS)
    assert (result.status, result.stdout) == (5, b"removed\n")
    if then == "nothing":
        assert result.stderr == b""
        folded = Folded((output / "x.folded").read_text(encoding="utf-8"))
        assert folded.total > 0 and list(spools.iterdir()) == []
        return
    assert result.stderr.startswith(b"flametrap: ") and result.stderr.count(b"\n") == 1
    output.unlink()
    output.mkdir()
    assert recovered(spools, output).total > 0
