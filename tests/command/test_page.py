"""The page (--format html) has every sample of a profile, with its time, thread and labels, and its
names are nothing but text."""

import gzip
import os
import pathlib
import re
import shutil
import tempfile

import pytest

import spool_log
from launching import flametrap, launch
from page_reader import Page, folded
from running import Profiler, compiled, target
from viewer_page import Viewer

ELEMENTS = ["html", "head", "meta", "meta", "meta", "title", "style", "style", "body", "noscript",
            "script", "script"]
HOSTILE = [b"</script><script>alert(1)</script>", b"<!--", b"]]>", b"a\x01\x02\x1b[31mb\x7f",
           b"\xff\xfe(\xed\xa0\x80", "\u202eright\u2066left\ufeff".encode(), b"<img/src=x>",
           b'"quoted\\', "\u2028\u2029".encode(), b"&lt;script&gt;", b"constructor", b"__proto__"]
NOBODY = 65534


def page(folder, *words, name="page"):
    """What fold makes of files."""
    done = flametrap("fold", "--format", "html", "-o", folder / name, *words, status=0)
    assert f"wrote {folder}/{name}.html" in done.stderr
    return Page(folder / f"{name}.html")


def stacks(spools, *options):
    """What fold prints of spools."""
    paths = [spool.path for spool in spools]
    return folded(flametrap("fold", *options, *paths, status=0).stdout)


@pytest.fixture(name="spools", scope="module")
def _spools(tmp_path_factory):
    """Of three threads and of the main one, with labels."""
    _, spools = Profiler(tmp_path_factory.mktemp("spools")).collected([target("labelled"), "threads"])
    return spools


@pytest.fixture(name="threads", scope="module")
def _threads(spools, tmp_path_factory):
    return page(tmp_path_factory.mktemp("threads"), *[spool.path for spool in spools])


@pytest.fixture(name="waits", scope="module")
def _waits(tmp_path_factory):
    """Spools of a program that waits, with several counters, and their page."""
    folder = tmp_path_factory.mktemp("waits")
    held = folder / "held"
    held.touch()
    result, spools = Profiler(folder).collected(
        [target("waits"), held, 20], events="task-clock,page-faults", off_cpu="yes", log="info")
    if b"off-cpu" in result.stderr and b"refused" in result.stderr:
        pytest.skip("off-cpu is refused here")
    return spools, page(folder, *[spool.path for spool in spools])


def test_sums_by_stack_are_those_of_the_folded_file(spools, threads):
    counter, = threads.head["counters"]
    assert counter["name"] == "task-clock" and not counter["offCpu"]
    assert threads.values("task-clock") == stacks(spools)


def test_sums_of_each_counter_are_those_of_its_folded_file(waits):
    spools, made = waits
    assert {"task-clock", "page-faults", "off-cpu"} <= {one["name"] for one in made.head["counters"]}
    for counter in made.head["counters"]:
        name = counter["name"]
        assert made.values(name) == stacks(spools, "--counter", name), name
        assert counter["offCpu"] == (name == "off-cpu")
        assert counter["unit"] == ("" if name == "page-faults" else "ns")


def test_each_sample_has_the_time_and_the_thread_of_its_log_entry(spools, threads):
    spool, = spools
    expected = sorted(
        ((entry.time_ns - spool.start_ns) // threads.head["unitNs"], entry.tid)
        for thread in spool.threads for entry in spool_log.log_of(spool, thread)
        if entry.kind == spool_log.SAMPLE)
    tids = [track["tid"] for track in threads.head["tracks"]]
    found = [(row["time"], tids[row["track"]]) for row in threads.rows()]
    assert found == sorted(found, key=lambda one: one[0])
    assert sorted(found) == expected
    assert len(set(tids)) == len(tids) == 4


def test_samples_lie_on_the_axis_and_in_the_life_of_their_thread(threads):
    head = threads.head
    for row in threads.rows():
        track = head["tracks"][row["track"]]
        assert head["from"] <= track["start"] <= row["time"] <= track["end"] <= head["to"]
        assert track["process"] == 0
    process, = head["processes"]
    assert process["name"] == "labelled" and process["pid"] in [one["tid"] for one in head["tracks"]]


def test_samples_carry_the_labels_of_their_log_entries(spools, threads):
    spool, = spools
    expected = spool_log.samples_by(spool, "tenant")
    found = {}
    for row in threads.rows():
        value = (threads.labels(row["labels"]).get("tenant"),)
        found[value] = found.get(value, 0) + int(row["samples"])
    none = expected.pop(("",), 0) + expected.get((None,), 0)  # an empty value removes the key
    assert found == {**expected, **({(None,): none} if none else {})}


def test_a_span_off_the_processor_ends_at_its_time(waits):
    _, made = waits
    unit_ns = made.head["unitNs"]
    number = [one["name"] for one in made.head["counters"]].index("off-cpu")
    spans = [row for row in made.rows() if row["counter"] == number and row["events"]]
    assert spans
    for row in spans:
        assert row["events"] <= (row["time"] - made.head["from"] + 1) * unit_ns


def test_frames_have_the_module_that_holds_them(threads):
    found = {}
    for node in range(1, threads.nodes):
        module = threads.value("nodeModule", node)
        found[threads.node_name(node)] = threads.head["modules"][module - 1] if module else None
    assert found["labelled"] is None, "the command is no code"
    assert pathlib.Path(found["labelled_burn"]).name == "labelled"
    assert any(path and "libc.so" in path for path in found.values())


def test_samples_have_the_source_line_of_their_leaf_and_the_page_its_text(threads):
    source = (pathlib.Path(__file__).parents[1] / "preload/targets").resolve()
    texts = {pathlib.Path(one["path"]).name: one.get("text") for one in threads.head["files"]}
    lines = {}
    for row in threads.rows():
        if row["line"]:
            file = threads.head["files"][threads.value("lineFile", row["line"] - 1)]["path"]
            place = pathlib.Path(file).name, threads.value("lineNumber", row["line"] - 1)
            lines[place] = lines.get(place, 0) + row["samples"]
    (name, number), samples = max(lines.items(), key=lambda one: one[1])
    assert samples * 2 > sum(lines.values()) / 2
    text = (source / name).read_text(encoding="utf-8")
    assert texts[name] == text and text.splitlines()[number - 1].strip()


def test_two_processes_and_a_fork_are_on_one_axis(tmp_path):
    burn = target("burn")
    launch(tmp_path, "--format", "html", "sh", "-c", f"{burn} 30 & {burn} 30; wait", status=0)
    head = Page(tmp_path / "profile.html").head
    burns = [one for one in head["processes"] if one["name"] == "burn"]
    shell, *_ = (one for one in head["processes"] if one["name"] != "burn")
    assert len(burns) == 2 and head["from"] == 0
    assert min(one["start"] for one in head["processes"]) == 0
    assert max(one["end"] for one in head["processes"]) <= head["to"]
    assert "fork" in {mark["kind"] for mark in head["marks"]}
    assert {one["parent"] for one in burns} == {shell["pid"]}


def test_the_run_itself_writes_the_page_that_fold_makes_of_its_spool(tmp_path):
    launch(tmp_path, "--format", "html,spool", target("burn"), "50")
    spool, = tmp_path.glob("*.spool")
    assert page(tmp_path, spool).text == (tmp_path / "profile.html").read_text(encoding="utf-8")


def test_a_page_goes_to_standard_output_and_to_a_file_of_its_full_name(spools, threads, tmp_path):
    path = spools[0].path
    assert flametrap("fold", "--format", "html", path, status=0).stdout == threads.text
    flametrap("fold", "--format", "html", "-o", tmp_path / "x.html", path, status=0)
    assert os.listdir(tmp_path) == ["x.html"]


def test_folded_stacks_make_a_page_without_time(tmp_path):
    text = "app;main;a 5\napp;main;b_[k] 7\napp;main 1\n"
    (tmp_path / "a.folded").write_text(text)
    made = page(tmp_path, tmp_path / "a.folded")
    assert made.values("value") == folded(text)
    assert (made.head["from"], made.head["to"]) == (0, 0)
    assert "The profile has no times: all samples are at one moment." in made.head["notes"]


def test_a_spool_of_an_earlier_version_makes_a_page(tmp_path):
    old = pathlib.Path(__file__).with_name("version_4.spool.gz")
    path = tmp_path / "old.spool"
    path.write_bytes(gzip.decompress(old.read_bytes()))
    made = page(tmp_path, path)
    counter = made.head["counters"][0]["name"]
    assert made.values(counter) == folded(flametrap("fold", path, status=0).stdout)


def assert_only_text(made):
    assert [tag for tag, _, _ in made.elements] == ELEMENTS
    assert b"<" not in made.json and b">" not in made.json and b"&" not in made.json
    text = made.json.decode("utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)


@pytest.fixture(name="hostile", scope="module")
def _hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    names = [name.replace(b" ", b"_") for name in HOSTILE]
    (folder / "a.folded").write_bytes(b"".join(
        b"app;main;%s;%s %d\n" % (name, name[::-1], i + 1) for i, name in enumerate(names)))
    return page(folder, folder / "a.folded"), folder / "page.html"


def test_hostile_names_are_text(hostile):
    made, _ = hostile
    assert_only_text(made)
    assert "</script><script>alert(1)</script>" in made.names and "]]>" in made.names
    assert sum(made.values("value").values()) == sum(range(1, len(HOSTILE) + 1))


def test_hostile_names_of_a_program_are_text(tmp_path):
    launch(tmp_path, "--format", "html", "--threads", "name", "-o", tmp_path / "<b>&x",
           target("hostile_names"))
    made = Page(tmp_path / "<b>&x.html")
    assert_only_text(made)
    assert any("<b>" in name for name in made.names)


def test_hostile_labels_are_text(tmp_path):
    _, spools = Profiler(tmp_path).collected([target("labelled"), "hostile"])
    made = page(tmp_path, *[spool.path for spool in spools])
    assert_only_text(made)
    assert made.head["labels"]


def test_a_hostile_command_line_is_text(tmp_path):
    launch(tmp_path, "--format", "html", "true", "</title><script>alert(1)</script>", "\x1b[0m\xff")
    made = Page(tmp_path / "profile.html")
    assert_only_text(made)
    assert "</title><script>" in made.head["title"]


BURN = r"""
#line 1 "%s"
__attribute__((noinline)) static void burn%d(void) { for (volatile int i = 0; i < 20000000; i++); }
"""


def built(folder, *sources):
    """A program whose debug information names these files."""
    text = "".join(BURN % (source, i) for i, source in enumerate(sources))
    calls = " ".join(f"burn{i}();" for i in range(len(sources)))
    return compiled(folder, "built", f"{text}\nint main(void) {{ {calls} return 0; }}\n", "-O1", "-g")


def spool_of(folder, *sources):
    """Of a run of that program."""
    _, (spool,) = Profiler(folder).collected([built(folder, *sources)])
    return spool.path


def files_of(made):
    return {one["path"]: one.get("text") for one in made.head["files"]}


def test_the_text_of_a_source_file_keeps_its_lines(tmp_path):
    source = tmp_path / "a.py"
    source.write_bytes("\tdef f(): # \u00e9 <script>\r\n    '\xff'\n\x1b".encode("latin-1", "replace"))
    made = page(tmp_path, spool_of(tmp_path, source))
    assert_only_text(made)
    text = files_of(made)[str(source)]
    assert text.split("\n")[0] == "\tdef f(): # \ufffd <script>" and len(text.split("\n")) == 3


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "binary", "large", "missing",
                                  "process"])
def test_only_a_regular_file_of_text_is_read(kind, tmp_path):
    source = tmp_path / "a.py"
    if kind == "fifo":
        os.mkfifo(source)
    elif kind == "folder":
        source.mkdir()
    elif kind == "binary":
        source.write_bytes(b"text\0more")
    elif kind == "large":
        source.write_bytes(b"x = 1\n" * 50000)
    path = {"device": "/dev/zero", "process": "/proc/self/environ"}.get(kind, source)
    assert files_of(page(tmp_path, spool_of(tmp_path, path)))[str(path)] is None


def test_all_texts_together_have_a_limit(tmp_path):
    sources = [tmp_path / f"{i}.c" for i in range(12)]
    for source in sources:
        source.write_text("y = 2\n" * 40000)
    files = files_of(page(tmp_path, spool_of(tmp_path, *sources)))
    texts = [text for text in files.values() if text]
    assert len(files) >= 12 and len(texts) == 8 and sum(map(len, texts)) <= 2 << 20


def test_another_users_process_has_no_file_read_for_it():
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root reads others' spools")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "secret.c").write_text("password = 1\n")
        program = built(folder, folder / "secret.c")
        other = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", program]
        for argv, text in ([program], "password = 1\n"), (other, None):
            assert launch(folder, "--format", "html", *argv).returncode == 0
            made = Page(folder / "profile.html")
            assert files_of(made)[str(folder / "secret.c")] == text


def test_in_a_browser_it_shows_the_whole_and_no_name_does_anything(hostile, threads, browser):
    made, path = hostile
    shown = Viewer(browser, path)
    assert shown.text(".failure") is None
    assert browser.js("return document.title") == made.head["title"]
    assert browser.js("return document.scripts.length") <= 2
    assert [url for url in browser.requests() if not url.startswith(("file:", "about:", "data:"))] == []
    assert threads.head["format"] == 1
