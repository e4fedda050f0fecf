"""flametrap annotate of files that others made, or that changed: what it shows is true, or it says so."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import pytest

import running
from annotations import annotate, data, needs_capstone
from running import COMMAND
from spool_writer import GONE, Spool
from symbol_table import BASE, identified, run

NOBODY = 65534
SOURCE = """__attribute__((noinline)) int victim(int n) { return n * 3; }
__attribute__((noinline)) int caller(int n) { return victim(n) + 1; }
int main(int count, char **words) { return caller(count) + !words; }
"""


def compiled(folder, text=SOURCE, options=("-g", "-O1"), compiler="gcc"):
    return running.compiled(folder, "some", text, *options, compiler=compiler)


@pytest.fixture
def path(tmp_path):
    return compiled(tmp_path)


def start_of(path, function):
    return next(int(line.split()[0], 16) for line in run("nm", path).splitlines()
                if line.endswith(f" {function}"))


def test_a_name_with_line_feeds_forges_no_row(tmp_path):
    """Names of files and functions are as hostile as the file that was sampled."""
    path = compiled(tmp_path, '#line 1 "/evil\\n> 99.00  forged\\033[31m.c"\n' + SOURCE)
    run("objcopy", "--redefine-sym", "victim=vic\n>  99.00 forged", path)
    spool = identified(tmp_path, path, {start_of(path, "caller"): 3})
    for words in (["--all"], ["--source"], ["--instructions", "--all"]):
        text = annotate(*words, "caller", spool)
        assert "forged" in text, text
        assert not re.search(r"^>? *99\.00", text, re.M) and "\033" not in text, text


def test_without_debug_information_a_line_says_so(tmp_path):
    path = compiled(tmp_path, options=("-O1",))
    spool = identified(tmp_path, path, {start_of(path, "caller"): 3})
    assert "no source lines: no debug information" in annotate("--source", "caller", spool)
    assert "no source lines" not in annotate("--instructions", "caller", spool)


@needs_capstone
def test_what_is_at_no_row_is_told(tmp_path):
    """A function of more code than is decoded; and lines that the debug information does not have."""
    path = compiled(tmp_path, """volatile int count;
__attribute__((noinline)) void long_one(void)
{
	count++;
	__asm__ volatile(".rept 1200000\\n nop\\n .endr");
}
int main(void) { long_one(); return 0; }
""")
    start = start_of(path, "long_one")
    spool = identified(tmp_path, path, {start: 1, start + 1190000: 3})
    function, = data("long_one", spool)["functions"]
    assert function["self"] == [4] and function["no_instruction"]["self"] == [3]
    assert sum(row["self"][0] for row in function["instructions"]) == 1
    for kind in "line", "instruction":
        found = sum(row["self"][0] for row in function[kind + "s"])
        assert found + function["no_" + kind]["self"][0] == 4
    text = annotate("long_one", spool)
    assert re.search(r"^ +75\.00 +\.\.\.  at no instruction that was decoded$", text, re.M), text


@needs_capstone
def test_what_is_at_no_line_is_told(tmp_path):
    """Line 0 is that of code which the compiler made for no line; GNU as does not write it."""
    if not shutil.which("clang-14"):
        pytest.skip("no clang-14")
    path = compiled(tmp_path, """volatile int count;
__attribute__((noinline)) void some(void)
{
	count++;
	__asm__ volatile(".loc 0 0 0\\n nop\\n nop\\n nop\\n .loc 0 6 0\\n nop");
	count++;
}
int main(void) { some(); return 0; }
""", compiler="clang-14")
    start = start_of(path, "some")
    function, = data("some", identified(tmp_path, path, {start: 1}))["functions"]
    bare = [row["address"] for row in function["instructions"] if "line" not in row]
    assert function["no_line"]["self"] == [0] and bare
    spool = identified(tmp_path, path, {start: 1, bare[1]: 3})
    for words in ([], ["--source"]):
        function, = data(*words, "some", spool)["functions"]
        assert sum(row["self"][0] for row in function["lines"]) == 1
        assert function["no_line"]["self"] == [3]
    assert re.search(r"^ +75\.00 +\.\.\.  at no known line$", annotate("--source", "some", spool), re.M)


def test_a_source_file_newer_than_the_program_is_told(tmp_path, path):
    spool = identified(tmp_path, path, {start_of(path, "caller"): 3})
    made = path.stat().st_mtime
    for later, expected in ((-5, False), (5, True)):
        os.utime(tmp_path / "some.c", (made + later, made + later))
        for words in ([], ["--source"]):
            text = annotate(*words, "caller", spool)
            assert (f"{tmp_path}/some.c is newer than the program: its lines may have moved" in text) == expected
        function, = data("caller", spool)["functions"]
        assert function["newer"] == ([str(tmp_path / "some.c")] if expected else [])
    assert "is newer than" not in annotate("--instructions", "caller", spool)


def timed(folder, path, place, identity):
    """A profile that ended a second after it began."""
    made = Spool(GONE)
    made.timed(10**9)
    made.module(path, BASE, BASE + 0x10000000, BASE, identity)
    made.sample(made.node(BASE + place), 10**8, 2)
    made.write(folder / "timed.spool")
    return folder / "timed.spool"


def test_a_program_without_a_build_id_that_was_written_anew_is_not_shown(tmp_path):
    """Its inode may be the same: then only the time tells."""
    path = compiled(tmp_path, options=("-g", "-O1", "-Wl,--build-id=none"))
    spool = timed(tmp_path, path, start_of(path, "caller"), b"")
    function, = data("caller", spool)["functions"]
    assert function["missing"] is None and function["lines"]
    os.utime(path, (time.time() + 100,) * 2)
    for words in ([], ["--source"], ["--instructions"]):
        text = annotate(*words, "caller", spool)
        assert "the file has no build ID, and was changed after it was sampled" in text
        assert "some.c" not in text, text


def test_a_script_that_changed_since_is_told(tmp_path):
    script = tmp_path / "work.py"
    script.write_text("def work():\n    first()\n")
    made = Spool(GONE)
    made.timed(10**9)
    made.sample(made.call(made.code("work", script, "work", 1), 2), 10**8, 2)
    made.write(tmp_path / "made.spool")
    assert "was changed after it ran" not in annotate("work", tmp_path / "made.spool")
    os.utime(script, (time.time() + 100,) * 2)
    assert f"{script} was changed after it ran" in annotate("work", tmp_path / "made.spool")


def test_another_users_spool_names_no_file_whose_text_is_shown():
    if os.geteuid():
        pytest.skip("only root can run a command as another user")
    with tempfile.TemporaryDirectory() as folder:  # that the other user can enter
        os.chmod(folder, 0o755)
        folder = pathlib.Path(folder)
        (folder / "text").write_text("password\n")
        made = Spool(GONE)
        made.call(made.code("work", folder / "text", "work", 1), 1, None, 1)
        made.write(folder / "made.spool")
        assert "password" in annotate("work", folder / "made.spool")
        (folder / "made.spool").chmod(0o644)
        other = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", COMMAND]
        for words in ([], ["--json"], ["--source"]):
            done = subprocess.run([*other, "annotate", *words, "work", folder / "made.spool"], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
            if done.returncode > 2:
                pytest.skip("another user cannot run the command here")
            assert done.returncode == 0 and "password" not in done.stdout, done.stderr
            assert "another user's spool" in done.stderr and done.stderr.count("\n") == 1


def test_a_very_long_line_is_cut(tmp_path):
    script = tmp_path / "long.py"
    script.write_text("x\n" + "y = 1; " * 100000 + "\n")
    made = Spool(GONE)
    made.call(made.code("work", script, "work", 1), 2, None, 1)
    made.write(tmp_path / "made.spool")
    assert max(map(len, annotate("work", tmp_path / "made.spool").splitlines())) < 500


@needs_capstone
def test_every_key_of_the_json_is_documented(tmp_path, path):
    places = {start_of(path, name): 1 for name in ("caller", "main")}
    found = data("--inline", "*", identified(tmp_path, path, places))
    page = (pathlib.Path(__file__).parents[2] / "docs/recipes.md").read_text(encoding="utf-8")
    section = page.split("## Which instruction?")[1].split("\n## ")[0]

    def keys(part):
        if isinstance(part, dict):
            yield from part
            part = part.values()
        if not isinstance(part, str) and hasattr(part, "__iter__"):
            for one in part:
                yield from keys(one)

    assert {"target", "no_line", "text"} < set(keys(found))
    assert [key for key in set(keys(found)) if f"`{key}`" not in section] == []
