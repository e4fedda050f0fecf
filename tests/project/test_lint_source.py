"""The check of sources finds each breach of a rule that it knows, and passes what keeps them."""

import pytest

import lint_source


@pytest.mark.parametrize("name, text, sound", [
    ("runtime/profile/base/map.c", "/* A map. */\n", True),
    ("runtime/profile/base/map.c", "\n/* A map. */\n", False),
    ("tests/preload/targets/thrown.cpp", "// Exceptions.\n", True),
    ("bench/graph.py", '"""What a graph costs."""\n', True),
    ("bench/graph.py", "import os\n", False),
    ("tests/setup.sh", "#!/bin/sh\n# Install.\n", True),
    ("tests/setup.sh", "#!/bin/sh\nset -eu\n", False),
    (".ci/run", "#!/bin/bash\n# All parts.\n", True),
    (".ci/run", "#!/bin/bash\nset -eu\n", False),
    ("tests/lint.mk", "LINT := yes\n", False),
    ("docs/internals.md", "How it works\n", True),
])
def test_a_file_begins_with_what_it_is_for(name, text, sound):
    assert [*lint_source.check_head(name, text.split("\n"))] == ([] if sound else [
        (1, "does not begin with a comment that says what it is for")])


def test_two_sources_of_one_name_are_found():
    names = ["preload/process/finish.c", "preload/process/finish.h", "runtime/collect/finish.c",
             "runtime/sample/walk.c", "runtime/sample/walk_x86_64.c", "runtime/sample/walk_aarch64.c",
             "tests/support/finish.c"]
    assert [*lint_source.twins(names)] == [
        "finish: one name for files in preload/process and runtime/collect"]


def test_a_long_function_is_found():
    text = "void f(void)\n{\n" + "\tg();\n" * 61 + "}\n\nvoid h(void)\n{\n" + "\tg();\n" * 60 + "}\n"
    assert [*lint_source.check_sizes(text.split("\n"))] == [(2, "a function of 61 lines (at most 60)")]


@pytest.mark.parametrize("name, line, breach", [
    ("preload/process/follow.c", "\tint fd = open(path, 0);", "open: system calls are made in"),
    ("preload/process/follow.c", '\tnote("open(path)"); /* getenv(name) */', None),
    ("runtime/sample/sys/sys.c", "\treturn open(path, 0);", None),
    ("runtime/profile/base/user_file.c", "\tint fd = open(path, 0);", None),
    ("runtime/sample/session/session.c", '\tchar *text = getenv("HOME");', "the environment is read in"),
])
def test_what_code_in_the_target_may_not_call_is_found(name, line, breach):
    found = [*lint_source.check_calls(name, lint_source.code_lines(line))]
    assert len(found) == (breach is not None)
    assert not found or found[0][1].startswith(breach)
