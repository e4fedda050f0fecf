"""flametrap watch of a Python program: each write to a variable is a sample, with the function of
Python that made it and its line."""

import pytest

import debug_registers
from pythons import PROGRAMS, is_function, places, shorts
from running import COMMAND, TARGETS, Folded, clean_environment, execute

FIELD = "plugin_account+16/8:w"
PROGRAM = PROGRAMS / "touches.py"
WRITES = {  # by touches.py and plugin_account.c: the last two functions
    ("main", "deposits"): 150,
    ("main", "corrects"): 50,
    ("in_thread", "deposits"): 100,
}
LOADING = 7
LINES = {"deposits": "library.plugin_often(i)", "corrects": "field.value = i"}


@pytest.fixture(scope="module")
def written(python, tmp_path_factory):
    debug_registers.need()
    out = tmp_path_factory.mktemp("watch") / "w"
    argv = [python.path, "-B", PROGRAM, TARGETS / "libplugin_account.so"]
    result = execute([COMMAND, "watch", "--lines", "-o", out, FIELD, "--", *argv], clean_environment())
    if b"refused" in result.stderr:
        pytest.skip("no breakpoint registers here: " + result.stderr.decode())
    assert (result.status, result.stdout) == (0, b"done\n"), result.stderr
    return Folded(out.with_suffix(".folded").read_text(encoding="utf-8"))


def test_every_write_is_a_sample_of_the_functions_that_made_it(written):
    found = {}
    for frames, value in written.stacks.items():
        names = shorts(frames)
        key = ("loads",) if "loads" in names else tuple(names[-2:])
        found[key] = found.get(key, 0) + value
    assert found == {**WRITES, ("loads",): LOADING}


def test_the_line_is_that_of_the_write(written):
    text = PROGRAM.read_text(encoding="ascii").splitlines()
    for frames in written.stacks:
        last = places(frames)[-1]
        if last.short in LINES:
            assert last.file == PROGRAM.name and text[last.line - 1].strip() == LINES[last.short]


def test_the_library_s_own_code_is_below_the_function(written):
    """What has written is the last frame but that of the data."""
    for frames in written.stacks:
        if "deposits" in shorts(frames):
            after = frames[max(at for at, frame in enumerate(frames) if is_function(frame)) + 1:]
            assert [frame.split(":")[0] for frame in after[-3:-1]] == ["plugin_often", "put"], frames
