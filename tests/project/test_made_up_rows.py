"""A format, a verb and a language are added by their rows and files alone: made-up ones of each, in a
copy of the tree."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from running import BUILD, ROOT, Folded, clean_environment, execute

pytestmark = pytest.mark.long  # compiles much of the command and of the library

MADE_UP = ROOT / "tests" / "project" / "made_up"
FILES = {
    "tally.c": "runtime/output/formats/tally.c",
    "verb_census.c": "runtime/command/verbs/verb_census.c",
    "language_logo.c": "runtime/profile/languages/language_logo.c",
    "logo.c": "runtime/sample/interp/logo/logo.c",
    "logo.h": "runtime/sample/interp/logo/logo.h",
}
# The end of each table, and the row that is added there.
ROWS = {
    "config/settings/formats.h": (r"(SETTINGS_FORMATS\(ROW\)(?:.*\\\n)+.*)",
                                  'ROW(TALLY, tally, 1024, "tally.txt", FORMAT_EACH)'),
    "runtime/command/options/manual.h": (r"(define VERBS\(X\)(?:.*\\\n)+.*)", "X(census)"),
    "runtime/spool/format_code.h": (r"(define SPOOL_LANGUAGES\(X\)(?:.*\\\n)+.*)", "X(LOGO, 5, logo)"),
}
LIMIT_S = 900


def add_row(path, end, row):
    text, count = re.subn(end, rf"\1 \\\n\t{row}", path.read_text(encoding="utf-8"))
    assert count == 1, path
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The build of a copy that has the made-up rows and files; objects that stay are not made again."""
    tree = tmp_path_factory.mktemp("made_up")
    for name in ("Makefile", "config", "preload", "runtime", "tests/can_build.sh", "tests/lint.mk",
                 "tests/tests.mk"):
        (tree / name).parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name)
        else:
            shutil.copy2(ROOT / name, tree / name)
    for name in ("command", "shim", "generated", "can_build"):
        copy = shutil.copytree if (BUILD / name).is_dir() else shutil.copy2
        copy(BUILD / name, tree / "build" / name)
    for name, place in FILES.items():
        (tree / place).parent.mkdir(exist_ok=True)
        shutil.copy(MADE_UP / name, tree / place)
    for name, (end, row) in ROWS.items():
        add_row(tree / name, end, row)
    done = subprocess.run(["make", "-s", f"-j{len(os.sched_getaffinity(0))}", "BUILD=build"], cwd=tree,
                          env=clean_environment(), capture_output=True, text=True, timeout=LIMIT_S,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return tree / "build"


def output_of(built, *words, folder=None):
    done = execute([built / "flametrap", *words], clean_environment(), cwd=folder, status=0)
    return done.stdout.decode()


def test_a_format_is_a_row_and_its_writer(built, tmp_path):
    (tmp_path / "x.folded").write_text("app;main;a 3\napp;main;b 4\n", encoding="ascii")
    assert output_of(built, "fold", "--format", "tally", "x.folded", folder=tmp_path) == "2 stacks, 7\n"
    for shown in (("help", "settings"), ("help", "--completion", "bash"), ("help", "--man", "flametrap.1")):
        assert "tally" in output_of(built, *shown), shown
    output_of(built, "--format", "tally", "-o", "run", "true", folder=tmp_path)


def test_a_verb_is_a_row_and_its_file(built):
    assert output_of(built, "census", "Ada", "Grace") == "2 names\n"
    assert "count names" in output_of(built, "--help")
    assert "census" in output_of(built, "help", "--completion", "zsh")
    assert "The number of names is printed" in output_of(built, "help", "--man", "flametrap-census.1")


def test_a_language_is_a_row_and_a_room_in_each_half(built, tmp_path):
    program = tmp_path / "logo"
    subprocess.run(["cc", "-O1", "-rdynamic", "-o", program, MADE_UP / "program.c"], check=True)
    output_of(built, "--format", "folded,pprof", "-o", "x", program, folder=tmp_path)
    folded = Folded((tmp_path / "x.folded").read_text(encoding="utf-8"))
    assert folded.inclusive("side_\\[p\\]") == folded.inclusive("square_\\[p\\]") > 0.8 * folded.total
    assert folded.inclusive("logo_run") == 0
    assert pathlib.Path(tmp_path / "x.pb.gz").stat().st_size > 100
