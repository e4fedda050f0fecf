"""google-pprof reads the profile without the program, and shows what the folded one says."""

import re

import pytest

import consumers
from consumers import profiled
from launching import flametrap
from running import Folded, program, target


@pytest.fixture(scope="module")
def two_counters(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("two"),
                    [program("xz"), "-T2", "-1", "--block-size=1MiB", "-k", "-c", "/usr/bin/perl"],
                    "-e", "task-clock,page-faults")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("hostile"), [target("hostile_names")],
                    "-e", "task-clock")


def rows(text):
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
def test_every_function_has_its_own_and_total_samples(two_counters, counter):
    folded = Folded((two_counters / f"profile.{counter}.folded").read_text(encoding="utf-8"))
    text = consumers.google_pprof("--text", two_counters / f"profile.{counter}.prof")
    assert text.startswith(f"Total: {folded.total} samples\n")
    assert rows(text) == expected(folded)


def test_its_stacks_are_those_of_the_folded_file(two_counters):
    folded = Folded((two_counters / "profile.task-clock.folded").read_text(encoding="utf-8"))
    text = consumers.google_pprof("--collapsed", two_counters / "profile.task-clock.prof")
    found = {}
    for stack, value in Folded(text).stacks.items():
        found[stack] = found.get(stack, 0) + value
    wanted = {}
    for stack, value in folded.stacks.items():
        key = tuple(short(frame) for frame in stack)
        wanted[key] = wanted.get(key, 0) + value
    assert {stack: value for stack, value in found.items() if value} == wanted


def test_it_draws_the_graph(two_counters):
    program("dot")
    path = two_counters / "profile.task-clock.prof"
    text = consumers.google_pprof("--svg", path)
    assert "<svg" in text and text.rstrip().endswith("</svg>")
    assert "xz" in consumers.google_pprof("--dot", path)


def test_a_frame_that_all_stacks_share_stays(tmp_path):
    """main is the second frame of every stack, which google-pprof takes for a handler's."""
    (tmp_path / "one.folded").write_text("app;main;f 30\n", encoding="ascii")
    flametrap("fold", "--format", "gperftools", "-o", tmp_path / "one", tmp_path / "one.folded", check=True)
    text = consumers.google_pprof("--text", tmp_path / "one.prof")
    assert rows(text) == {"app": (0, 30), "main": (0, 30), "f": (30, 30)}


def test_names_of_any_bytes_are_read(hostile):
    folded = Folded((hostile / "profile.folded").read_text(encoding="utf-8", errors="replace"))
    found = rows(consumers.google_pprof("--text", hostile / "profile.prof"))
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
                     tmp_path / "one.folded", check=True)
    assert done.stderr == f"flametrap: wrote {tmp_path}/one.prof\n"
    found = rows(consumers.google_pprof("--text", tmp_path / "one.prof"))
    assert found == {"app": (0, 4), "T::operator- -": (0, 3), "- - - profile": (0, 3),
                     "binary=x": (3, 3), "a- -b": (1, 1)}


def test_functions_of_scripts_keep_what_is_in_their_angle_brackets(tmp_path):
    (tmp_path / "one.folded").write_text(
        "python3;eval;app.<module>_[p];app.f.<locals>.--<lambda>_[p];f<int> 3\n", encoding="ascii")
    flametrap("fold", "--format", "gperftools", "-o", tmp_path / "one", tmp_path / "one.folded", check=True)
    assert rows(consumers.google_pprof("--text", tmp_path / "one.prof")) == {
        "python3": (0, 3), "eval": (0, 3), "app.[module]_[p]": (0, 3),
        "app.f.[locals].- -[lambda]_[p]": (0, 3), "f": (3, 3)}
