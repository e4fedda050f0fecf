"""Profiles in the formats of pprof and of gperftools hold what the folded one does, as their readers read
them."""

import os
import re
import subprocess

import pytest

import consumers
import spool_writer
from consumers import profiled
from launching import flametrap
from running import PERIOD_NS, Folded, program, target

WORK = "s = 0\nfor i in range(400000): s += len(str(i)) * hash((i, s))\nprint(s)"
INPUT = "/usr/bin/perl"


@pytest.fixture(scope="module", params=["python3", "xz"])
def two_counters(request, tmp_path_factory):
    path = program(request.param)
    argv = {"python3": [path, "-c", WORK], "xz": [path, "-T2", "-1", "-k", "-c", INPUT]}
    folder = profiled(tmp_path_factory.mktemp("two"), argv[request.param],
                      "-e", "task-clock,page-faults", "--weight", "events")
    return path, folder


@pytest.fixture(scope="module")
def two_threads(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("threads"),
                    [program("xz"), "-T2", "-1", "--block-size=1MiB", "-k", "-c", INPUT],
                    "-e", "task-clock", "-F", "10000")


@pytest.fixture(scope="module")
def ten_threads(tmp_path_factory):
    """Each burns for longer than a timer can be late."""
    return profiled(tmp_path_factory.mktemp("ten"), [target("names"), "30"], "-e", "task-clock",
                    "-c", str(PERIOD_NS), "--threads", "id")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("hostile"), [target("hostile_names")],
                    "-e", "task-clock")


def folded(folder, counter=None):
    name = f"profile.{counter}.folded" if counter else "profile.folded"
    return Folded((folder / name).read_text(encoding="utf-8", errors="replace"))


def plain(frame):
    return re.sub(r"_\[[kjp]\]$", "", frame)


def stacks_of(read, column):
    """{(outermost, …, leaf): value} of one kind of value."""
    found = {}
    for sample in read["samples"]:
        stack = tuple(reversed(sample["stack"]))
        if sample["values"][column]:
            found[stack] = found.get(stack, 0) + sample["values"][column]
    return found


def stacks_without_command(profile_folded):
    found = {}
    for stack, value in profile_folded.stacks.items():
        key = tuple(plain(frame) for frame in stack[1:])
        found[key] = found.get(key, 0) + value
    return found


def test_every_stack_of_a_real_program_is_what_the_folded_file_says(two_counters):
    path, folder = two_counters
    read = consumers.decoded(folder / "profile.pb.gz")
    assert read["first"] == ""
    assert read["types"] == [["samples", "count"], ["page-faults", "count"],
                             ["cpu", "nanoseconds"]]
    assert os.path.realpath(read["mappings"][0]) == os.path.realpath(path)
    assert stacks_of(read, 2) == stacks_without_command(folded(folder, "task-clock"))
    assert stacks_of(read, 1) == stacks_without_command(folded(folder, "page-faults"))
    pids = {sample["labels"]["pid"] for sample in read["samples"]}
    assert len(pids) == 1


def flat(text):
    """{function: flat value} of pprof -top."""
    rows = re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +\d+ +[\d.]+%  (.*)$", text, re.M)
    return {name: int(value) for value, name in rows if int(value)}


def test_go_pprof_counts_the_samples_of_each_function_alike(two_threads):
    text = consumers.go_pprof("-top", "-sample_index=samples", "-nodecount=100000",
                              "-nodefraction=0", two_threads / "profile.pb.gz")
    expected = {}
    for stack, value in folded(two_threads).stacks.items():
        expected[plain(stack[-1])] = expected.get(plain(stack[-1]), 0) + value
    assert sum(expected.values()) > 20
    assert flat(text) == expected
    assert "Type: samples\n" in text
    assert re.search(r"^task-clock: \d+ Hz; counted \d+", text, re.M)


def test_go_pprof_shows_the_counter_asked_for_first(two_counters):
    _, folder = two_counters
    for options, kind in ([], "cpu"), (["-sample_index=page-faults"], "page-faults"):
        text = consumers.go_pprof("-top", *options, folder / "profile.pb.gz")
        assert f"Type: {kind}\n" in text
        assert re.search(r"Build ID: [0-9a-f]{16,}", text)


def test_go_pprof_draws_the_profile(two_threads):
    program("dot")
    text = consumers.go_pprof("-svg", "-nodefraction=0", "-nodecount=1000",
                              two_threads / "profile.pb.gz")
    assert "<svg" in text and text.rstrip().endswith("</svg>")
    assert "start_thread" in text


def test_go_pprof_takes_names_of_any_bytes(hostile):
    path = hostile / "profile.pb.gz"
    text = consumers.go_pprof("-raw", path)
    assert "a<b>&amp:'c'" in text  # beside what pprof thinks it means as C++
    assert " x:y z_7 " in text
    assert "\ufffd\ufffd(\ufffd" in text
    assert "thread:[\ufffd\"<&>;t 9]" in text
    tags = consumers.go_pprof("-tags", path)
    assert "hostile_names" in tags
    read = consumers.decoded(path)
    assert max(stacks_of(read, 0).items(), key=lambda item: item[1])[0][-1] == "a<b>&amp:'c'"


def test_threads_of_one_run_can_be_told_apart(ten_threads):
    read = consumers.decoded(ten_threads / "profile.pb.gz")
    sums = {}
    for sample in read["samples"]:
        tid = sample["labels"].get("thread_id", 0)
        sums[tid] = sums.get(tid, 0) + sample["values"][0]
    of_threads = folded(ten_threads).roots()  # NAME/TID
    assert sums == {int(root.rpartition("/")[2]): value for root, value in of_threads.items()}
    assert len(sums) >= 10


def test_a_preloaded_program_writes_the_formats_it_is_asked_for(profiler):
    result, files = profiler.files([program("gzip"), "-1", "-k", "-c", INPUT],
                                   format="pprof,speedscope")
    assert result.status == 0 and result.stderr == b""
    assert sorted(re.sub(r"\d+", "N", name) for name in files) == \
        ["gzip.N.pb.gz", "gzip.N.speedscope.json"]


def test_symbols_of_cpp_are_there_as_people_and_as_linkers_write_them(tmp_path):
    (tmp_path / "names.cpp").write_text("""
        #include <cstdio>
        namespace space { struct Thing { unsigned spin(unsigned n) const; }; }
        __attribute__((noinline)) unsigned space::Thing::spin(unsigned n) const {
            unsigned v = n;
            for (unsigned i = 0; i < 200000000; i++) v = v * 1664525u + 1013904223u;
            return v;
        }
        int main(int argc, char **) { printf("%u", space::Thing().spin((unsigned)argc)); }
    """, encoding="ascii")
    subprocess.run(["c++", "-O1", "-o", tmp_path / "names", tmp_path / "names.cpp"], check=True)
    (tmp_path / "out").mkdir()
    folder = profiled(tmp_path / "out", [tmp_path / "names"], "-e", "task-clock")
    text = consumers.go_pprof("-raw", folder / "profile.pb.gz")
    assert re.search(r" space::Thing::spin :0(:0)? s=0\(_ZNK5space5Thing4spinEj\)$", text, re.M)


SCRIPT = """import json

def load(text):
    return json.loads(text)

def both(texts):
    return [load(text)
            for text in texts]
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The profile of a made-up process with functions of several interpreters."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "app.py").write_text(SCRIPT, encoding="ascii")
    spool = spool_writer.Spool(spool_writer.GONE)
    spool.module("/no/libpython.so", 0x7f0000000000, 0x7f0000010000, 0x7f0000000000)
    evaluates = spool.node(0x7f0000000008)
    both = spool.code("both", folder / "app.py", first_line=6)
    load = spool.code("load", folder / "app.py", first_line=3)
    outer = spool.call(both, 7, evaluates, 3)
    spool.call(load, 4, outer, 5)
    spool.node(0x7f0000000008, spool.call(load, 3, outer), 2)
    ruby = spool.code("<main>", folder / "app.rb", language="RUBY")
    spool.call(ruby, 2, evaluates, 4)
    spool.write(folder / "app.spool")
    flametrap("fold", "--format", "pprof", "-o", "app", "app.spool", cwd=folder, status=0)
    return folder / "app.pb.gz"


def test_go_pprof_shows_functions_of_scripts_by_name_and_by_line(scripts):
    app = scripts.parent / "app.py"
    text = consumers.go_pprof("-top", "-sample_index=samples", scripts)
    assert flat(text) == {"app.load": 5, "<main> app.rb": 4, "app.both": 3, "[libpython.so]": 2}
    text = consumers.go_pprof("-top", "-lines", "-sample_index=samples", scripts)
    assert flat(text) == {f"app.load {app}:4": 5, f"<main> app.rb {scripts.parent / 'app.rb'}:2": 4,
                          f"app.both {app}:7": 3, "[libpython.so]": 2}


def test_go_pprof_lists_the_source_of_a_script(scripts):
    text = consumers.go_pprof("-list", "app[.]both", "-sample_index=samples", scripts)
    rows = re.findall(r"^ +([\d.]+) +([\d.]+) +(\d+):(.*)$", text, re.M)
    assert ("3", "10", "7", "    return [load(text)") in rows


@pytest.mark.parametrize("language, functions", [
    ("python", {"app.load": 7, "app.both": 3}), ("ruby", {"<main> app.rb": 4})])
def test_go_pprof_selects_an_interpreter_s_functions_as_a_mapping(scripts, language, functions):
    text = consumers.go_pprof("-top", f"-show=\\[{language}\\]", "-sample_index=samples", scripts)
    assert flat(text) == functions


@pytest.fixture(scope="module")
def two_of_xz(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("two"),
                    [program("xz"), "-T2", "-1", "--block-size=1MiB", "-k", "-c", "/usr/bin/perl"],
                    "-e", "task-clock,page-faults")


def rows_of(text):
    """{name: (flat, total)} of --text."""
    found = re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% (.*)$", text, re.M)
    return {name: (int(flat), int(total)) for flat, total, name in found}


def short(name):
    """What google-pprof leaves of a name: neither arguments nor template arguments."""
    name = name.replace("--", "- -")
    for pattern in (r"\([^()]*\)( *const)?", r"<[^<>]*>"):
        while (less := re.sub(pattern, "", name)) != name:
            name = less
    return name


def expected(folded):
    found = {}
    for stack, value in folded.stacks.items():
        names = [short(frame) for frame in stack]
        for name in set(names):
            flat, total = found.get(name, (0, 0))
            found[name] = flat + (value if name == names[-1] else 0), total + value
    return found


@pytest.mark.parametrize("counter", ["task-clock", "page-faults"])
def test_every_function_has_its_own_and_total_samples(two_of_xz, counter):
    folded = Folded((two_of_xz / f"profile.{counter}.folded").read_text(encoding="utf-8"))
    text = consumers.google_pprof("--text", two_of_xz / f"profile.{counter}.prof")
    assert text.startswith(f"Total: {folded.total} samples\n")
    assert rows_of(text) == expected(folded)


def test_its_stacks_are_those_of_the_folded_file(two_of_xz):
    folded = Folded((two_of_xz / "profile.task-clock.folded").read_text(encoding="utf-8"))
    text = consumers.google_pprof("--collapsed", two_of_xz / "profile.task-clock.prof")
    found = {}
    for stack, value in Folded(text).stacks.items():
        found[stack] = found.get(stack, 0) + value
    wanted = {}
    for stack, value in folded.stacks.items():
        key = tuple(short(frame) for frame in stack)
        wanted[key] = wanted.get(key, 0) + value
    assert {stack: value for stack, value in found.items() if value} == wanted


def test_it_draws_the_graph(two_of_xz):
    program("dot")
    path = two_of_xz / "profile.task-clock.prof"
    text = consumers.google_pprof("--svg", path)
    assert "<svg" in text and text.rstrip().endswith("</svg>")
    assert "xz" in consumers.google_pprof("--dot", path)


def test_a_frame_that_all_stacks_share_stays(tmp_path):
    """main is the second frame of every stack, which google-pprof takes for a handler's."""
    (tmp_path / "one.folded").write_text("app;main;f 30\n", encoding="ascii")
    flametrap("fold", "--format", "gperftools", "-o", tmp_path / "one", tmp_path / "one.folded", status=0)
    text = consumers.google_pprof("--text", tmp_path / "one.prof")
    assert rows_of(text) == {"app": (0, 30), "main": (0, 30), "f": (30, 30)}


def test_names_of_any_bytes_are_read(hostile):
    folded = Folded((hostile / "profile.folded").read_text(encoding="utf-8", errors="replace"))
    found = rows_of(consumers.google_pprof("--text", hostile / "profile.prof"))
    own = {short(stack[-1]): 0 for stack in folded.stacks}
    for stack, value in folded.stacks.items():
        own[short(stack[-1])] += value
    top = max(own, key=own.get)
    assert top == short("a<b>&amp:'c'")
    assert found[top][0] == own[top]
    assert sum(flat for flat, _ in found.values()) == folded.total


def test_marks_in_names_are_no_marks(tmp_path):
    (tmp_path / "one.folded").write_text("app;T::operator--;--- profile;binary=x 3\napp;a--b 1\n",
                                         encoding="ascii")
    done = flametrap("fold", "--format", "gperftools", "-o", tmp_path / "one.prof",
                     tmp_path / "one.folded", status=0)
    assert done.stderr == f"flametrap: wrote {tmp_path}/one.prof\n"
    found = rows_of(consumers.google_pprof("--text", tmp_path / "one.prof"))
    assert found == {"app": (0, 4), "T::operator- -": (0, 3), "- - - profile": (0, 3),
                     "binary=x": (3, 3), "a- -b": (1, 1)}


def test_functions_of_scripts_keep_what_is_in_their_angle_brackets(tmp_path):
    (tmp_path / "one.folded").write_text(
        "python3;eval;app.<module>_[p];app.f.<locals>.--<lambda>_[p];f<int> 3\n", encoding="ascii")
    flametrap("fold", "--format", "gperftools", "-o", tmp_path / "one", tmp_path / "one.folded", status=0)
    assert rows_of(consumers.google_pprof("--text", tmp_path / "one.prof")) == {
        "python3": (0, 3), "eval": (0, 3), "app.[module]_[p]": (0, 3),
        "app.f.[locals].- -[lambda]_[p]": (0, 3), "f": (3, 3)}
