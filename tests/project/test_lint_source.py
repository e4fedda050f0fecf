"""The checks of sources find each breach of a rule that they know, of includes those that point up or in a
cycle, and pass what keeps them."""

import pathlib
import re

import pytest

import include_graph
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


CLEAN = {
    "config/text/line.h": [],
    "config/text/scan.c": ["config/text/scan.h", "config/text/line.h"],
    "config/text/scan.h": [],
    "runtime/spool/format.h": ["config/text/line.h"],
    "runtime/sample/perf/ring.h": ["runtime/spool/format.h"],
    "runtime/sample/life/walk_x86_64.c": ["runtime/sample/life/walk.h"],
    "runtime/sample/life/walk.h": ["runtime/sample/perf/ring.h"],
    "preload/calls/exit_calls.c": ["runtime/sample/life/walk.h"],
    "runtime/command/run/run.c": ["runtime/spool/format.h", "config/text/scan.h"],
}
CYCLE = {
    "config/text/scan.h": ["config/text/line.h"],
    "config/text/line.h": [],
    "config/text/line.c": ["config/text/line.h", "config/text/scan.h"],
}


def check(folder, tree):
    for path, names in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    return [*include_graph.breaches(folder)]


def test_a_clean_tree_passes(tmp_path):
    assert check(tmp_path, CLEAN) == []


def test_a_header_with_its_sources_is_one_file(tmp_path):
    check(tmp_path, CLEAN)
    graph = include_graph.graph_of(include_graph.includes(tmp_path))
    assert graph["runtime/sample/life/walk"] == {"runtime/sample/perf/ring"}
    assert "runtime/sample/life/walk_x86_64" not in graph


def test_a_cycle_of_files_is_found(tmp_path):
    errors = check(tmp_path, CYCLE)
    assert errors == ["config/text/line: a cycle of 2 files: config/text/line config/text/scan"]


def test_an_include_that_points_up_is_found(tmp_path):
    up = {"config/text/glob.c": ["config/events/event.h"], "config/events/event.h": [],
          "runtime/sample/perf/ring.c": ["runtime/sample/session/thread.h"], "runtime/sample/session/thread.h": []}
    assert check(tmp_path, up) == [
        "config/text/glob.c:1: config/events/event.h is of a room that this file may not use",
        "runtime/sample/perf/ring.c:1: runtime/sample/session/thread.h is of a room that this file may not use"]


def test_halves_that_meet_in_the_spool_alone_do_not_include_each_other(tmp_path):
    across = {"runtime/profile/symbols/namer.h": ["runtime/sample/perf/ring.h"],
              "runtime/sample/perf/ring.h": [],
              "runtime/command/run/run.c": ["preload/libc/real.h"], "preload/libc/real.h": []}
    errors = check(tmp_path, across)
    assert [line.split(": ")[0] for line in errors] == ["runtime/command/run/run.c:1",
                                                        "runtime/profile/symbols/namer.h:1"]


def test_a_file_outside_of_all_rooms_is_found(tmp_path):
    assert check(tmp_path, {"runtime/stray.c": []}) == [
        "runtime/stray.c:1: is in none of the rooms of tests/include_graph.py"]


def test_a_script_that_imports_up_in_a_cycle_or_what_is_not_there_is_found(tmp_path):
    modules = {
        "runtime/output/graph/words.js": "import {\n\tpage,\n} from '../page/page.js';\nexport const words = 1;\n",
        "runtime/output/page/page.js": "import { words } from '../graph/words.js';\nexport let page = words;\n",
        "runtime/output/page/table.js": "import { page, rows } from './page.js';\nimport { gone } from './gone.js';\n",
    }
    for path, text in modules.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert [*include_graph.breaches(tmp_path)] == [
        "runtime/output/graph/words.js:3: runtime/output/page/page.js is of a room that this file may not use",
        "runtime/output/page/table.js:1: runtime/output/page/page.js exports no rows",
        "runtime/output/page/table.js:2: runtime/output/page/gone.js exports no gone",
        "runtime/output/graph/words.js: a cycle of 2 files: "
        "runtime/output/graph/words.js runtime/output/page/page.js"]


def test_a_room_of_too_many_scripts_and_style_sheets_is_found(tmp_path):
    room = tmp_path / "runtime/output/page/view"
    room.mkdir(parents=True)
    for i in range(include_graph.ROOM_SOURCES):
        (room / f"part{i}.js").write_text("", encoding="utf-8")
    assert [*include_graph.breaches(tmp_path)] == []
    (room / "page.css").write_text("a {}\n" * 5000, encoding="utf-8")
    assert [*include_graph.breaches(tmp_path)] == [
        "runtime/output/page/view/: 41 sources, 5000 lines (at most 40 and 4500)"]


def test_every_room_is_a_folder_that_the_documents_name():
    text = (include_graph.ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    listed = " ".join(re.findall(r"^- ((?:`[\w/]+/`,?\s+)*`[\w/]+/`): ", text, re.M))
    for room in {room for half in include_graph.HALVES for room in half}:
        assert pathlib.Path(include_graph.ROOT, room).is_dir(), room
        assert f"`{room}`" in listed, room
