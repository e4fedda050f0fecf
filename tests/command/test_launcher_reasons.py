"""Where there are no samples the command says why."""

import os
import re
import shutil
import subprocess

import pytest

from launching import launch, left_in, one_line
from running import COMMAND, target

STATIC = "int main(void) { return 3; }\n"


@pytest.fixture
def static_program(tmp_path):
    (tmp_path / "static.c").write_text(STATIC)
    built = subprocess.run(["cc", "-static", "-o", tmp_path / "static", tmp_path / "static.c"],
                           capture_output=True, check=False)
    if built.returncode:
        pytest.skip("no static C library to link with")
    (tmp_path / "static.c").unlink()
    return tmp_path / "static"


def test_a_static_program_runs_and_the_summary_says_why_nothing_was_sampled(tmp_path,
                                                                            static_program):
    script = tmp_path / "script"
    script.write_text(f"#!{static_program}\n")
    script.chmod(0o755)
    for program in (static_program, script):
        done = launch(tmp_path, program)
        assert done.returncode == 3
        assert one_line(done) == ("flametrap: no samples: it is statically linked, so LD_PRELOAD "
                                  "has no effect; nothing was written\n")
    assert left_in(tmp_path / "spools") == []


def test_strict_does_not_run_a_program_unprofiled(tmp_path, static_program):
    done = launch(tmp_path, "--strict", static_program)
    assert done.returncode == 125
    assert "it is statically linked" in one_line(done)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_set_user_id_program_is_named_as_the_reason(tmp_path):
    program = tmp_path / "other"
    shutil.copy(target("burn"), program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    done = launch(tmp_path, program, "1")
    assert done.returncode == 7
    assert "it is set-user-ID, where LD_PRELOAD has no effect" in one_line(done)


def test_a_program_that_does_nothing_says_so(tmp_path):
    done = launch(tmp_path, "-F", "1", "true")
    assert done.returncode == 0
    assert re.fullmatch(r"flametrap: no samples: too few events in \d+\.\d ms of CPU time "
                        r"\(task-clock[^()]*\), wrote [^,]*\n", one_line(done))


def test_without_samples_children_and_threads_are_counted_all_the_same(tmp_path):
    done = launch(tmp_path, "-c", str(10 ** 15), "sh", "-c", "true & wait; exec sh -c 'exit 6'")
    assert done.returncode == 6
    assert re.fullmatch(r"flametrap: no samples: too few events in \d+\.\d ms of CPU time "
                        r"\(task-clock[^()]*\), \d+ threads, 2 processes, wrote [^,]*\n", one_line(done))


def test_the_command_profiles_itself(tmp_path):
    done = launch(tmp_path, COMMAND, "-o", "inner", "sh", "-c", "exit 6")
    assert done.returncode == 6
    assert done.stderr.count(b"flametrap: ") == 2
    assert left_in(tmp_path / "spools") == []
    assert "inner.folded" in left_in(tmp_path) and "profile.folded" in left_in(tmp_path)
