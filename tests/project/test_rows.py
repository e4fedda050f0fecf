"""What has a row is known to its row and its files: no other source holds a second list of them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = "runtime/command"
VERB_ROWS = f"{COMMAND}/options/manual_tables.h"


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
