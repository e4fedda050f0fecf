"""A profile without samples costs little: what only names need is not loaded."""

import re

from launching import launch
from running import COMMAND, target

NEVER = ["-c", str(10 ** 15)]  # of task-clock: eleven days
NAMES = {"libdw.so.1", "libelf.so.1"}
PPROF = {"libprotobuf-c.so.1", "libz.so.1"}


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
    assert "flametrap: no samples: nothing overflowed in " in text
    assert "libc.so.6" in libraries
    assert not libraries & (NAMES | PPROF)
    assert (tmp_path / "profile.folded").read_bytes() == b""
    assert (tmp_path / "profile.svg").read_bytes().endswith(b"</svg>\n")


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
