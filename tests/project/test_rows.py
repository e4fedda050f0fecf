"""What has a row is known to its row and its files: no other source holds a second list of them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = "runtime/command"
VERB_ROWS = f"{COMMAND}/options/manual.h"


def sources(*folders):
    """{path: text without comments} of the C sources below the folders."""
    return {str(path.relative_to(ROOT)): re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
            for folder in folders for path in sorted((ROOT / folder).rglob("*.[ch]"))}


def rows(path, macro):
    (block,) = re.findall(rf"#define {macro}\(X\)((?:.*\\\n)*.*)", (ROOT / path).read_text())
    return re.findall(r"X\((\w+)", block)


VERBS = rows(VERB_ROWS, "VERBS")


@pytest.mark.parametrize("verb", [*VERBS, *rows(VERB_ROWS, "VERBS_INTERNAL")])
def test_a_verb_has_one_function_and_one_manual(verb):
    texts = sources(COMMAND).values()
    assert sum(len(re.findall(rf"^int verb_{verb}\(.*\)$", text, re.M)) for text in texts) == 1
    manuals = sum(len(re.findall(rf"^const struct manual manual_{verb} =", text, re.M)) for text in texts)
    assert manuals == (verb in VERBS)


def test_no_source_beside_the_rows_lists_the_verbs():
    words = re.compile(rf'\b(?:verb|manual)_({"|".join(VERBS)})\b|"({"|".join(VERBS)})"')
    for path, text in sources(COMMAND).items():
        known = {first or second for first, second in words.findall(text)}
        assert len(known) <= 2 or path == VERB_ROWS, f"{path} knows {sorted(known)}"


LANGUAGE_ROWS = "runtime/spool/format_code.h"
LANGUAGES = re.findall(r"^\tX\((\w+), \d+, (\w+)\)", (ROOT / LANGUAGE_ROWS).read_text(), re.M)
ROOMS = re.compile(r"runtime/sample/interp/[a-z]+/|runtime/profile/languages/language_[a-z]+\.c$")


def test_no_source_beside_the_rows_and_their_rooms_knows_a_language():
    assert {name for _, name in LANGUAGES} >= {"python", "php", "ruby", "perl"}
    known = re.compile("|".join(
        rf'\bSPOOL_LANGUAGE_{constant}\b|\b(?:interp|language)_{name}\b|"(?:lib)?\[?{name}\]?"'
        for constant, name in LANGUAGES))
    for path, text in sources("config", "runtime", "preload").items():
        assert path == LANGUAGE_ROWS or ROOMS.match(path) or not known.search(text), \
            f"{path} knows {known.search(text)[0]}"


@pytest.mark.parametrize("name", [name for _, name in LANGUAGES])
def test_a_language_has_one_table_in_each_half(name):
    for folder, table in (("runtime/sample/interp", f"interp_runtime interp_{name}"),
                          ("runtime/profile/languages", f"language language_{name}")):
        assert sum(f"const struct {table} = {{" in text for text in sources(folder).values()) == 1


FORMAT_ROWS = "config/settings/formats.h"
WRITERS = "runtime/output/formats/"
# Sources with the name of a format that is not theirs to write: files of other programs, examples
# in manuals, and the default format.
OTHERS = {
    "runtime/profile/input/file_kind.c": {"gperftools", "pprof", "speedscope"},
    "runtime/command/run/run.c": {"pprof"},
    "runtime/command/verbs/verb_fold.c": {"SETTINGS_FORMAT_FOLDED", "pprof", "speedscope"},
}
# Names that are words of their own: looked for by their identifiers alone.
WORDS = {"folded", "svg", "html"}


def format_rows():
    """(identifier, name, ending) of each format."""
    found = re.findall(r'ROW\((\w+), (\w+), \d+,\s+"([^"]+)"', (ROOT / FORMAT_ROWS).read_text())
    assert len(found) >= 9
    return found


def words_of(text):
    """The words of a source without its comments and includes."""
    return set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|#include .*?\n", "", text, flags=re.DOTALL)))


def test_no_other_source_knows_a_format():
    for half in ("config", "runtime", "preload"):
        for path in (ROOT / half).rglob("*.[ch]"):
            where = str(path.relative_to(ROOT))
            if where == FORMAT_ROWS or where.startswith(WRITERS):
                continue
            words = words_of(path.read_text(encoding="utf-8"))
            known = {word for row_id, name, _ in format_rows()
                     for word in (f"SETTINGS_FORMAT_{row_id}", name, f"format_{name}")
                     if word in words and word not in WORDS}
            assert known == OTHERS.get(where, set()), where


def test_each_format_has_a_writer():
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / WRITERS).glob("*.c"))
    for _, name, _ in format_rows():
        assert f"int format_{name}(const struct format_content *content, FILE *file)\n{{" in written


def test_the_readme_lists_each_format():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for _, name, ending in format_rows():
        assert f"| `{name}` | `STEM.{ending}` |" in readme
