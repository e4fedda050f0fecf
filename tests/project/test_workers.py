"""Tests that are shared among processes: each is run once, and what they say is what one would."""

import os
import pathlib
import re
import subprocess

import pytest

from test_again import prepared, run

TESTS = '''
import os
import pathlib
import subprocess
import time

import pytest

HERE = pathlib.Path(__file__).parent
TOGETHER = 3

def ran(name):
    with open(HERE / "ran", "a") as file:
        file.write(name + "\\n")

@pytest.fixture(scope="module")
def shared():
    yield os.getpid()
    ran("torn down")

def test_is_with_others(shared):
    """Each waits for the others, which must be running at the time."""
    (HERE / f"here-{__name__}").touch()
    end_s = time.monotonic() + 100
    while len(list(HERE.glob("here-*"))) < TOGETHER and time.monotonic() < end_s:
        time.sleep(0.01)
    assert len(list(HERE.glob("here-*"))) == TOGETHER

def test_has_the_fixture_of_its_file(shared):
    assert shared == os.getpid()
    ran(f"{__name__} in {os.getpid()}")

@pytest.mark.measures
def test_is_alone():
    ran(f"alone {__name__}")
'''


def test_files_run_at_once_and_what_measures_runs_alone_at_the_end(tmp_path):
    for name in ("b", "c"):
        (tmp_path / f"test_{name}.py").write_text(TESTS)
    status, lines = run(tmp_path, TESTS, "--workers", "3", "test_b.py", "test_c.py")
    assert (status, lines[-1]) == (0, "9 passed, 0 failed, 0 skipped"), lines
    ran = (tmp_path / "ran").read_text().splitlines()
    of = dict(line.split(" in ") for line in ran if " in " in line)
    assert set(of) == {"test_b", "test_c", "test_made_up"} and len(set(of.values())) == 3
    assert sorted(ran[-3:]) == ["alone test_b", "alone test_c", "alone test_made_up"]
    assert ran.count("torn down") == 3


def test_the_test_whose_process_died_has_failed_and_those_after_it_run(tmp_path):
    text = ("import os\n\ndef test_first():\n    pass\n\ndef test_dies():\n    os._exit(3)\n\n"
            "def test_last():\n    pass\n")
    status, lines = run(tmp_path, text, "--workers", "2")
    assert (status, lines[-1]) == (1, "2 passed, 1 failed, 0 skipped")
    assert "failed: test_made_up.py::test_dies" in lines
    assert "the process that ran this test ended with status 3" in lines


def test_reports_say_what_they_say_in_one_process(tmp_path):
    text = ("import pytest\n\ndef test_differs():\n    print('said')\n    assert {1: 2} == {1: 3}\n\n"
            "def test_skips():\n    pytest.skip('for a reason')\n\n@pytest.fixture\ndef late():\n"
            "    yield\n    raise ValueError\n\ndef test_late(late):\n    pass\n")
    alone = run(tmp_path, text)
    shared = run(tmp_path, text, "--workers", "2")
    assert alone[0] == shared[0] == 1 and alone[1][-1] == shared[1][-1]
    for line in ("E         {1: 2} != {1: 3}", "said", "skipped 1: Skipped: for a reason",
                 "FAILED test_made_up.py::test_differs - assert {1: 2} == {1: 3}",
                 "ERROR test_made_up.py::test_late - ValueError"):
        assert line in alone[1] and line in shared[1], line


def test_the_end_says_where_the_time_went(tmp_path):
    text = "import time\n\ndef test_short():\n    pass\n\ndef test_long():\n    time.sleep(0.5)\n"
    _, lines = run(tmp_path, text, "--workers", "2")
    at = lines.index("the 2 slowest tests:")
    assert lines[at - 3].startswith("seconds by room: test_made_up.py ")
    assert lines[at - 2] == "the 1 slowest files:" and lines[at - 1].endswith(" s  test_made_up.py")
    assert re.fullmatch(r" +[\d.]+ s  test_made_up\.py::test_long", lines[at + 1])


def test_progress_is_told_where_output_is_no_terminal(tmp_path):
    """While the tests run: the second one waits until it was read."""
    text = ("import pathlib, time\n\ndef test_short():\n    pass\n\ndef test_waits():\n"
            "    end_s = time.monotonic() + 100\n"
            "    while not pathlib.Path('told').exists() and time.monotonic() < end_s:\n"
            "        time.sleep(0.01)\n    assert pathlib.Path('told').exists()\n")
    words, more = prepared(tmp_path, text, "--workers", "2", PROGRESS_S=1)
    with subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more) as running:
        for line in running.stdout:
            if line.startswith("1 done, 1 left: test_made_up.py"):
                (tmp_path / "told").touch()
    assert running.returncode == 0 and (tmp_path / "told").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
def test_nobody_else_s_spools_are_in_the_usual_place(tmp_path):
    """What one worker leaves there is no other's, it is gone at the end, and told."""
    text = ("import pathlib\n\ndef test_leaves():\n    place = pathlib.Path('/dev/shm')\n"
            "    assert not list(place.iterdir())\n    (place / 'flametrap.1.2.spool').touch()\n")
    (tmp_path / "test_other.py").write_text(text)
    status, lines = run(tmp_path, text, "--workers", "2", "test_other.py")
    if any("assert not " in line for line in lines):
        pytest.skip("nothing can be mounted here")
    assert (status, lines[-1]) == (0, "2 passed, 0 failed, 0 skipped"), lines
    path = "/dev/shm/flametrap.1.2.spool"
    assert lines.count(f"left behind: {path}, the spool of a program of a test") == 2
    assert not pathlib.Path(path).exists()
