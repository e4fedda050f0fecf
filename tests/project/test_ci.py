"""What continuous integration says at its end: the sum of its parts, and their failures."""

import shutil
import subprocess

from running import ROOT, clean_environment, scripts

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


def run(folder, **environment):
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
    status, lines = run(tmp_path, FAILED="2", LINT="1")
    assert status == 1
    assert lines[-2:] == ["ci: parts with failures: bookworm trixie bare-make lint",
                          "26 passed, 5 failed, 6 skipped"]


def test_all_parts_end_within_an_hour_and_a_half(tmp_path):
    """A part that begins late has less time; bash begins to count where it is told to."""
    for passed, most in ((0, 3900), (4000, 1280)):
        folder = tmp_path / str(passed)
        folder.mkdir()
        _, lines = run(folder, FAILED="0", LINT="0", SECONDS=str(passed))
        limits = [int(line.split()[1]) for line in lines if line.startswith("limit ") and line != "limit "]
        assert len(limits) == 8 and most - 60 < min(limits) <= max(limits) <= most, limits


def test_parts_that_pass_are_not_listed(tmp_path):
    status, lines = run(tmp_path, FAILED="0", LINT="0")
    assert (status, lines[-1]) == (1, "27 passed, 2 failed, 6 skipped")
    assert lines[-2] == "ci: parts with failures: trixie bare-make"
