"""An output format is one row of config/settings/formats.h and the sources of its writer."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROWS = "config/settings/formats.h"
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


def rows():
    """(identifier, name, ending) of each format."""
    found = re.findall(r'ROW\((\w+), (\w+), \d+,\s+"([^"]+)"', (ROOT / ROWS).read_text())
    assert len(found) >= 9
    return found


def words_of(text):
    """The words of a source without its comments and includes."""
    return set(re.findall(r"\w+", re.sub(r"/\*.*?\*/|#include .*?\n", "", text, flags=re.DOTALL)))


def test_no_other_source_knows_a_format():
    for half in ("config", "runtime", "preload"):
        for path in (ROOT / half).rglob("*.[ch]"):
            where = str(path.relative_to(ROOT))
            if where == ROWS or where.startswith(WRITERS):
                continue
            words = words_of(path.read_text(encoding="utf-8"))
            known = {word for row_id, name, _ in rows()
                     for word in (f"SETTINGS_FORMAT_{row_id}", name, f"format_{name}")
                     if word in words and word not in WORDS}
            assert known == OTHERS.get(where, set()), where


def test_each_format_has_a_writer():
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / WRITERS).glob("*.c"))
    for _, name, _ in rows():
        assert f"int format_{name}(const struct format_content *content, FILE *file)\n{{" in written


def test_the_readme_lists_each_format():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for _, name, ending in rows():
        assert f"| `{name}` | `STEM.{ending}` |" in readme
