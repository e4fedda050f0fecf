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
