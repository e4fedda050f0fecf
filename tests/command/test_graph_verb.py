"""flametrap graph: what it reads, where it writes, and how it fails."""

import os
import subprocess
from xml.etree import ElementTree

import pytest

from graph_page import texts, titles
from launching import flametrap
from running import COMMAND, Profiler

FOLDED = "app;main;a 3\napp;main;b 7\n"


def run(folder, *arguments, text=None, status=0):
    done = flametrap("graph", *arguments, cwd=folder, input=text or "", status=status)
    return done


@pytest.mark.parametrize("source, target", [
    ("x.folded", "x.svg"), ("x.txt", "x.svg"), ("x", "x.svg"), ("x.tar.folded", "x.tar.svg"),
    (".folded", ".folded.svg")])
def test_the_picture_lies_beside_the_file(tmp_path, source, target):
    (tmp_path / source).write_text(FOLDED)
    assert run(tmp_path, source).stderr == f"flametrap: wrote {target}\n"
    assert titles((tmp_path / target).read_bytes())[0] == "Flame graph"
    assert sorted(os.listdir(tmp_path)) == sorted([source, target])


def test_standard_input_goes_to_standard_output(tmp_path):
    done = run(tmp_path, "-", text=FOLDED)
    assert "main (10 samples, 100.00%)" in titles(done.stdout)
    assert done.stderr == "" and os.listdir(tmp_path) == []


def test_several_files_are_merged(tmp_path):
    (tmp_path / "one.folded").write_text(FOLDED)
    (tmp_path / "two.folded").write_text("app;main;b 10\nother 20\n")
    merged = titles(run(tmp_path, "one.folded", "two.folded", "-o", "-").stdout)
    assert "b (17 samples, 42.50%)" in merged and "other (20 samples, 50.00%)" in merged


def test_title_notes_unit_and_width_are_taken(tmp_path):
    done = run(tmp_path, "-", "--title", "T & t", "--notes", "N < n", "--unit", "ns", "--width",
               "800", text=FOLDED)
    svg = ElementTree.fromstring(done.stdout)
    assert svg.get("width") == "800" and svg.get("aria-label") == "T & t"
    assert texts(done.stdout)[:2] == ["T & t", "N < n"]
    assert "a (3 ns, 30.00%)" in titles(done.stdout)


def test_lines_that_cannot_be_read_are_told_and_the_rest_drawn(tmp_path):
    (tmp_path / "x.folded").write_text("app;a 1\nno count\napp;b 1\n")
    done = run(tmp_path, "x.folded", "-o", "-")
    assert "x.folded:2: there is no count at its end" in done.stderr
    assert "b (1 sample, 50.00%)" in titles(done.stdout)


def test_an_existing_picture_is_replaced_whole(tmp_path):
    (tmp_path / "out.svg").write_text("x" * 1000000)
    (tmp_path / "x.folded").write_text(FOLDED)
    run(tmp_path, "x.folded", "-o", "out.svg")
    ElementTree.parse(tmp_path / "out.svg")
    assert sorted(os.listdir(tmp_path)) == ["out.svg", "x.folded"]


def test_the_picture_has_the_mode_that_the_user_s_mask_gives(tmp_path):
    (tmp_path / "x.folded").write_text(FOLDED)
    subprocess.run(["sh", "-c", f"umask 027; exec '{COMMAND}' graph x.folded"], cwd=tmp_path, check=True)
    assert (tmp_path / "x.svg").stat().st_mode & 0o777 == 0o640


def test_a_full_device_is_a_failure_that_is_told(tmp_path):
    assert "No space left" in run(tmp_path, "-", "-o", "/dev/full", text=FOLDED, status=1).stderr
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = flametrap("graph", "-", input=FOLDED, stdout=full)
    assert done.returncode == 1 and "standard output: No space left" in done.stderr


def test_what_fails_leaves_no_file(tmp_path):
    (tmp_path / "out.svg").write_text("the old one")
    done = run(tmp_path, "missing.folded", "-o", "out.svg", status=1)
    assert "missing.folded: No such file or directory" in done.stderr
    assert (tmp_path / "out.svg").read_text() == "the old one"
    (tmp_path / "x.folded").write_text(FOLDED)
    run(tmp_path, "x.folded", "-o", "nowhere/out.svg", status=1)
    assert sorted(os.listdir(tmp_path)) == ["out.svg", "x.folded"]


def test_min_width_may_carry_a_per_cent_sign(tmp_path):
    done = run(tmp_path, "-", "--min-width", "50%", text=FOLDED)
    assert '"b"' in done.stdout and '"a"' not in done.stdout


def test_a_spool_tells_title_and_notes(tmp_path):
    _, spools = Profiler(tmp_path).collected(
        ["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])
    if not spools:
        pytest.skip("no spool was left: sampling is refused here")
    done = run(tmp_path, spools[0].path, "-o", "-")
    title, notes, *_ = texts(done.stdout)
    assert title.startswith("sh -c i=0")
    assert "task-clock" in notes
    assert any(title.startswith("sh (") for title in titles(done.stdout))
