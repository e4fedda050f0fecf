"""Where there are no samples the command says why; and such a profile costs little: what only names need
is neither loaded nor filled."""

import mmap
import os
import re
import shutil

import pytest

from launching import launch, left_in, one_line, static_program
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


@pytest.fixture
def static(tmp_path):
    return static_program(tmp_path, "int main(void) { return 3; }")


def test_a_static_program_runs_and_the_summary_says_why_nothing_was_sampled(tmp_path, static):
    (tmp_path / "script").write_text(f"#!{static}\n")
    (tmp_path / "script").chmod(0o755)
    for program in (static, tmp_path / "script"):
        done = launch(tmp_path, program, status=3)
        assert one_line(done) == ("flametrap: no samples: it is statically linked, so LD_PRELOAD "
                                  "has no effect; nothing was written\n")
    assert left_in(tmp_path / "spools") == []


def test_strict_does_not_run_a_program_unprofiled(tmp_path, static):
    done = launch(tmp_path, "--strict", static, status=125)
    assert "it is statically linked" in one_line(done)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_set_user_id_program_is_named_as_the_reason(tmp_path):
    program = tmp_path / "other"
    shutil.copy(target("burn"), program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    done = launch(tmp_path, program, "1", status=7)
    assert "it is set-user-ID, where LD_PRELOAD has no effect" in one_line(done)


def test_a_program_that_does_nothing_says_so(tmp_path):
    done = launch(tmp_path, "-F", "1", "true", status=0)
    assert re.fullmatch(r"flametrap: no samples: too few events in \d+\.\d ms of CPU time "
                        r"\(task-clock[^()]*\), wrote [^,]*\n", one_line(done))


def test_without_samples_children_and_threads_are_counted_all_the_same(tmp_path):
    done = launch(tmp_path, "-c", str(10 ** 15), "sh", "-c", "true & wait; exec sh -c 'exit 6'",
                  status=6)
    assert re.fullmatch(r"flametrap: no samples: too few events in \d+\.\d ms of CPU time "
                        r"\(task-clock[^()]*\), \d+ threads, 2 processes, wrote [^,]*\n", one_line(done))


def test_the_command_profiles_itself(tmp_path):
    done = launch(tmp_path, COMMAND, "-o", "inner", "sh", "-c", "exit 6", status=6)
    assert done.stderr.count(b"flametrap: ") == 2
    assert left_in(tmp_path / "spools") == []
    assert "inner.folded" in left_in(tmp_path) and "profile.folded" in left_in(tmp_path)
