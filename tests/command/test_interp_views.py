"""The profile of a Python program is about the functions that its authors wrote."""

import json
import re

import pytest

import pythons
from launching import flametrap, folded

PROGRAM = """\
import json
import threading
import time


class Shop:
    def cheap(self):
        return sum(i * 3 for i in range(100000))

    def dear(self):
        total = 0
        for i in range(900000):
            total += i * i % 7
        return total

    def __lt__(self, other):
        return self.dear() < other.dear()


def napper():
    for _ in range(5):
        time.sleep(0.02)


def main():
    shops = [Shop() for _ in range(3)]
    sorted(shops)
    for shop in shops:
        shop.cheap()
    json.dumps([list(range(300)) for _ in range(300)], indent=1)


thread = threading.Thread(target=napper)
thread.start()
main()
thread.join()
"""
DEAR_LINES = range(11, 15)


@pytest.fixture(scope="module", params=pythons.found() or [None], ids=str)
def python(request):
    if not request.param:
        pytest.skip("no CPython of a known version is installed")
    if request.param.free_threaded:
        pytest.skip("free-threaded builds are left alone")
    return request.param.path


@pytest.fixture(scope="module")
def run(python, tmp_path_factory):
    """The folder of a run: app.py, app.spool."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "app.py").write_text(PROGRAM, encoding="ascii")
    return sampled(folder, python, "app.py", "--off-cpu")


def sampled(folder, python, script, *options):
    """The folder of the script's run: app.spool."""
    flametrap(*options, "-F", "1999", "--format", "spool", "-o", "app", python, script, cwd=folder, status=0)
    found, = folder.glob("app*.spool")
    found.rename(folder / "app.spool")
    return folder


def fold(folder, *options):
    return folded(*options, "app.spool", cwd=folder)


def ranking(folder, *options):
    """The rows of a table, {name: (self, total)}, of the first counter."""
    done = flametrap("report", "--json", "-n", "0", *options, "app.spool", cwd=folder, status=0)
    rows = json.loads(done.stdout)["tables"][0]["rows"]
    return {row["name"]: (row["self"], row["total"]) for row in rows}


def is_program(frame):
    return frame.endswith("_[p]")


def test_functions_are_ranked_by_what_they_cost(run):
    rows = ranking(run)
    total = {name: rows[f"app.{name}_[p]"][1] for name in ("main", "<module>")}
    dear, cheap = (max((values[1] for name, values in rows.items()
                        if re.fullmatch(rf"app\.(Shop\.)?{word}_\[p\]", name)), default=0)
                   for word in ("dear", "cheap"))
    assert total["<module>"] >= total["main"] > dear > 2 * cheap > 0
    mine = [name for name, _ in sorted(rows.items(), key=lambda row: -row[1][0]) if is_program(name)]
    assert re.fullmatch(r"app\.(Shop\.)?dear_\[p\]", mine[0])


def test_every_view_has_every_sample(run):
    views = [fold(run, "--interp", how) for how in ("merge", "only", "no")]
    assert views[0].total == views[1].total == views[2].total > 0
    assert views[0].stacks == fold(run).stacks
    assert not any(is_program(frame) for stack in views[2].stacks for frame in stack)


def test_the_loop_of_the_interpreter_is_not_seen_with_functions(run):
    merged = fold(run, "--interp", "merge")
    for stack in merged.stacks:
        if any(map(is_program, stack)):
            assert "_PyEval_EvalFrameDefault" not in stack
            first, last = (sorted(i for i, frame in enumerate(stack) if is_program(frame))[at]
                           for at in (0, -1))
            between = stack[first:last]
            assert not any(re.search(r"vectorcall_FASTCALL|PyObject_Call|slot_tp_", frame)
                           for frame in between), stack
    assert merged.inclusive(r"app\.(Shop\.)?__lt___\[p\]") > 0


def test_only_shows_nothing_else(run):
    alone = fold(run, "--interp", "only")
    with_functions = 0
    for stack, value in alone.stacks.items():
        if any(map(is_program, stack)):
            assert all(is_program(frame) or frame.startswith("[") for frame in stack[1:]), stack
            with_functions += value
    assert with_functions > alone.total / 2


def test_a_folded_file_is_thinned_out_like_its_spool(run):
    (run / "app.folded").write_text("".join(f"{';'.join(stack)} {value}\n"
                                            for stack, value in fold(run).stacks.items()))
    for how in ("merge", "only"):
        assert folded("--interp", how, "app.folded", cwd=run).stacks == fold(run, "--interp", how).stacks
    for verb in ("fold", "report"):
        assert "_[p]" not in flametrap(verb, "--interp", "no", "app.folded", cwd=run, status=0).stdout
    text = flametrap("report", "-n", "0", "--interp", "only", "app.folded", cwd=run, status=0).stdout
    # list_sort_impl() may be seen without it, in a start that no function is part of
    assert not re.search(r"\blist_sort\b", text) and "app.main_[p]" in text


def test_imports_are_one_frame(run):
    for how in ("merge", "only"):
        seen = fold(run, "--interp", how)
        assert seen.inclusive(r"\[import\]_\[p\]") > 0
        assert seen.inclusive(r"importlib\._bootstrap.*") == 0
        for stack in seen.stacks:
            assert ("[import]_[p]", "[import]_[p]") not in zip(stack, stack[1:])


def test_modules_files_and_lines_are_those_of_the_program(run):
    modules, files = ranking(run, "--by", "module"), ranking(run, "--by", "file")
    assert modules["app_[p]"][1] > modules["json.encoder_[p]"][1] > 0
    mine, = (values for name, values in files.items() if name.endswith("app.py"))
    assert mine[1] == modules["app_[p]"][1]
    lines = {name: values[0] for name, values in ranking(run, "--by", "line").items()
             if re.fullmatch(r"app\.(Shop\.)?dear:app\.py:\d+_\[p\]", name)}
    assert lines and all(int(name.split(":")[-1][:-4]) in DEAR_LINES for name in lines)
    busiest = max(lines, key=lines.get)
    assert busiest.endswith((f":{DEAR_LINES[1]}_[p]", f":{DEAR_LINES[2]}_[p]"))


def test_files_of_one_name_are_told_apart(python, tmp_path):
    """Work of 3 and of 1 in functions of one name, in two files of one name."""
    (tmp_path / "two.py").write_text(
        "work = 'def work(n):\\n    for i in range(n * 3000000):\\n        pass\\nwork(TIMES)\\n'\n"
        "for folder, times in (('here', 3), ('there', 1)):\n"
        "    code = compile(work, f'/{folder}/index.py', 'exec')\n"
        "    exec(code, {'TIMES': times})\n", encoding="ascii")
    files = ranking(sampled(tmp_path, python, "two.py"), "--by", "file")
    here, there = (files[f"/{folder}/index.py"][1] for folder in ("here", "there"))
    assert there > 0 and 2 < here / there < 4.5


def test_the_function_that_waits_is_named(run):
    text = flametrap("report", "--counter", "off-cpu", "app.spool", cwd=run).stdout
    assert re.search(r"app\.napper_\[p\] -> ", text), text


def test_a_spool_is_shown_as_its_run_asked(python, run, tmp_path):
    for how, seen in (("only", True), ("no", False)):
        flametrap("--interp", how, "--format", "folded,spool", "-o", tmp_path / how, python,
                  run / "app.py", status=0)
        spool, = tmp_path.glob(f"{how}*.spool")
        text = (tmp_path / f"{how}.folded").read_text("utf-8")
        assert ("_[p]" in text) == seen and flametrap("fold", spool).stdout == text
