"""CPU time before the start of sampling, of the loader above all, is in the account: it, what was
counted, and what the end takes are the CPU time of the process."""

import json

import pytest

from page_reader import Page
from running import COMMAND, LATE_NS, clean_environment, execute, program

SHELL_WORK = "for i in {1..100000}; do :; done"
NAME = "a_name_for_which_the_loader_takes_its_time" * 12
# 500,000 relocations, no two of the same symbol in a row.
LIBRARY = f"""
	.altmacro
	.macro define number
	.globl {NAME}\\number
{NAME}\\number: .byte 0
	.endm
	.macro refer number
	.quad {NAME}\\number
	.endm
	.data
	.globl one
one:	.byte 0
	.set number, 0
	.rept 25000
	define %number
	.set number, number + 1
	.endr
	.balign 8
	.rept 20
	.set number, 0
	.rept 25000
	refer %number
	.set number, number + 1
	.endr
	.endr
	.section .note.GNU-stack,"",%progbits
"""
PROGRAM = r"""
#include <stdio.h>
#include <time.h>
extern char one;
int main(void)
{
	static volatile unsigned long turns;
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	printf("%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
	while (turns < 100000000) turns++;
	return one + 3;
}
"""


@pytest.fixture(name="slow_to_load", scope="module")
def builder(tmp_path_factory):
    """A program whose library takes the loader some 100 ms.  It prints its CPU time up to main."""
    folder = tmp_path_factory.mktemp("loading")
    (folder / "names.s").write_text(LIBRARY, encoding="ascii")
    (folder / "program.c").write_text(PROGRAM, encoding="ascii")
    gcc = program("gcc")
    for argv in ([gcc, "-shared", "-s", "-Wl,-z,nocombreloc", "-o", folder / "libnames.so",
                  folder / "names.s"],
                 [gcc, "-O1", "-o", folder / "program", folder / "program.c", "-L", folder, "-lnames",
                  f"-Wl,-rpath,{folder}", "-fPIE"]):
        done = execute(argv, clean_environment())
        assert done.status == 0, done.stderr.decode()
    return folder / "program"


@pytest.fixture(name="loading_ns", scope="module")
def loading(slow_to_load):
    """What the loader takes without us."""
    loading_ns = int(execute([slow_to_load], clean_environment()).stdout)
    assert loading_ns > 3 * LATE_NS, "the library is too small to say anything"
    return loading_ns


def adds_up(before_ns, counted_ns, result):
    """What is left is the kernel's part of exec and of the end."""
    known_ns = before_ns + counted_ns
    assert known_ns <= result.cpu_ns() + LATE_NS
    assert known_ns >= result.cpu_ns() * 0.9 - 2 * LATE_NS


@pytest.mark.measures
def test_the_loader_s_time_is_in_the_account(profiler, slow_to_load, loading_ns):
    result, (spool,) = profiler.collected([slow_to_load])
    assert (result.status, result.stderr) == (3, b"")
    assert loading_ns / 2 < spool.before_ns <= int(result.stdout)
    adds_up(spool.before_ns, spool.cpu_ns, result)
    adds_up(spool.before_ns, spool.counted(), result)
    report = execute([COMMAND, "report", "--json", spool.path], clean_environment())
    told = json.loads(report.stdout)
    assert told["before_ns"] == spool.before_ns
    account = told["tables"][0]["account"]
    adds_up(told["before_ns"] + account["in_stacks"] + account["lost"] + account["unsampled"], 0, result)
    report = execute([COMMAND, "report", spool.path], clean_environment())
    assert b"of CPU time before sampling began: the loader's, and what processes did" in report.stdout


@pytest.mark.measures
def test_each_image_of_a_process_has_its_own_time_before(profiler, slow_to_load, loading_ns):
    result, spools = profiler.collected([program("bash"), "-c", f"{SHELL_WORK}; exec {slow_to_load}"])
    assert (result.status, len(spools)) == (3, 2)
    report = execute([COMMAND, "report", "--json", *[spool.path for spool in spools]], clean_environment())
    told = json.loads(report.stdout)
    assert loading_ns / 2 < told["before_ns"] <= max(spool.before_ns for spool in spools)
    adds_up(told["before_ns"], sum(spool.cpu_ns for spool in spools), result)


def test_a_forked_child_has_none(profiler):
    """It begins with no CPU time, and is sampled from there on."""
    result, spools = profiler.collected([program("bash"), "-c", f"({SHELL_WORK}); true"])
    assert result.status == 0
    first, *children = sorted(spools, key=lambda spool: spool.start_ns)
    assert first.before_ns > 0
    assert [child.before_ns for child in children] == [0]


@pytest.mark.measures
def test_it_is_said_where_it_is_much(profiler, slow_to_load):
    result, files = profiler.launched(["--format", "html"], [slow_to_load])
    assert result.status == 3
    assert b"flametrap: not sampled: " in result.stderr and b"in no profile" not in result.stderr
    page = profiler.folder / "page.html"
    page.write_text(files["profile.html"], encoding="utf-8")
    assert any(note.startswith("Not sampled: ") for note in Page(page).head["notes"])
    result, files = profiler.launched(["--format", "html"], [program("true")])
    assert b"not sampled" not in result.stderr
