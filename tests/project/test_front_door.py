"""The first commands on a new machine: what is missing is named, and the demo shows functions.  What
continuous integration says at its end: the sum of its parts, and their failures."""

import os
import re
import shutil
import subprocess

import pytest

from running import BUILD, ROOT, clean_environment, program, scripts

LIMIT_S = 600


def run(argv, **environment):
    return subprocess.run([str(word) for word in argv], cwd=ROOT, timeout=LIMIT_S, check=False,
                          env=clean_environment(**environment), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_demo_names_the_busiest_functions_and_says_where_to_look(tmp_path):
    program("sqlite3")
    done = run(["tests/elsewhere.sh", BUILD, "tests/demo.sh", BUILD, tmp_path])
    assert done.returncode == 0, done.stderr
    assert re.match(r"flametrap: [\d,]+ samples ", done.stderr), done.stderr
    assert " is not a setting" not in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("demo: this profiles /usr/bin/sqlite3")
    found = [match for match in map(re.compile(r"demo: +([\d.]+) %  (\S+)").fullmatch, lines) if match]
    shares = [float(match[1]) for match in found]
    assert len(shares) == 3 and shares == sorted(shares, reverse=True) and 5 < sum(shares) <= 100
    assert "sqlite3VdbeExec" in [match[2] for match in found]
    for name in ("sqlite3.svg", "sqlite3.folded"):
        assert (tmp_path / name).stat().st_size and f"{tmp_path}/{name}" in done.stdout


@pytest.mark.parametrize("target, part", [
    ("demo", "demo"), ("test", "test"), ("test-all", "test"), ("unit", "test"), ("fuzz", "test"), ("lint", "lint"),
    ("bench", "bench"), ("bench-unwind", "bench"), ("test-machine", "test"), ("test-long", "test"),
    ("test-suites", "suites"), ("test-unwind", "test"), ("test-unwind-long", "test"),
    ("test-fresh", "fresh"),
])
def test_a_target_sets_up_before_it_does_anything(tmp_path, target, part):
    """As on a machine without a compiler, which only set-up can install."""
    done = run(["make", "-n", "CC=no-such-compiler", "CXX=no-such-compiler", f"BUILD={tmp_path}/b",
                target], MAKEFLAGS="")
    assert "knows x86_64" not in done.stderr
    first = next(line for line in done.stdout.splitlines() if not line.startswith("echo "))
    words = first.split()
    assert words[0] == "tests/setup.sh" and part in words, done.stdout


@pytest.mark.parametrize("words, left_out, named", [
    (["test"], True, "tests"), (["test-all"], False, "tests"), (["unit"], True, "tests/fuzz"),
    (["test", "TESTS=tests/machine"], False, "tests/machine")])
def test_long_tests_are_left_out_unless_they_are_asked_for(words, left_out, named):
    done = run(["make", "-n", *words], MAKEFLAGS="")
    line = next(line for line in done.stdout.replace("\\\n", " ").splitlines() if "-m pytest" in line)
    assert ("-m 'not long'" in line, named in line.split()) == (left_out, True)
    assert "--workers auto" in line and "--again" in line


@pytest.mark.parametrize("more, command", [
    ([], "tests/fresh.sh  'sid' 'make demo'"), (["AS=user"], "tests/fresh.sh --user 'sid' 'make demo'")])
def test_a_fresh_root_is_of_the_suite_and_user_that_are_named(more, command):
    done = run(["make", "-n", "test-fresh", "SUITE=sid", "COMMAND=make demo", *more], MAKEFLAGS="")
    assert command in done.stdout.splitlines()


def test_a_build_without_a_compiler_names_the_packages_in_one_line(tmp_path):
    done = run(["make", "CC=no-such-compiler", f"BUILD={tmp_path}/b", "all"], PATH=os.environ["PATH"])
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert re.match(r"flametrap: cannot build without gcc\b.*; tests/setup.sh build installs", lines[0])
    assert len(lines) == 2 and lines[1].startswith("make: ***")
    assert not re.search(r"knows x86_64|not found", done.stdout + done.stderr)


def test_a_missing_library_is_named_without_those_that_are_there(tmp_path):
    """Of two headers the compiler is made to miss one."""
    scripts(tmp_path, {"cc": 'text=$(cat)\ncase $text in *libunwind.h*) exit 1 ;; esac\n'
                             'echo "$text" | exec cc "$@"'})
    done = run(["tests/can_build.sh", tmp_path / "cc"], PATH=os.environ["PATH"])
    assert (done.returncode, done.stderr) == (1, (
        "flametrap: cannot build without libunwind-dev; "
        "tests/setup.sh build installs what is missing (Debian, Ubuntu)\n"))
    assert run(["tests/can_build.sh", "cc"]).returncode == 0


@pytest.mark.parametrize("parts, named, unnamed", [
    (["build"], {"gcc", "libdw-dev", "protobuf-c-compiler"}, {"sqlite3", "mmdebstrap"}),
    (["build", "demo"], {"gcc", "sqlite3"}, {"python3-pytest"}),
    (["bench"], {"python3-pytest", "g++"}, {"chromium"}),  # what can be done without is not asked for
    (["lint"], {"pylint", "shellcheck"}, {"libcmocka-dev"}),
    (["fresh"], {"mmdebstrap", "git"}, {"gcc"}),
])
def test_without_root_and_sudo_set_up_names_what_to_install(tmp_path, parts, named, unnamed):
    """As on a machine with nothing installed and no package lists."""
    for name in ("sh", "cat", "tr", "grep", "mktemp", "rm"):
        (tmp_path / name).symlink_to(shutil.which(name))
    scripts(tmp_path, {"id": "echo 1000", "dpkg-query": "exit 1", "apt-cache": "exit 0",
                       "apt-get": "exit 1"})
    done = run(["tests/setup.sh", *parts], PATH=str(tmp_path))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    start = "setup: neither root nor sudo; install first: "
    assert line.startswith(start)
    words = set(line[len(start):].split())
    assert named <= words and not unnamed & words, words


# Stands in for tests/fresh.sh: each part as one could end.
PARTS = r"""echo "limit $FRESH_LIMIT"
case $* in
*'bookworm true') exit 0 ;;
*--bare*'make test') echo "setup: install first: gcc x libdw-dev y libunwind-dev"; exit 2 ;;
*--bare*) echo "make: nothing to be done"; exit 0 ;;
*--user* | *try_deb*) exit 0 ;;
*trixie*) printf '5 passed, 0 failed, 1 skipped\n7 passed, 0 failed, 2 skipped\n'; exit 2 ;;
*lint*) exit "$LINT" ;;
*) echo "10 passed, $FAILED failed, 3 skipped"; exit "$FAILED" ;;
esac
"""


def run_parts(folder, **environment):
    """.ci/run among made-up parts: (status, lines)."""
    for name in (".ci", "tests"):
        (folder / name).mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    scripts(folder, {"tests/fresh.sh": PARTS, "tests/setup.sh": "", "id": "echo 0"})
    path = f"{folder}:/usr/bin:/bin"
    done = subprocess.run(["bash", folder / ".ci" / "run"], cwd=folder, timeout=300, check=False,
                          env=clean_environment(PATH=path, **environment), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.splitlines()


def test_the_last_line_is_the_sum_of_all_parts(tmp_path):
    """A part that fails without counting a failure is one; one that names no package, too."""
    status, lines = run_parts(tmp_path, FAILED="2", LINT="1")
    assert status == 1
    assert lines[-2:] == ["ci: parts with failures: bookworm trixie bare-make lint",
                          "26 passed, 5 failed, 6 skipped"]


def test_all_parts_end_within_an_hour_and_a_half(tmp_path):
    """A part that begins late has less time; bash begins to count where it is told to."""
    for passed, most in ((0, 3900), (4000, 1280)):
        folder = tmp_path / str(passed)
        folder.mkdir()
        _, lines = run_parts(folder, FAILED="0", LINT="0", SECONDS=str(passed))
        limits = [int(line.split()[1]) for line in lines if line.startswith("limit ") and line != "limit "]
        assert len(limits) == 8 and most - 60 < min(limits) <= max(limits) <= most, limits


def test_parts_that_pass_are_not_listed(tmp_path):
    status, lines = run_parts(tmp_path, FAILED="0", LINT="0")
    assert (status, lines[-1]) == (1, "27 passed, 2 failed, 6 skipped")
    assert lines[-2] == "ci: parts with failures: trixie bare-make"
