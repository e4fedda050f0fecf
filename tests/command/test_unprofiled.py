"""A run whose command was not profiled itself says so, whatever else was; --strict makes it fail."""

import re
import subprocess
import sys

import pytest

from launching import launch
from running import LIBRARY, target

BURNS = """
import os, sys, time
end_ns = time.process_time_ns() + 50000000
while time.process_time_ns() < end_ns:
    pass
os.execve(sys.argv[1], sys.argv[1:], {})
"""

INSIDE = f"exec env -u LD_PRELOAD sh -c 'LD_PRELOAD={LIBRARY} {target('burn')} 50; exit 3'"


@pytest.mark.parametrize("strict, status", [("no", 7), ("yes", 125)])
def test_a_program_that_becomes_one_without_the_library(tmp_path, strict, status):
    done = launch(tmp_path, f"--strict={strict}", sys.executable, "-c", BURNS, target("burn"), "1")
    text = done.stderr.decode()
    assert done.returncode == status and done.stdout == b"ok\n"
    assert " samples (" in text
    assert "was replaced (exec) by a program that was not profiled: libflametrap.so was not loaded" in text
    assert ("was not profiled (FLAMETRAP_STRICT)\n" in text) == (strict == "yes")


@pytest.mark.parametrize("strict, status", [("no", 3), ("yes", 125)])
def test_a_command_of_which_only_a_child_is_profiled(tmp_path, strict, status):
    done = launch(tmp_path, f"--strict={strict}", "sh", "-c", INSIDE)
    text = done.stderr.decode()
    assert done.returncode == status and done.stdout == b"ok\n"
    assert " samples (" in text
    # by the first, if one of the images before had a sample
    assert re.search(r"flametrap: sh (was replaced \(exec\) by a program that|itself) was not profiled: "
                     r"libflametrap\.so was not loaded, or was", text)
    assert ("flametrap: sh was not profiled (FLAMETRAP_STRICT)\n" in text) == (strict == "yes")


def test_a_static_command_of_which_a_child_is_profiled(tmp_path):
    program = tmp_path / "static"
    text = "#include <stdlib.h>\nint main(void) { return system(getenv(\"BURN\")) != 7 << 8; }\n"
    if subprocess.run(["cc", "-static", "-x", "c", "-", "-o", program], input=text, text=True, capture_output=True,
                      check=False).returncode:
        pytest.skip("there is no static libc")
    done = launch(tmp_path, program, BURN=f"exec {target('burn')} 50")
    assert done.returncode == 0 and b" samples (" in done.stderr
    assert b"static itself was not profiled: " in done.stderr, done.stderr


def test_a_command_that_is_left_out_by_its_name_is_no_failure(tmp_path):
    done = launch(tmp_path, "--strict", "--follow", "burn", "sh", "-c",
                  f"{target('burn')} 50; exit 3")
    assert done.returncode == 3 and b"profiled" not in done.stderr
