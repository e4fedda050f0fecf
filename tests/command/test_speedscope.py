"""speedscope opens what is written for it, and shows the same numbers."""

import base64
import json
import re

import pytest

import consumers
import spool_writer
from consumers import profiled
from launching import flametrap
from running import Folded, program, target

INPUT = "/usr/bin/perl"


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("real"),
                    [program("xz"), "-T2", "-1", "-k", "-c", INPUT],
                    "-e", "task-clock,page-faults")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return profiled(tmp_path_factory.mktemp("hostile"), [target("hostile_names")],
                    "-e", "task-clock", "--threads", "name")


@pytest.fixture
def browser(chromium):
    """What the page writes to its console is for severe()."""
    chromium.resize(1200, 800)
    yield chromium
    chromium.errors()


class Speedscope:
    """The published page with a file loaded, as its own command line loads it."""

    def __init__(self, opened, path, folder):
        page = consumers.package("speedscope") / "dist" / "release" / "index.html"
        script = folder / "load.js"
        content = base64.b64encode(path.read_bytes()).decode()
        script.write_text(f"speedscope.loadFileFromBase64({json.dumps(path.name)}, "
                          f"{json.dumps(content)})", encoding="ascii")
        self.browser = opened
        opened.errors()
        opened.open(f"{page.as_uri()}#localProfilePath={script}")
        opened.until(lambda: "Sandwich" in self.text() and "Export" in self.text())

    def back(self, path):
        """From the profile that is shown first, in the order of time, to the sums before it."""
        data = json.loads(path.read_text(encoding="utf-8"))
        for _ in range(data["activeProfileIndex"]):
            self.browser.keys("p")  # its key for the one before
        return self

    def text(self):
        return self.browser.js("return document.body.innerText")

    def severe(self):
        """What went wrong, in the page's own words."""
        return [line for line in self.browser.errors()
                if re.search(r"error|uncaught|failed|unrecognized", line, re.I)]

    def rows(self):
        """{name: self value} of the rows that the sandwich view has drawn; of values with a unit,
        the name."""
        rows = self.browser.js("""return [...document.querySelectorAll('tr')].map(
            row => [...row.querySelectorAll('td')].map(cell => cell.innerText.trim()))""")
        found = {}
        for row in rows:
            value = re.match(r"([\d,]*)[^(]*\(", row[1]) if len(row) == 3 else None
            if value:  # not of the list of profiles, which is a table too
                found[row[2]] = found.get(row[2], 0) + int(value[1].replace(",", "") or 0)
        return found

    def table(self, *wanted):
        """The rows, once the ones that are waited for are among them."""
        self.browser.keys("3")
        return self.browser.until(lambda: (rows := self.rows()) and set(wanted) <= set(rows)
                                  and rows)


def selves(text):
    found = {}
    for stack, value in Folded(text).stacks.items():
        found[stack[-1]] = found.get(stack[-1], 0) + value
    return found


def biggest(values, count=8):
    """The largest ones, as far as they are not level with the next."""
    ordered = sorted(values.items(), key=lambda item: -item[1])
    least = ordered[count][1] if len(ordered) > count else 0
    return {name: value for name, value in ordered[:count] if value > least}


def test_the_file_is_what_its_published_schema_asks_for(real):
    data = json.loads((real / "profile.speedscope.json").read_text(encoding="utf-8"))
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    names = [entry["name"] for entry in data["profiles"]]
    assert names[:2] == ["task-clock", "page-faults"]
    assert all(re.fullmatch(r"(task-clock|page-faults): xz/\d+", name) for name in names[2:])
    assert len(set(names)) == len(names) > 2
    schema = json.loads((consumers.package("speedscope") / "dist" / "release" /
                         "file-format-schema.json").read_text(encoding="utf-8"))
    wanted = schema["definitions"]["FileFormat.SampledProfile"]
    units = schema["definitions"]["FileFormat.ValueUnit"]["enum"]
    assert set(schema["definitions"]["FileFormat.File"]["required"]) <= set(data)
    for entry in data["profiles"]:
        assert set(wanted["required"]) <= set(entry) <= set(wanted["properties"])
        assert entry["unit"] in units
        assert len(entry["samples"]) == len(entry["weights"])
        assert entry["endValue"] - entry["startValue"] == sum(entry["weights"])
        assert all(0 <= index < len(data["shared"]["frames"])
                   for sample in entry["samples"] for index in sample)


def test_every_stack_is_what_the_folded_file_says(real):
    data = json.loads((real / "profile.speedscope.json").read_text(encoding="utf-8"))
    names = [frame["name"] for frame in data["shared"]["frames"]]
    for entry in data["profiles"][:2]:
        text = (real / f"profile.{entry['name']}.folded").read_text(encoding="utf-8")
        found = {tuple(names[index] for index in sample): weight
                 for sample, weight in zip(entry["samples"], entry["weights"])}
        assert found == Folded(text).stacks


def test_speedscope_shows_each_counter_with_its_functions(browser, real, tmp_path):
    path = real / "profile.speedscope.json"
    page = Speedscope(browser, path, tmp_path)
    assert "task-clock: xz/" in page.text() and "(3/" in page.text()
    page.back(path)
    browser.until(lambda: "task-clock (1/" in page.text())
    expected = selves((real / "profile.task-clock.folded").read_text(encoding="utf-8"))
    shown = page.table(*biggest(expected))
    assert {name: shown[name] for name in biggest(expected)} == biggest(expected)
    assert page.severe() == []


def test_speedscope_draws_the_stacks(browser, real, tmp_path):
    page = Speedscope(browser, real / "profile.speedscope.json", tmp_path)
    browser.keys("2")
    wanted = 5  # colours of frames besides paper, lines and text
    browser.until(lambda: len({pixel for row in browser.pixels()[140:260:5] for pixel in row
                               if max(pixel) - min(pixel) > 20}) >= wanted)
    assert page.severe() == []


def test_speedscope_opens_the_pprof_file_too(browser, real, tmp_path):
    page = Speedscope(browser, real / "profile.pb.gz", tmp_path)
    assert page.severe() == []
    browser.keys("3")
    browser.until(lambda: "Symbol Name" in page.text())
    assert "start_thread" in page.text() or "@0x" in page.text()


def test_speedscope_opens_the_text_of_perf_script_too(browser, real, tmp_path):
    page = Speedscope(browser, real / "profile.perf.txt", tmp_path)
    assert page.severe() == []
    folded = Folded((real / "profile.task-clock.folded").read_text(encoding="utf-8"))
    names = {re.sub(r"_\[\w\]$", "", name) for stack in folded.stacks for name in stack}
    assert set(page.table()) & names


DEEP = 4500  # frames; the page stops with an error at some 3,500


def test_speedscope_shows_stacks_of_any_depth(browser, tmp_path):
    names = [f"f{i}" for i in range(DEEP)]
    (tmp_path / "deep.folded").write_text(f"{';'.join(names)} 5\n{';'.join(names[:3000])} 2\n",
                                          encoding="ascii")
    path = tmp_path / "deep.speedscope.json"
    flametrap("fold", tmp_path / "deep.folded", "--format", "speedscope", "-o", path, status=0)
    data = json.loads(path.read_text(encoding="utf-8"))
    frames = [frame["name"] for frame in data["shared"]["frames"]]
    (only,) = data["profiles"]
    stacks = {weight: [frames[index] for index in sample]
              for sample, weight in zip(only["samples"], only["weights"])}
    assert stacks == {5: [*names[:1500], "[frames left out]", *names[-1499:]], 2: names[:3000]}
    page = Speedscope(browser, path, tmp_path)
    assert page.table(names[-1])[names[-1]] == 5
    assert page.severe() == []


def test_speedscope_takes_names_of_any_bytes(browser, hostile, tmp_path):
    page = Speedscope(browser, hostile / "profile.speedscope.json", tmp_path)
    shown = set()
    for _ in range(4):  # its key for the next profile
        shown |= set(page.table())
        browser.keys("n")
    assert "a<b>&amp:'c'" in shown
    assert "\ufffd\ufffd(\ufffd" in shown
    assert page.severe() == []


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """A made-up process that runs a function of Python at two lines."""
    folder = tmp_path_factory.mktemp("script")
    spool = spool_writer.Spool(spool_writer.GONE)
    spool.module("/no/libpython.so", 0x7f0000000000, 0x7f0000010000, 0x7f0000000000)
    evaluates = spool.node(0x7f0000000008)
    load = spool.code("load", "/src/app.py", first_line=3)
    spool.call(load, 4, evaluates, 5)
    spool.node(0x7f0000000008, spool.call(load, 7, evaluates), 2)
    spool.write(folder / "app.spool")
    return folder / "app.spool"


@pytest.mark.parametrize("options, lines", [([], [3]), (["--lines"], [4, 7])])
def test_a_function_of_a_script_has_its_file_and_line(browser, script, tmp_path, options, lines):
    flametrap("fold", "--format", "speedscope", *options, "-o", tmp_path / "app", script, status=0)
    path = tmp_path / "app.speedscope.json"
    frames = json.loads(path.read_text(encoding="utf-8"))["shared"]["frames"]
    found = [frame for frame in frames if frame["name"] == "app.load_[p]"]
    assert found == [{"name": "app.load_[p]", "file": "/src/app.py", "line": line} for line in lines]
    assert all("file" not in frame for frame in frames if frame not in found)
    page = Speedscope(browser, path, tmp_path)
    shown = page.table("app.load_[p]")
    assert shown["app.load_[p]"] == 5 and page.severe() == []
