"""The check of includes finds cycles of files and includes that point up, and passes a clean tree."""

import include_graph

CLEAN = {
    "config/line.h": [],
    "config/scan.c": ["config/scan.h", "config/line.h"],
    "config/scan.h": [],
    "runtime/spool.h": ["config/line.h"],
    "runtime/sample/ring.h": ["runtime/spool.h"],
    "runtime/sample/walk_x86_64.c": ["runtime/sample/walk.h"],
    "runtime/sample/walk.h": ["runtime/sample/ring.h"],
    "preload/exit_calls.c": ["runtime/sample/ring.h"],
    "preload/launcher/run.c": ["runtime/spool.h", "config/scan.h"],
}
CYCLE = {
    "config/scan.h": ["config/line.h"],
    "config/line.h": [],
    "config/line.c": ["config/line.h", "config/scan.h"],
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
    assert graph["runtime/sample/walk"] == {"runtime/sample/ring"}
    assert "runtime/sample/walk_x86_64" not in graph


def test_a_cycle_of_files_is_found(tmp_path):
    errors = check(tmp_path, CYCLE)
    assert errors == ["config/line: a cycle of 2 files: config/line config/scan"]


def test_an_include_that_points_up_is_found(tmp_path):
    up = {"config/glob.c": ["config/line.h", "runtime/spool.h"], "config/line.h": [],
          "runtime/spool.h": []}
    errors = check(tmp_path, up)
    assert errors == ["config/glob.c:2: runtime/spool.h is of a layer that this file may not use"]


def test_halves_that_meet_in_the_spool_alone_do_not_include_each_other(tmp_path):
    across = {"runtime/fold/namer.h": ["runtime/sample/ring.h"], "runtime/sample/ring.h": [],
              "preload/launcher/run.c": ["preload/real.h"], "preload/real.h": []}
    errors = check(tmp_path, across)
    assert [line.split(": ")[0] for line in errors] == ["preload/launcher/run.c:1",
                                                        "runtime/fold/namer.h:1"]


def test_a_file_outside_the_layers_is_refused(tmp_path):
    errors = check(tmp_path, {"runtime/other/new.h": []})
    assert errors == ["runtime/other/new.h:1: is in none of the layers of tests/include_graph.py"]
