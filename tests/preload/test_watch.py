"""flametrap watch: who touches a variable.  Every access is a sample, in whatever thread, with the
function that made it; what cannot be watched is said.  Watched symbols, and probed functions, may be in
libraries that are loaded while the program runs: every access and call counts, those of the library's own
constructor included; and nothing counts that only has its address."""

import csv
import io
import re
import shutil

import pytest

import debug_registers
import rights
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
    files = {path.name: path.read_text("utf-8", "replace") for path in out.iterdir()}
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
    watch(profiler, "--format", "spool", "account+16/8:w", target("watched"))
    spool, = (profiler.folder / "watch").glob("*.spool")
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


FIELD = "plugin_account+16/8:w"
LIBRARY = "libplugin_account.so"
PROBED = target(LIBRARY)
LATE_WRITES = {  # by plugin.c: (thread, function)
    ("plugin", "plugin_begin"): 7,
    ("plugin", "plugin_rarely"): 93,
    ("before", "plugin_often"): 150,
    ("before", "plugin_rarely"): 50,
    ("after", "plugin_often"): 100,
    ("after", "plugin_sometimes"): 100,
}


def no_registers(result):
    if b"refused" in result.stderr:
        pytest.skip("no breakpoint registers here: " + result.stderr.decode())


def calls(spools, profiler, frame=r"put:libplugin_account\.c:\d+", above=2):
    """Samples by (thread, function that has put called) of the program that loads its library late."""
    found = {}
    for frames, value in profiler.fold(spools, "--threads", "name").stacks.items():
        assert re.fullmatch(frame, frames[-above]), frames
        key = (frames[1], frames[-above - 1])
        found[key] = found.get(key, 0) + value
    return found


def watched(profiler, *how, **settings):
    """(result, samples by thread and function, [Spool]) of a watched field."""
    argv = [target("plugin"), LIBRARY, *how]
    result, spools = profiler.collected(argv, events="mem:" + FIELD, period=1, **settings)
    no_registers(result)
    assert result.outcome() == profiler.plain(argv).outcome()
    assert all(frames[-1] == "[data plugin_account+0x10]" for frames in profiler.fold(spools).stacks)
    return result, calls(spools, profiler), spools


def probed(profiler, *how):
    """The same of a probed function."""
    rights.needs_root()
    result, spools = profiler.collected([target("plugin"), PROBED, *how], period=1,
                                        events=f"uprobe:{PROBED}:put")
    assert (result.status, result.stderr) == (0, b"")
    return result, calls(spools, profiler, "put", 1), spools


BY = pytest.mark.parametrize("by", [watched, probed])


@BY
def test_500_calls_are_500_samples(profiler, by):
    _, found, spools = by(profiler)
    assert found == LATE_WRITES
    assert (spools[0].counted(), spools[0].lost()) == (500, 0)


def test_so_they_are_in_a_namespace_of_its_own(profiler):
    _, found, spools = watched(profiler, "space")
    assert found == LATE_WRITES
    assert spools[0].lost() == 0


@pytest.mark.parametrize("by, how", [(watched, ["again"]), (watched, ["again", "space"]), (probed, ["again"])])
def test_a_library_that_comes_again_somewhere_else_counts_on(profiler, by, how):
    """And what lies at its address after dlclose is not watched."""
    result, found, spools = by(profiler, *how)
    assert b"somewhere else" in result.stdout
    assert found == {key: 2 * value for key, value in LATE_WRITES.items()}
    assert spools[0].lost() == 0 and spools[0].counted() == 1000


def test_signals_of_files_will_do(profiler):
    _, found, _ = watched(profiler, notify="sigio")
    assert found == LATE_WRITES


@BY
def test_a_forked_child_goes_on(profiler, by):
    _, found, spools = by(profiler, "fork")
    assert len(spools) == 2
    assert found == {**LATE_WRITES, ("plugin", "plugin_sometimes"): 30, ("plugin", "plugin_often"): 20}


@BY
def test_loading_a_hundred_times_while_threads_come_and_go(profiler, by):
    _, found, spools = by(profiler, "storm")
    assert found == {("plugin", "plugin_begin"): 700, ("plugin", "plugin_rarely"): 1000}
    assert spools[0].lost() == 0


def test_exec_is_survived_where_the_kernel_reads_the_watched_bytes(profiler):
    """Of a thread whose watchpoint another thread has opened."""
    argv = [target("plugin"), LIBRARY, "exec"]
    result, spools = profiler.collected(argv, events="mem:plugin_account+16/8", period=1)
    no_registers(result)
    assert result.outcome() == profiler.plain(argv).outcome()
    assert result.stdout.endswith(b"echoed\n")
    folded = profiler.fold(spools)
    assert sum(value for frames, value in folded.stacks.items()
               if "become_echo" in frames and "plugin_often" in frames) == 10


def test_a_place_that_comes_later_goes_with_three_that_are_there(profiler):
    """The loader's breakpoint needs a register too, until the fourth place is found."""
    there = [f"mem:begun+{8 * i}/8:w" for i in range(3)]
    result, spools = profiler.collected([target("plugin"), LIBRARY],
                                        events=",".join([*there, "mem:" + FIELD]), period=1)
    no_registers(result)
    assert result.status == 0
    assert [spools[0].samples(i) for i in range(4)] == [1, 1, 1, 500]


def test_a_symbol_that_never_comes_is_one_line_at_the_end(profiler):
    argv = [target("plugin"), LIBRARY]
    plain = profiler.plain(argv)
    line = b"flametrap: %snothing that %s program loaded has the symbol of mem:no_such%s\n"
    result, files = profiler.files(argv, events="mem:no_such")
    no_registers(result)
    assert (result.status, result.stdout) == plain.outcome()[:2]
    assert result.stderr == line % (b"", b"this", b"")
    assert files == {}
    result, files = profiler.launched(["-e", "mem:no_such"], argv)
    assert (result.status, result.stdout) == plain.outcome()[:2]
    assert result.stderr.startswith(line[:-3] % (b"no samples: ", b"the"))
    assert result.stderr.count(b"\n") == 1
    assert files == {}


def test_a_symbol_that_never_comes_leaves_the_others_alone(profiler):
    result, files = profiler.launched(["-e", "mem:no_such,mem:" + FIELD],
                                      [target("plugin"), LIBRARY])
    no_registers(result)
    assert set(files) == {"profile.mem-plugin_account+16-8-w.folded",
                          "profile.mem-plugin_account+16-8-w.svg", "profile.html"}
    assert Folded(files["profile.mem-plugin_account+16-8-w.folded"]).total == 500
    assert re.search(rb"\(mem:no_such \(not found\) mem:plugin", result.stderr)
    assert result.stderr.endswith(b"\nflametrap: nothing that the program loaded has the symbol of "
                                  b"mem:no_such\n")


def test_a_shell_need_not_have_what_its_child_loads(profiler):
    result, _ = profiler.launched(["-e", "mem:" + FIELD],
                                  ["/bin/sh", "-c", f"{target('plugin')} {LIBRARY}; true"])
    no_registers(result)
    assert b"500 samples" in result.stderr and b"nothing that" not in result.stderr


@pytest.fixture
def root():
    rights.needs_root()


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("where", ["set_often", "watched:set_often", f"{target('watched')}:set_often"])
def test_a_function_is_found_without_its_path(profiler, where):
    """By its name alone in what is loaded; or in the file of that name."""
    result, spools = profiler.collected([target("watched")], period=1, events=f"uprobe:{where}")
    assert (result.status, result.stderr) == (0, b"")
    assert (spools[0].samples(), spools[0].lost()) == (250, 0)
    assert profiler.fold(spools).leaf("set_often") == 250


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("where", ["getppid", "libc.so.6:getppid"])
def test_a_function_of_a_library_is_found_without_its_path(profiler, where):
    program = "import os\nfor _ in range(50): os.getppid()"
    result, spools = profiler.collected(["/usr/bin/python3", "-c", program], period=1,
                                        events=f"uprobe:{where}")
    assert (result.status, result.stderr) == (0, b"")
    assert (spools[0].samples(), spools[0].counted(), spools[0].lost()) == (50, 50, 0)


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("every", [1, 10, 40, 500])
def test_one_call_in_so_many_stands_for_them(profiler, every):
    """100 calls by one thread and 150 by another.  The first period of each is random: what is left
    of its calls over whole periods is a sample or none.  A probe is counted up to the last one."""
    _, spools = profiler.collected([target("watched")],
                                   events=f"uprobe:set_often/period={every}/")
    assert len(spools) == 1 and spools[0].lost() == 0
    samples, calls = spools[0].samples(), (100, 150)
    assert sum(call // every for call in calls) <= samples <= sum(-(-call // every) for call in calls)
    assert spools[0].events() == samples * every
    assert sum(calls) - len(calls) * every < spools[0].counted() <= sum(calls)


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("where", ["no_such_function", "libc.so.6:no_such_function",
                                   "libplugin_account.so:put", "/bin/true:no_such_function"])
def test_what_cannot_be_found_is_one_line_and_no_profile(profiler, where):
    result, spools = profiler.collected([target("watched")], events=f"uprobe:{where}")
    assert (result.status, spools) == (0, [])
    line, = result.stderr.decode().splitlines()
    assert line.startswith(f"flametrap: cannot count uprobe:{where}: ")
    assert "in a library that is loaded later, uprobe:PATH:SYMBOL" in line
