"""flametrap watch: who touches a variable.  Every access is a sample, in whatever thread, with the
function that made it; what cannot be watched is said."""

import csv
import io
import re
import shutil

import pytest

import debug_registers
from running import COMMAND, ROOT, Folded, clean_environment, compiled, execute, target, tool

WRITES = {  # by watched.c: (thread, function)
    ("watched", "set_often"): 150,
    ("watched", "set_sometimes"): 50,
    ("watched", "set_rarely"): 100,
    ("later", "set_often"): 100,
    ("later", "set_sometimes"): 100,
}


def line_of(function):
    """The line in watched.c where a function writes to the field."""
    text = (ROOT / "tests/preload/targets/watched.c").read_text(encoding="utf-8")
    before, body = re.split(rf"^.*\b{function}\(long value\)\n", text, maxsplit=1, flags=re.M)
    before += text[len(before):text.index(body, len(before))]
    return before.count("\n") + body[:body.index("account.balance")].count("\n") + 1


def watch(profiler, *arguments):
    debug_registers.need()
    out = profiler.folder / "watch"
    out.mkdir()
    result = execute([COMMAND, "watch", "-o", out / "w", *arguments], clean_environment())
    files = {path.name: path.read_text(encoding="utf-8") for path in out.iterdir()}
    if b"refused" in result.stderr and b"ENOSPC" not in result.stderr:
        pytest.skip("no breakpoint registers here: " + result.stderr.decode())
    return result, files


def test_500_writes_are_500_samples_of_the_right_functions_and_threads(profiler):
    result, files = watch(profiler, "--threads", "name", "account+16/8:w", target("watched"))
    assert result.status == 0 and result.stdout == b"done\n"
    assert set(files) == {"w.folded", "w.html", "w.svg"}
    folded = Folded(files["w.folded"])
    found = {}
    for frames, value in folded.stacks.items():
        assert frames[-1] == "[data account+0x10]"  # what was written
        function, line = frames[-2].split(":", 1)
        assert line == f"watched.c:{line_of(function)}"
        key = (frames[1], function)
        found[key] = found.get(key, 0) + value
    assert found == WRITES
    assert folded.total == 500
    assert b"500 samples" in result.stderr


def test_the_report_lists_the_code_with_the_data_before_it(profiler):
    out = profiler.folder / "x"
    debug_registers.need()
    done = execute([COMMAND, "watch", "-o", out, "--format", "spool", "account+16/8:w", target("watched")],
                   clean_environment())
    if b"refused" in done.stderr:
        pytest.skip("no breakpoint registers here: " + done.stderr.decode())
    spool, = profiler.folder.glob("x.*.spool")
    text = execute([COMMAND, "report", "--csv", spool], clean_environment()).stdout.decode()
    own = {row["name"]: int(row["self"]) for row in csv.DictReader(io.StringIO(text))}
    writes = {}
    for (_, function), count in WRITES.items():
        name = f"[data account+0x10] {function}:watched.c:{line_of(function)}"
        writes[name] = writes.get(name, 0) + count
    assert {name: count for name, count in own.items() if count} == writes


def test_without_lines_it_is_the_place_in_the_function(profiler, tmp_path):
    program = tmp_path / "stripped"
    shutil.copy(target("watched"), program)
    assert execute(["strip", "-g", program], clean_environment()).status == 0
    _, files = watch(profiler, "account+16/8:w", program)
    listing = execute(["objdump", "-d", "--no-show-raw-insn", program], clean_environment())
    found = {}
    for frames, value in Folded(files["w.folded"]).stacks.items():
        name, offset = frames[-2].split("+0x")
        found[name] = found.get(name, 0) + value
        body = re.search(rf"^(\w+) <{name}>:\n(.*?)\n\n", listing.stdout.decode(), re.M | re.S)
        instructions = {int(line.split(":")[0], 16) - int(body[1], 16): line
                        for line in body[2].splitlines()}
        at = max(place for place in instructions if place <= int(offset, 16))
        assert "account" in instructions[at], instructions[at]
    assert found == {"set_often": 250, "set_sometimes": 150, "set_rarely": 100}


def test_reads_count_where_they_are_asked_for(profiler):
    result, files = watch(profiler, "account+16/8", "--", target("watched"))
    folded = Folded(files["w.folded"])
    assert (folded.inclusive("look:.*"), folded.total) == (60, 560), result.stderr


def test_an_address_is_a_place_too(profiler, tmp_path):
    fixed = compiled(
        tmp_path, "fixed", "#include <stdio.h>\nvolatile long word;\n"
        "__attribute__((noinline)) static void put(int i) { word = i; __asm__ volatile(\"\"); }\n"
        "int main(void) { for (int i = 0; i < 40; i++) put(i); puts(\"done\"); return 3; }\n",
        "-O1", "-no-pie")
    symbols = tool("nm", fixed)
    address = int(re.search(r"^(\w+) \w word$", symbols, re.M)[1], 16)
    result, files = watch(profiler, f"0x{address:x}/8:w", fixed)
    assert result.status == 3
    assert Folded(files["w.folded"]).inclusive("put[:+].*") == 40


def test_several_places_are_one_profile_each(profiler):
    _, files = watch(profiler, "account+16/8:w,totals+24/8:w", target("watched"))
    totals = Folded(files["w.mem-totals+24-8-w.folded"])
    assert totals.inclusive("set_sometimes:.*") == totals.total == 150
    assert Folded(files["w.mem-account+16-8-w.folded"]).total == 500


def test_one_place_too_many_is_said_and_the_others_are_watched(profiler):
    places = ",".join(f"totals+{8 * i}/8:w" for i in range(5))
    result, files = watch(profiler, places, target("watched"))
    assert result.status == 0
    assert re.search(rb"not counted: mem:totals\+32/8:w \(ENOSPC\): all breakpoint registers are "
                     rb"taken", result.stderr), result.stderr
    assert Folded(files["w.mem-totals+24-8-w.folded"]).total == 150
    assert "w.mem-totals+32-8-w.folded" not in files


def test_a_symbol_that_is_nowhere_is_said_and_the_program_runs(profiler):
    result, files = watch(profiler, "no_such_symbol", target("watched"))
    assert result.outcome()[:2] == (0, b"done\n")
    assert b"has the symbol of mem:no_such_symbol" in result.stderr
    assert files == {}


@pytest.mark.parametrize("arguments, said", [
    (["account:q", "true"], rb"'q' at \d+ is not a modifier"),
    (["account/3", "true"], rb"3 bytes cannot be watched, accepted: 1, 2, 4 or 8"),
    (["account+1/8", "true"], rb"the address must be a multiple of the length"),
    (["account"], rb"no command to run"),
    ([], rb"nothing to watch"),
    (["-e", "task-clock", "account", "true"], rb"-e does not go with watch"),
    (["--nonsense", "account", "true"], rb"unknown option --nonsense"),
])
def test_wrong_usage_is_one_line_and_status_2(arguments, said):
    done = execute([COMMAND, "watch", *arguments], clean_environment())
    assert done.status == 2
    assert done.stderr.count(b"\n") == 1 and re.search(said, done.stderr), done.stderr


def test_its_help_is_told_in_both_ways():
    one = execute([COMMAND, "watch", "--help"], clean_environment())
    other = execute([COMMAND, "help", "watch"], clean_environment())
    assert one.outcome() == other.outcome()
    assert one.status == 0 and one.stdout.startswith(b"usage: flametrap watch")
