"""Every command that the documents and the help show does what a reader expects: it runs.

test_recipes.py looks closer at what some of them find."""

import os
import re
import shlex

import pytest

from documents import World, blocks, kept_spool, lacking, pages, spans
from manual import examples, options, verbs
from rights import may_see_the_kernel
from running import ROOT

# Blocks of these pages set a machine up or work on the source tree: .ci and make do that.
OF_THE_TREE = {"CONTRIBUTING.md"}
NEEDS = {
    "": True,
    "kernel side": may_see_the_kernel(),
    "root": os.geteuid() == 0,
    "pmu": os.path.exists("/sys/bus/event_source/devices/cpu"),
    "repository": False,  # test_recipes.py makes one
    "install": False,  # tests/fresh.sh and tests/packaging do, in a place of their own
}
BLOCKS = [(page, needs, lines) for page in pages() if page.name not in OF_THE_TREE
          for needs, lines in blocks(page.read_text(encoding="utf-8"))]
SHOWN = {line for _, needs, lines in BLOCKS if NEEDS[needs] for line in lines}  # these run once
VERBS = verbs()


@pytest.fixture(name="spool", scope="module")
def spool_fixture(tmp_path_factory):
    return kept_spool(tmp_path_factory.mktemp("kept"))


@pytest.fixture(name="world")
def world_fixture(tmp_path, spool):
    made = World(tmp_path, spool)
    yield made
    made.end()


def runs(world, line):
    if lacking(line):
        pytest.skip(f"there is no {lacking(line)} here")
    done = world.run(line)
    said = done.stderr.decode()
    if re.search(r"refused|cannot be counted|cannot count|may not", said):
        pytest.skip("not counted here: " + said)
    assert done.status == 0, (line, said)
    return done


def test_the_documents_show_commands():
    assert len(BLOCKS) > 30
    assert all(needs in NEEDS and lines for _, needs, lines in BLOCKS)


def test_what_a_block_needs_is_said_to_the_reader():
    """The mark behind ```sh is not shown where the page is."""
    words = {"kernel side": "kernel side", "root": "root", "pmu": "PMU"}
    for page in pages():
        for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M):
            prose = re.sub(r"^```.*?^```$", "", section, flags=re.M | re.S)
            for needs, lines in blocks(section):
                assert words.get(needs, "") in prose, lines


@pytest.mark.parametrize(("page", "needs", "lines"), BLOCKS,
                         ids=[f"{page.stem}-{lines[0]}" for page, _, lines in BLOCKS])
def test_a_block_of_commands_runs(world, page, needs, lines):
    if not NEEDS[needs]:
        pytest.skip(f"{page.name}: needs {needs}")
    before = set(world.folder.iterdir())
    for line in lines:
        done = runs(world, line)
        if " -o " not in line and re.match(r"flametrap (-|\./|make|watch)", line):
            assert set(world.folder.glob("*.svg")) - before, line
        elif re.match(r"flametrap (report|diff|events|doctor|fold --format svg)", line):
            assert done.stdout, line


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_of_a_verb_run(world, verb):
    ran = 0
    for line, _ in examples(verb):
        if "doctor" in line or lacking(line):
            continue  # the status of doctor is what it finds: test_doctor.py
        if line not in SHOWN:
            runs(world, line)
        ran += 1
    assert ran >= 3 or verb == "doctor"


def test_every_option_in_a_sentence_exists():
    known = {f"--{name}" for verb in VERBS for _, name, _, _ in options(verb)}
    for page in pages():
        if page.name == "comparison.md":
            continue  # it names options of others; so do tables of what runtimes take
        text = re.sub(r"^\|.*", "", page.read_text(encoding="utf-8"), flags=re.M)
        for span in spans(text):
            if re.match(r"(--\w|flametrap |(graph|fold|report) -)", span):
                for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", span):
                    assert option in known | {"--version"}, (page.name, span)


def test_every_verb_in_a_sentence_exists():
    found = 0
    for page in pages():
        if page.name == "CHANGELOG.md":
            continue  # it names what there was
        for span in spans(page.read_text(encoding="utf-8")):
            words = span.split()
            if words[0] == "flametrap" and len(words) > 1 and words[1].isalpha():
                assert words[1] in set(VERBS) | {"finish"} or \
                    not words[1].islower(), (page.name, span)
                found += 1
    assert found > 5


def test_the_quick_start_is_first_and_two_commands():
    """After those that build and test it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    heading, _, quick = text.partition("\n## ")[2].partition("\n")
    assert heading == "Quick start"
    made, used = [lines for _, lines in blocks(quick.partition("\n## ")[0])]
    assert [re.match(r"git clone|(sudo )?make \w+", line)[0] for line in made] == [
        "git clone", "make demo", "make test", "sudo make install"]
    assert len(used) == 2 and all(shlex.split(line) for line in used)
