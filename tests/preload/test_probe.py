"""uprobe: who calls this function, how often; also in a library that is loaded later, or named
without its path."""

import pytest

import rights
from running import target
from test_watch_late import WRITES

LIBRARY = target("libplugin_account.so")
CALLERS = ("plugin_begin", "plugin_often", "plugin_sometimes", "plugin_rarely")


@pytest.fixture(autouse=True)
def root():
    rights.needs_root()


def plugin_calls(profiler, *how, event="put"):
    """(calls of put by thread and caller, spools) of the program that loads its library late."""
    result, spools = profiler.collected([target("plugin"), LIBRARY, *how], period=1,
                                        events=f"uprobe:{LIBRARY}:{event}")
    assert (result.status, result.stderr) == (0, b"")
    folded = profiler.fold(spools, "--threads", "name")
    found = {}
    for frames, value in folded.stacks.items():
        assert "put" in frames
        caller, = set(CALLERS) & set(frames)
        found[frames[1], caller] = found.get((frames[1], caller), 0) + value
    return found, spools


def test_calls_into_a_library_that_is_loaded_later_are_samples(profiler):
    found, spools = plugin_calls(profiler)
    assert found == WRITES
    assert (spools[0].counted(), spools[0].lost()) == (500, 0)


def test_a_library_that_comes_again_somewhere_else_is_still_probed(profiler):
    found, spools = plugin_calls(profiler, "again")
    assert found == {key: 2 * value for key, value in WRITES.items()}
    assert spools[0].lost() == 0


def test_a_forked_child_goes_on_probing(profiler):
    found, spools = plugin_calls(profiler, "fork")
    assert len(spools) == 2
    assert found == {**WRITES, ("plugin", "plugin_sometimes"): 30, ("plugin", "plugin_often"): 20}


def test_loading_a_hundred_times_while_threads_come_and_go(profiler):
    found, spools = plugin_calls(profiler, "storm")
    assert found == {("plugin", "plugin_begin"): 700, ("plugin", "plugin_rarely"): 1000}
    assert spools[0].lost() == 0


@pytest.mark.parametrize("where", ["set_often", "watched:set_often", f"{target('watched')}:set_often"])
def test_a_function_is_found_without_its_path(profiler, where):
    """By its name alone in what is loaded; or in the file of that name."""
    result, spools = profiler.collected([target("watched")], period=1, events=f"uprobe:{where}")
    assert (result.status, result.stderr) == (0, b"")
    assert (spools[0].samples(), spools[0].lost()) == (250, 0)
    assert profiler.fold(spools).leaf("set_often") == 250


@pytest.mark.parametrize("where", ["getppid", "libc.so.6:getppid"])
def test_a_function_of_a_library_is_found_without_its_path(profiler, where):
    program = "import os\nfor _ in range(50): os.getppid()"
    result, spools = profiler.collected(["/usr/bin/python3", "-c", program], period=1,
                                        events=f"uprobe:{where}")
    assert (result.status, result.stderr) == (0, b"")
    assert (spools[0].samples(), spools[0].counted(), spools[0].lost()) == (50, 50, 0)


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


@pytest.mark.parametrize("where", ["no_such_function", "libc.so.6:no_such_function",
                                   "libplugin_account.so:put", "/bin/true:no_such_function"])
def test_what_cannot_be_found_is_one_line_and_no_profile(profiler, where):
    result, spools = profiler.collected([target("watched")], events=f"uprobe:{where}")
    assert (result.status, spools) == (0, [])
    line, = result.stderr.decode().splitlines()
    assert line.startswith(f"flametrap: cannot count uprobe:{where}: ")
    assert "in a library that is loaded later, uprobe:PATH:SYMBOL" in line
