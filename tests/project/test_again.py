"""The runner: what fails once is told from what fails, and no test goes on for ever."""

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
