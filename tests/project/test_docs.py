"""The documents say what the program says, and their links lead somewhere.

After a change of the settings this prints the table anew:
    PYTHONPATH=tests/support python3 tests/project/test_docs.py build/flametrap
"""

import os
import re
import subprocess
import sys

import pytest

from documents import pages
from running import COMMAND, ROOT, clean_environment, execute


def settings_rows(text):
    """(variable, options, argument, meaning, accepted, default) of each setting."""
    rows = []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            names, _, argument = line.partition("  ")
            variable, *options = names.split(", ")
            rows.append([variable, options, argument, "", "", ""])
        elif line.startswith("    accepted: "):
            rows[-1][4] = line.partition(": ")[2]
        elif line.startswith("    default: "):
            rows[-1][5] = line.partition(": ")[2]
        elif line.strip():
            rows[-1][3] = (rows[-1][3] + " " + line.strip()).strip()
    return rows


def settings_table(text):
    lines = ["| variable | option | meaning | accepted | default |", "|---|---|---|---|---|"]
    for variable, options, argument, meaning, accepted, default in settings_rows(text):
        option = ", ".join(f"`{name}`" for name in options)
        option = f"{option} {argument}" if option else argument
        lines.append(f"| `{variable}` | {option} | {meaning} | {accepted} | {default} |")
    return "\n".join(line.replace("  ", " ") for line in lines)


def test_the_table_of_settings_is_what_the_command_prints():
    done = execute([COMMAND, "help", "settings"], clean_environment(), status=0)
    table = settings_table(done.stdout.decode())
    assert table.count("\n") > 10
    assert table in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


def without_code(text):
    return re.sub(r"^```.*?^```$|`[^`]*`", "", text, flags=re.M | re.S)


def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_least_glibc_is_the_one_that_the_build_needs():
    """A newer glibc than Debian 12's gives old functions new versions: that build needs more."""
    built_with = [int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")]
    if built_with > [2, 36]:
        pytest.skip("what is built with a glibc newer than Debian 12's may need it")
    needed = {}
    for name in ("flametrap", "libflametrap.so"):
        shown = subprocess.run(["objdump", "-T", COMMAND.parent / name], check=True,
                               capture_output=True, text=True).stdout
        needed[name] = max([int(part) for part in version.split(".")]
                           for version in re.findall(r"GLIBC_([\d.]+)", shown))
    least = ".".join(map(str, max(needed.values())))
    for page in ("README.md", "docs/platforms.md", "docs/packaging.md"):
        stated = re.findall(r"glibc (\d+\.\d+) or\s+newer", (ROOT / page).read_text(encoding="utf-8"))
        assert stated and set(stated) == {least}, page


def test_every_link_between_the_documents_leads_somewhere():
    followed = 0
    for page in pages():
        for link in re.findall(r"\]\(([^)]+)\)", without_code(page.read_text(encoding="utf-8"))):
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            to = page.parent / name if name else page
            assert to.exists(), f"{page.name}: {link}"
            assert not anchor or anchor in anchors(to), f"{page.name}: {link}"
            followed += 1
    assert followed > 7


def test_every_page_is_reached_from_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(pages()) > 7
    for page in pages()[1:]:
        assert f"]({page.relative_to(ROOT)})" in text, page.name


def words_of(page):
    return len([word for word in page.read_text(encoding="utf-8").split() if re.search(r"\w", word)])


def test_the_readme_can_be_read_in_three_minutes():
    """What it has no room for is in docs/."""
    assert words_of(ROOT / "README.md") <= 680


def test_the_documents_can_be_read_in_an_hour_and_a_half():
    """What they have no room for is in the manuals, or beside the code.  Words as wc -w counts them."""
    pages_of_docs = (ROOT / "docs").glob("*.md")
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages_of_docs) <= 18000


def paths_in(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [name for name in re.findall(r"`([\w./-]+)`", text)
            if re.match(r"(config|runtime|preload|tests|bench)/", name)]


def test_every_figure_names_a_bench_that_exists():
    benches = [name for page in ("benchmarks.md", "comparison.md") for name in paths_in(page)
               if name.startswith("bench/")]
    assert len(benches) > 20
    for name in benches:
        assert (ROOT / name).is_file(), name
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for path in (ROOT / "bench").glob("*.py"):
        if path.name != "measure.py":
            assert f"`bench/{path.name}`" in text, path.name


def test_the_kernels_of_the_emulated_machine_are_named():
    fetch = (ROOT / "tests" / "machine" / "fetch.sh").read_text(encoding="utf-8")
    kernels = re.search(r"for series in ([\d. ]+);", fetch)[1].split()
    assert len(kernels) == 3
    for page in ("docs/platforms.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"{', '.join(kernels[:-1])} and {kernels[-1]}" in text, page


def test_every_target_of_make_that_is_shown_exists():
    shown = {name for page in pages() for name in
             re.findall(r"(?:^|`)make ([a-z][a-z-]*)", page.read_text(encoding="utf-8"), re.M)}
    assert {"demo", "test", "bench", "lint"} <= shown
    rules = "".join(path.read_text(encoding="utf-8") for path in
                    [ROOT / "Makefile", *ROOT.glob("*/*.mk"), *ROOT.glob("*/*/*.mk")])
    for name in shown - {"test"}:
        assert re.search(rf"^{name}:|^\.PHONY:.* {name}\b", rules, re.M), name


def inside_your_process():
    return (ROOT / "docs" / "inside-your-process.md").read_text(encoding="utf-8")


def test_every_interposed_name_is_named():
    text = inside_your_process()
    for name in (ROOT / "tests" / "preload" / "exports.txt").read_text(encoding="ascii").split():
        assert f"`{name}`" in text, name


def test_no_name_is_listed_that_is_not_interposed():
    section = inside_your_process().partition("\n## Interposed functions\n")[2]
    table = re.findall(r"^\|.*\|$", section.partition("\n## ")[0], re.M)
    listed = re.findall(r"`(\w+)`", "\n".join(table))
    exported = (ROOT / "tests" / "preload" / "exports.txt").read_text(encoding="ascii").split()
    ours = [name for name in exported if name.startswith("flametrap_")]
    assert sorted([*listed, *ours]) == sorted(exported)


def test_every_system_call_of_ours_is_named():
    text = inside_your_process()
    calls = {call for path in (ROOT / "runtime" / "sample" / "sys").glob("*.c")
             for call in re.findall(r"\bSYS_(\w+)", path.read_text(encoding="utf-8"))}
    assert len(calls) > 20
    for name in calls:
        assert f"`{name}`" in text, name


if __name__ == "__main__":
    print(settings_table(subprocess.run([sys.argv[1], "help", "settings"], check=True,
                                        stdout=subprocess.PIPE).stdout.decode()))
