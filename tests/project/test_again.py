"""The runner: what fails once is told from what fails, no test goes on for ever, and tests that are shared among
processes are run once and say what they would say in one."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

from running import ROOT, clean_environment, execute

LIMIT_S = 300
TESTS = '''
import pathlib
import pytest

def times(name):
    path = pathlib.Path(__file__).parent / name
    path.write_text(path.read_text() + "x" if path.exists() else "x")
    return len(path.read_text())

def test_sound():
    pass

def test_broken():
    assert times("broken") == 0

def test_failed_once():
    print("what it said")
    assert times("once") > 1

@pytest.fixture
def late():
    yield
    assert times("late") > 1

def test_failed_once_at_its_end(late):
    pass

def test_failed_twice():
    assert times("twice") == 2

def test_skipped():
    pytest.skip("for a reason")
'''


def prepared(folder, text, *options, **constants):
    """The words that run pytest on one file, with this project's conftest; it has no other input.
    The runner's constants have other values."""
    for path in (ROOT / "tests").glob("*.*"):
        shutil.copy(path, folder)
    for module in ("again.py", "workers.py"):
        with open(folder / module, "a", encoding="utf-8") as file:
            file.write("".join(f"\n{name} = {value}\n" for name, value in constants.items()))
    (folder / "test_made_up.py").write_text(text)
    return ([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options,
             "test_made_up.py"],
            {"cwd": folder, "env": clean_environment(), "stdin": subprocess.DEVNULL})


def run(folder, text, *options, **constants):
    """(status, lines) of what prepared() gives the words for."""
    words, more = prepared(folder, text, *options, **constants)
    done = subprocess.run(words, timeout=LIMIT_S, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    return done.returncode, done.stdout.splitlines()


def test_what_then_passes_twice_is_unsteady(tmp_path):
    status, lines = run(tmp_path, TESTS, "--again")
    assert (status, lines[-1]) == (1, "3 passed, 2 failed, 1 skipped")
    unsteady = [line.split()[1] for line in lines if line.startswith("unsteady: ")]
    assert unsteady == [f"test_made_up.py::test_failed_once{end}" for end in ("", "_at_its_end")]
    assert all("2 times by itself: " in line and "assert 1 > 1" in line for line in lines
               if line.startswith("unsteady: "))  # with the reason: CI shows these lines alone
    assert any(re.match(r"failed: test_made_up.py::test_broken: .*assert 1 == 0", line) for line in lines)
    assert "    what it said" in lines
    assert [len((tmp_path / name).read_text()) for name in ("broken", "once", "late")] == [2, 3, 3]


def test_a_run_with_unsteady_tests_only_passes(tmp_path):
    text = TESTS.replace("def test_broken", "def broken").replace("def test_failed_twice", "def no")
    status, lines = run(tmp_path, text, "--again")
    assert (status, lines[-1]) == (0, "3 passed, 0 failed, 1 skipped")


def test_a_run_with_too_many_unsteady_tests_fails(tmp_path):
    """Each passes when it is run again; the last lines say why the run fails all the same."""
    text = TESTS.replace("def test_broken", "def broken").replace("def test_failed_twice", "def no")
    text += "\ndef test_failed_once_more():\n    assert times('more') > 1\n"
    status, lines = run(tmp_path, text, "--again", "--workers", "2")
    assert (status, lines[-1]) == (1, "4 passed, 0 failed, 1 skipped")
    assert "unsteady: 3 tests, of which 2 are borne: the run fails" in lines[-20:]


def test_nothing_is_run_again_without_being_asked(tmp_path):
    status, lines = run(tmp_path, TESTS)
    assert (status, lines[-1]) == (1, "2 passed, 4 failed, 1 skipped")


def test_a_test_that_waits_for_ever_fails(tmp_path):
    """Even one that has to wait for its program once more, to clean up."""
    text = ("import subprocess\n\ndef test_waits():\n"
            "    with subprocess.Popen(['sleep', '20']) as program:\n        program.wait()\n")
    status, lines = run(tmp_path, text, TEST_LIMIT_S=3, REPEATED_S=1)
    assert (status, lines[-1]) == (1, "0 passed, 1 failed, 0 skipped")
    assert any("test_waits did not end within 3 s" in line for line in lines)


def test_a_program_that_takes_too_long_is_killed():
    assert execute(["sleep", "100"], clean_environment(), limit_s=0.5).status == -9


def ticking(clock):
    """Whether something still writes the time there."""
    before = clock.read_text()
    time.sleep(2)
    return clock.read_text() != before


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_killed_run_had_started_ends(tmp_path, workers):
    """Programs of its tests, however they were started, and nothing that others started."""
    loop = "while :; do date +%s.%N >$0.new; mv $0.new $0; echo; sleep 0.1; done"
    clocks = [tmp_path / "executed", tmp_path / "daemon"]
    text = (f"import subprocess\nimport sys\n\nsys.path.insert(0, {str(ROOT / 'tests' / 'support')!r})\n"
            "from running import clean_environment, execute\n\ndef test_waits():\n"
            f"    subprocess.Popen(['setsid', 'sh', '-c', {loop!r}, {str(clocks[1])!r}])\n"
            f"    execute(['sh', '-c', {loop!r}, {str(clocks[0])!r}], clean_environment())\n")
    words, more = prepared(tmp_path, text, "--workers", str(workers))
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, **more) as program:
        end_s = time.monotonic() + LIMIT_S
        while not all(clock.exists() for clock in clocks) and time.monotonic() < end_s:
            time.sleep(0.1)
        program.kill()
    while any(ticking(clock) for clock in clocks):
        assert time.monotonic() < end_s, "it goes on"


SHARED_TESTS = '''
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
        (tmp_path / f"test_{name}.py").write_text(SHARED_TESTS)
    status, lines = run(tmp_path, SHARED_TESTS, "--workers", "3", "test_b.py", "test_c.py")
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
