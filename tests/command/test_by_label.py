"""Labels of a program's threads in tables, stacks and pprof files (docs/labels.md)."""

import collections
import re

import pytest

import consumers
from launching import flametrap, folded
from running import Folded, Profiler, target


def spools_of(folder, *argv, options=()):
    """Folder and spools of a run; the spools' names have no spaces."""
    result, _ = Profiler(folder).launched(["--format", "folded,pprof,spool", *options],
                                          [target("labelled"), *argv])
    assert result.status == 0, result.stderr
    written, = folder.iterdir()
    return written, [str(path) for path in sorted(written.glob("*.spool"))]


@pytest.fixture(scope="module")
def threads(tmp_path_factory):
    return spools_of(tmp_path_factory.mktemp("threads"), "threads")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return spools_of(tmp_path_factory.mktemp("hostile"), "hostile")


def table(*argv):
    """[(label, samples)] of a report by label, in its order."""
    done = flametrap("report", *argv, status=0)
    text = done.stdout.split("samples  label\n")[1]
    rows = re.findall(r"^ *[\d.]+ % +[\d.]+ % +(\d+)  (.*)$", text, re.M)
    return [(name, int(samples)) for samples, name in rows]


def total(rows):
    return sum(number for _, number in rows)


def test_a_table_ranks_the_values_of_a_label(threads):
    rows = table("--by", "label:tenant", *threads[1])
    assert [name for name, _ in rows] == ["red", "green", "[no label]", "blue", "main"]
    found = dict(rows)
    assert abs(found["red"] / found["green"] - 2) < 0.3
    assert abs(found["green"] / found["blue"] - 3) < 0.8
    other = table("--by", "label:phase", *threads[1])
    assert total(other) == total(rows)
    assert dict(other)["constructor"] > 30


def test_a_key_that_nobody_set_has_one_row(threads):
    rows = table("--by", "label:nobody", *threads[1])
    assert rows == [("[no label]", total(table("--by", "label:tenant", *threads[1])))]


def test_stacks_have_a_frame_for_each_value(threads):
    folder, spools = threads
    split = folded("--threads", "label:tenant", *spools)
    values = collections.Counter()
    without = collections.Counter()
    for stack, number in split.stacks.items():
        values[stack[1]] += number
        without[(stack[0], *stack[2:])] += number
    assert [name for name, _ in values.most_common(2)] == ["red", "green"]
    whole = Folded((folder / "profile.folded").read_text(encoding="utf-8"))
    assert without == whole.stacks, "the parts add up to the whole"


def test_a_table_of_functions_is_the_same_with_labels(threads):
    plain, split = (flametrap("report", *words, *threads[1]).stdout
                    for words in ([], ["--threads", "label:tenant"]))
    assert plain == split


def test_pictures_and_comparisons_take_labels(threads, tmp_path):
    _, spools = threads
    flametrap("graph", "--threads", "label:tenant", "-o", str(tmp_path / "out.svg"), *spools,
              status=0)
    assert all(name in (tmp_path / "out.svg").read_text(encoding="utf-8")
               for name in ("red", "green", "blue"))
    flametrap("diff", "--by", "label:tenant", spools[0], spools[0], status=0)


def test_pprof_has_the_labels_of_each_sample(threads):
    folder, spools = threads
    read = consumers.decoded(folder / "profile.pb.gz")
    found = collections.Counter()
    for sample in read["samples"]:
        found[sample["labels"].get("tenant", "[no label]")] += sample["values"][0]
    assert found == dict(table("--by", "label:tenant", *spools))
    assert {sample["labels"].get("phase") for sample in read["samples"]} == {
        None, "constructor", "destructor"}
    assert all("thread" in sample["labels"] for sample in read["samples"])


def test_go_pprof_lists_the_labels(threads):
    text = consumers.go_pprof("-tags", str(threads[0] / "profile.pb.gz"))
    assert re.search(r"tenant:.*\n.*: red\n.*: green\n.*: blue\n", text)


def test_pprof_has_traces(tmp_path):
    result, _ = Profiler(tmp_path).launched(["--format", "pprof"], [target("traced_linked")])
    assert result.status == 0
    path, = tmp_path.glob("*/*.pb.gz")
    read = consumers.decoded(path)
    found = collections.Counter()
    for sample in read["samples"]:
        labels = sample["labels"]
        found[labels.get("trace_id"), labels.get("span_id")] += sample["values"][0]
    assert set(found) == {(None, None), ("33" * 16, "01" * 8), ("33" * 16, "02" * 8)}
    assert found["33" * 16, "01" * 8] > 2 * found["33" * 16, "02" * 8]


def test_hostile_values_are_names_in_every_format(hostile):
    folder, spools = hostile
    names = dict(table("--by", "label:value", "--rows", "0", *spools))
    assert {"a:b", "line?feed", "tab?here", "<script>", '"quoted\\"', "12", "_[k]"} <= set(names)
    assert not any("\u202e" in name or "\x1b" in name for name in names)
    split = folded("--threads", "label:value", *spools, errors="replace")
    assert sum(split.stacks.values()) == sum(names.values()), "every line has a stack and a value"
    assert {stack[1] for stack in split.stacks} >= {"a:b", "line?feed", "x" * 256, "x" * 254}
    read = consumers.decoded(folder / "profile.pb.gz")
    assert {sample["labels"].get("value") for sample in read["samples"]} >= {"<script>", " 12 "}


def test_profiles_without_labels_say_why(tmp_path):
    _, (spool,) = spools_of(tmp_path, "nested", options=["--timeline", "no"])
    done = flametrap("report", "--by", "label:request", spool)
    assert done.returncode != 0
    assert "its samples have no labels, because it was made with --timeline no" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_only_samples_with_a_label_are_selected(threads):
    _, spools = threads
    found = dict(table("--by", "label:tenant", *spools))
    assert table("--by", "label:tenant", "--label", "tenant=green", *spools) == [
        ("green", found["green"])]
    text = flametrap("report", "--label", "tenant=green", *spools).stdout
    assert f"selected {found['green']} samples" in text and "by --label" in text
    stacks = folded("--label", "tenant=green", *spools).stacks
    assert sum(stacks.values()) == found["green"]
    assert all("labelled_burn" in stack or "shares" in stack for stack in stacks)
    none = flametrap("fold", "--label", "tenant=nobody", *spools)
    assert none.returncode == 0 and not none.stdout


def test_a_thinned_timeline_makes_labels_estimates(tmp_path):
    _, spools = spools_of(tmp_path, "threads", options=["--timeline", "64K", "-F", "20000"])
    text = flametrap("report", "--by", "label:tenant", *spools).stdout
    assert text.count("labels are estimates") == 1
    rows = table("--by", "label:tenant", *spools)
    assert total(rows) == sum(folded(*spools).stacks.values())
    assert {"red", "green"} <= {name for name, _ in rows}
