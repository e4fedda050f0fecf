"""CPU time of a run that no profile has is said, with its size."""

import re
import subprocess

import pytest

from launching import launch
from running import target

UNSAMPLED = re.compile(r"flametrap: (?P<seconds>[\d.]+) s of (?P<all>[\d.]+) s of CPU time are in no "
                       r"profile: children that were not profiled")


@pytest.fixture(name="static", scope="module")
def static_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("static") / "burn"
    source = path.with_suffix(".c")
    source.write_text("#include <time.h>\nint main(void) {\n"
                      "while (clock() < CLOCKS_PER_SEC * 3 / 10);\nreturn 0; }\n")
    done = subprocess.run(["cc", "-O1", "-static", "-o", path, source], check=False)
    if done.returncode:
        pytest.skip("no static libc")
    return path


@pytest.mark.parametrize("script", [
    "{static}; true", "env -i {burn} 300; true", "{burn} 100; env -i {burn} 300; true",
    "env -u LD_PRELOAD {burn} 300; true"])
def test_children_without_the_library_are_counted(tmp_path, static, script):
    done = launch(tmp_path, "sh", "-c", script.format(static=static, burn=target("burn")))
    found = UNSAMPLED.search(done.stderr.decode())
    assert found, done.stderr
    assert 0.28 <= float(found["seconds"]) <= float(found["all"])
    # the part that is in a profile is not counted again
    if script.startswith("{burn}"):
        assert float(found["all"]) - float(found["seconds"]) >= 0.09


@pytest.mark.parametrize("script", ["{burn} 300; true", "exec {burn} 300", "for i in 1 2 3; do {burn} 20; done"])
def test_what_is_profiled_is_in_no_such_line(tmp_path, script):
    done = launch(tmp_path, "sh", "-c", script.format(burn=target("burn")))
    assert not UNSAMPLED.search(done.stderr.decode()), done.stderr
