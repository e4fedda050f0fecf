"""The page (--format html) has the instructions of the busiest functions, and samples name theirs."""

import json
import os
import re

import pytest

import page_profiles
from annotations import needs_capstone
from launching import flametrap
from page_reader import Page
from spool_writer import GONE, Spool
from symbol_table import BASE, build_id, run
from viewer_page import Viewer, viewer

SOURCE = """static volatile unsigned long sum;
__attribute__((noinline)) void compute(long n)
{
	for (long i = 0; i < n; i++)
		sum += (unsigned long)i; /* here */
}
int main(void) { compute(10); return 0; }
"""
pytestmark = needs_capstone


def made(folder, functions=1, samples=4):
    """A spool with samples at the starts of functions, in two halves of a second."""
    text = "".join(SOURCE.split("int main", maxsplit=1)[0].replace("compute", f"compute{i or ''}").replace(
        "static volatile unsigned long sum;", "" if i else "static volatile unsigned long sum;")
        for i in range(functions)) + "int main(void) { compute(10); return 0; }\n"
    (folder / "code.c").write_text(text)
    run("gcc", "-g", "-O1", "-o", folder / "code", folder / "code.c")
    spool = Spool(GONE)
    spool.module(folder / "code", BASE, BASE + 0x10000000, BASE,
                 bytes.fromhex(build_id(folder / "code")))
    spool.timed(10**9)
    starts = sorted(int(line.split()[0], 16) for line in run("nm", folder / "code").splitlines()
                    if re.search(r" [tT] compute\d*$", line))
    for start in starts:
        spool.sample(spool.node(BASE + start), 10**8, samples)
    spool.sample(spool.node(BASE + starts[0]), 8 * 10**8, 1)
    spool.write(folder / "code.spool")
    return folder / "code.spool"


def page(folder, spool, **options):
    flametrap("fold", "--format", "html", "-o", folder / "page", spool, status=0, **options)
    return Page(folder / "page.html")


def rows_of(found):
    """[(function, address, text, file and line)] by number - 1."""
    return [(one["name"], one["start"] + row[0], row[1], row[2:])
            for one in found.head["code"] for row in one["rows"]]


def test_samples_name_the_instruction_that_annotate_shows(tmp_path):
    spool = made(tmp_path)
    found = page(tmp_path, spool)
    rows = [row for row in rows_of(found) if row[2]]
    told = json.loads(flametrap("annotate", "--json", "compute", spool, status=0).stdout)
    theirs = told["functions"][0]["instructions"]
    assert [row[1] for row in rows] == [row["address"] for row in theirs[:5]]
    assert [row[2] for row in rows_of(found)[5:]] == [""]
    weights = {}
    for sample in found.rows():
        number = sample["instruction"]
        weights[number] = weights.get(number, 0) + sample["samples"]
    assert weights == {i + 1: row["self"][0] for i, row in enumerate(theirs) if row["self"][0]}
    for row, other in zip(rows, theirs):
        assert row[2].startswith(other["mnemonic"])
        assert found.head["files"][row[3][0]]["path"] == other["file"] and row[3][1] == other["line"]


def test_the_number_of_functions_is_limited(tmp_path):
    found = page(tmp_path, made(tmp_path, 40))
    assert len(found.head["code"]) == 30
    assert found.head["code"][0]["name"] == "compute"  # it has most samples
    named = sum(sample["instruction"] > 0 for sample in found.rows())
    assert named == 31


def test_without_the_library_there_are_none(tmp_path):
    for name in ("libcapstone.so.4", "libcapstone.so.5"):
        (tmp_path / name).write_text("")
    found = page(tmp_path, made(tmp_path), settings={"LD_LIBRARY_PATH": str(tmp_path)})
    assert found.head["code"] == [] and "instruction" not in found.head["columns"]


def test_another_users_process_has_no_code(tmp_path):
    if os.geteuid():
        pytest.skip("only root can give a file away")
    spool = made(tmp_path)
    os.chown(spool, 65534, 65534)
    done = flametrap("fold", "--format", "html", "-o", tmp_path / "page", spool)
    if done.returncode == 0:
        assert Page(tmp_path / "page.html").head["code"] == []


def test_a_browser_shows_instructions_of_the_selection(browser, tmp_path):
    spool = made(tmp_path)
    page(tmp_path, spool)
    shown = Viewer(browser, tmp_path / "page.html")
    shown.click("tbody tr:first-child")
    shown.press("Instructions")
    assert "100.0%" in shown.text(".lines .hot") and "code.c:" in shown.text(".lines .origin")
    told = json.loads(flametrap("annotate", "--json", "compute", spool, status=0).stdout)
    first = told["functions"][0]["instructions"][0]
    assert shown.text(".lines .number") == f"{first['address']:x}"
    assert first["mnemonic"] in shown.text(".lines .text")
    shown.press("Instructions")
    assert not shown.texts(".lines .origin")


def test_a_page_without_instructions_has_no_button(browser, tmp_path):
    data = page_profiles.stalls(2)
    shown = Viewer(browser, viewer(tmp_path, data))
    shown.click("tbody tr:first-child")
    assert shown.shown(".source") and "Instructions" not in shown.texts(".source button:not([hidden])")


def test_long_names_of_what_is_called_count_as_text(tmp_path):
    """A symbol's name may have any length, and stands in each call."""
    name = "f" * 20000
    (tmp_path / "code.c").write_text(
        f"__attribute__((noinline)) void {name}(void) {{ __asm__ volatile(\"\"); }}\n"
        "__attribute__((noinline)) void compute(void) { " + f"{name}(); " * 200 + "}\n"
        "int main(void) { compute(); return 0; }\n")
    run("gcc", "-O1", "-o", tmp_path / "code", tmp_path / "code.c")
    spool = Spool(GONE)
    spool.module(tmp_path / "code", BASE, BASE + 0x10000000, BASE, bytes.fromhex(build_id(tmp_path / "code")))
    start = next(int(line.split()[0], 16) for line in run("nm", tmp_path / "code").splitlines()
                 if line.endswith(" compute"))
    for call in range(200):
        spool.node(BASE + start + 5 * call, None, 1)
    spool.write(tmp_path / "code.spool")
    found = page(tmp_path, tmp_path / "code.spool")
    assert len(json.dumps(found.head["code"])) < 600000
