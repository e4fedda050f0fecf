"""Watched symbols of libraries that are loaded while the program runs: every access counts, that of
the library's own constructor included, in all threads; and nothing counts that only has its address."""

import re

import pytest

from running import Folded, target

FIELD = "plugin_account+16/8:w"
LIBRARY = "libplugin_account.so"
WRITES = {  # by plugin.c: (thread, function)
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


def plugin(profiler, *how, events="mem:" + FIELD, **settings):
    """(result, {(thread, function that has put called): samples}, [Spool])"""
    argv = [target("plugin"), LIBRARY, *how]
    result, spools = profiler.collected(argv, events=events, period=1, **settings)
    no_registers(result)
    assert result.outcome() == profiler.plain(argv).outcome()
    folded = profiler.fold(spools, "--threads", "name")
    found = {}
    for frames, value in folded.stacks.items():
        assert re.fullmatch(r"put:libplugin_account\.c:\d+", frames[-2])
        assert frames[-1] == "[data plugin_account+0x10]"
        key = (frames[1], frames[-3])
        found[key] = found.get(key, 0) + value
    return result, found, spools


@pytest.mark.parametrize("how", [(), ("space",)])
def test_500_writes_are_500_samples(profiler, how):
    _, found, spools = plugin(profiler, *how)
    assert found == WRITES
    assert spools[0].lost() == 0


@pytest.mark.parametrize("how", [("again",), ("again", "space")])
def test_what_lies_at_its_address_after_dlclose_is_not_watched(profiler, how):
    result, found, spools = plugin(profiler, *how)
    assert b"somewhere else" in result.stdout
    assert found == {key: 2 * value for key, value in WRITES.items()}
    assert spools[0].lost() == 0


def test_signals_of_files_will_do(profiler):
    _, found, _ = plugin(profiler, notify="sigio")
    assert found == WRITES


def test_a_forked_child_goes_on_watching(profiler):
    _, found, spools = plugin(profiler, "fork")
    assert len(spools) == 2
    assert found == {**WRITES, ("plugin", "plugin_sometimes"): 30, ("plugin", "plugin_often"): 20}


def test_loading_a_hundred_times_while_threads_come_and_go(profiler):
    _, found, spools = plugin(profiler, "storm")
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


def test_its_total_is_what_the_program_wrote(profiler):
    _, _, spools = plugin(profiler, "again")
    assert spools[0].counted(0) == 1000


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
