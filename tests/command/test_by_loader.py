"""A program that the loader was told to start (ld.so(8)) has its own name, functions and files."""

import re
import subprocess

import pytest

from launching import launch
from running import COMMAND, clean_environment
from symbol_table import run

SOURCE = """
#include <time.h>
static volatile unsigned long n;
__attribute__((noinline)) static void burn(void)
{
	struct timespec t;

	do {
		for (int i = 0; i < 10000; i++)
			n += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (!t.tv_sec && t.tv_nsec < 100000000);
}
int main(void) { burn(); return n == 1; }
"""


@pytest.fixture
def app(tmp_path):
    (tmp_path / "a.c").write_text(SOURCE)
    run("cc", "-O1", "-o", tmp_path / "app", tmp_path / "a.c")
    return tmp_path / "app"


def loader_of(path):
    return re.search(r"interpreter: (.*)\]", run("readelf", "-lW", path))[1]


@pytest.mark.parametrize("strict", [[], ["--strict"]], ids=["as usual", "strict"])
def test_it_has_its_own_name_and_functions(strict, app, tmp_path):
    done = launch(tmp_path, *strict, "--kernel", "no", "--format", "folded", loader_of(app), app)
    assert done.returncode == 0
    lines = (tmp_path / "profile.folded").read_text().splitlines()
    assert lines and all(line.startswith("app;") and ";main;burn" in line for line in lines)
    assert b"replaced" not in done.stderr and b"symbols" not in done.stderr


def test_its_files_are_named_after_it(app, tmp_path):
    done = subprocess.run([COMMAND, "--format", "folded", loader_of(app), "--library-path", "/none", app],
                          check=False, cwd=tmp_path, env=clean_environment(), capture_output=True)
    assert done.returncode == 0
    assert len(list(tmp_path.glob("flametrap.app.*.folded"))) == 1


def test_it_is_recognised_without_a_build_id(app, tmp_path):
    run("cc", "-O1", "-Wl,--build-id=none", "-o", app, tmp_path / "a.c")
    done = launch(tmp_path, "--format", "folded", loader_of(app), app)
    assert "main;burn" in (tmp_path / "profile.folded").read_text() and b"replaced" not in done.stderr
