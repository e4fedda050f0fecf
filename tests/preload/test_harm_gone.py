"""What the program gives to the kernel, or forgets in its environment, may point to memory that is
not there.  Nothing of ours looks at it where without us nobody would."""

import glob

import pytest

from running import target

LOADERS = glob.glob("/lib*/ld-linux-*.so.*")


@pytest.mark.parametrize("notify", [
    "sigtrap", "sigio", pytest.param("timer", marks=pytest.mark.measures)])  # ticks may miss it
def test_calls_answer_as_the_kernel_does(profiler, notify):
    argv = [target("harm_gone"), "calls", LOADERS[0]]
    result, spools = profiler.alike(argv, notify=notify)
    assert result.status == 7 and result.stdout.count(b"EFAULT") >= 200, result.stdout
    assert sum(spool.samples() for spool in spools) > 0


@pytest.mark.parametrize("how", ["return", "_exit", "fork"])
@pytest.mark.parametrize("environ", ["gone", "nowhere", "none"])
def test_an_environment_that_is_not_there_ends_nothing(profiler, environ, how):
    argv = [target("harm_gone"), environ, how]
    result, files = profiler.alike(argv, how="files")
    assert result.status == 7
    assert len([name for name in files if name.endswith(".folded")]) == 1 + (how == "fork")


def test_nor_does_it_where_output_is_named_by_a_variable(profiler):
    argv = [target("harm_gone"), "gone", "fork"]
    result, files = profiler.alike(argv, how="files", output=profiler.folder / "%{GONE}.%p")
    assert result.status == 7
    assert len(list(profiler.folder.glob("*.folded"))) == 2, files
