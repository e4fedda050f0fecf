"""A profile without samples costs little: what only names need is neither loaded nor filled."""

import mmap
import re

import pytest

from launching import launch
from running import COMMAND, target

NEVER = ["-c", str(10 ** 15)]  # of task-clock: eleven days
NAMES = {"libdw.so.1", "libelf.so.1"}
PAGE = {"libz.so.1"}
PPROF = {"libprotobuf-c.so.1", *PAGE}
RATIOS = {"libm.so.6"}
TABLES_KB = 512 + 256 + 128  # rules, copies of unwind information, rows


def loaded(folder, *options, argv=("true",)):
    """The libraries that the command itself loads for a run: ld.so(8), LD_DEBUG."""
    done = launch(folder, *options, *argv, LD_DEBUG="files",
                  LD_DEBUG_OUTPUT=str(folder / "loaded"))
    for path in folder.glob("loaded.*"):
        text = path.read_text(errors="replace")
        path.unlink()
        if f"initialize program: {COMMAND}\n" in text:
            return done.stderr.decode(), {
                name.rsplit("/", 1)[-1] for name in re.findall(r"calling init: (\S+)", text)}
    raise AssertionError("the loader says nothing of the command")


def test_an_empty_profile_loads_no_library_of_names(tmp_path):
    text, libraries = loaded(tmp_path, *NEVER)
    assert "flametrap: no samples: too few events in " in text
    assert "libc.so.6" in libraries
    assert libraries & (NAMES | PPROF | RATIOS) == PAGE
    assert (tmp_path / "profile.folded").read_bytes() == b""
    picture = (tmp_path / "profile.svg").read_bytes()
    assert picture.endswith(b"</svg>\n")
    assert b".u0{" not in picture, "colours of frames"


def test_an_empty_pprof_profile_loads_what_pprof_needs(tmp_path):
    _, libraries = loaded(tmp_path, *NEVER, "--format", "pprof")
    assert PPROF <= libraries
    assert not libraries & NAMES
    assert (tmp_path / "profile.pb.gz").read_bytes().startswith(b"\x1f\x8b")


def test_samples_load_the_library_of_names(tmp_path):
    text, libraries = loaded(tmp_path, argv=[target("burn"), "100"])
    assert "no samples" not in text
    assert NAMES <= libraries
    assert not libraries & {"libprotobuf-c.so.1"}


def anonymous_kb(folder, event):
    """What cat(1) has of memory of its own, as it says itself under a counter that never
    overflows: proc(5), smaps_rollup."""
    done = launch(folder, "-e", event, *NEVER, "cat", "/proc/self/smaps_rollup")
    if done.returncode != 0:
        pytest.skip("this kernel has no /proc/PID/smaps_rollup")
    assert b"refused" not in done.stderr, done.stderr
    return int(re.search(rb"Anonymous: +(\d+) kB", done.stdout)[1])


def test_tables_are_filled_as_they_are_used_but_where_page_faults_are_counted(tmp_path):
    pages_kb = mmap.PAGESIZE // 1024
    little = anonymous_kb(tmp_path, "task-clock")
    whole = anonymous_kb(tmp_path, "task-clock,page-faults")
    assert whole - little > TABLES_KB - 32 * pages_kb
