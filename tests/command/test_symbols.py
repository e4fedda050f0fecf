"""Every address gets the name of the function it lies in, and no other.

The oracle is readelf's symbol tables and unwind entries; test_names compares with other tools.
"""

import re

from symbol_table import Table, compile_library, functions, names_of, run


def test_a_stripped_program_starts_at_start(tmp_path):
    (tmp_path / "main.c").write_text("int main(void) { return 0; }")
    for flags in (["-pie"], ["-no-pie"]):
        run("cc", "-s", *flags, "-o", tmp_path / "main", tmp_path / "main.c")
        entry = int(re.search(r"Entry point address:\s+0x(\w+)",
                              run("readelf", "-h", tmp_path / "main"))[1], 16)
        end = next(end for start, end in Table(tmp_path / "main").unwind if start == entry)
        assert names_of(tmp_path / "main", [entry, end - 1], tmp_path) == ["_start"] * 2
        assert names_of(tmp_path / "main", [end], tmp_path) == ["[main]"]


def test_stubs_are_named_by_what_they_jump_to(tmp_path):
    library = compile_library(tmp_path, "-Wl,-z,lazy")
    (tmp_path / "caller.c").write_text("""
        int shown_one(int); double strtod(const char *, char **); void *volatile keep;
        int main(int c, char **v) { keep = strtod; return shown_one(c) + (int)strtod(v[0], 0); }
    """)
    for flags in (["-z", "lazy"], ["-z", "now"]):
        for more in ([], ["-fcf-protection"]):
            run("cc", "-O1", "-fno-builtin", "-fplt", *more, "-o", tmp_path / "caller",
                tmp_path / "caller.c", library, *[f"-Wl,{flag}" for flag in flags])
            stubs = Table(tmp_path / "caller").stubs
            assert "shown_one" in stubs.values()
            addresses = [start + offset for start in stubs for offset in (0, 5)]
            got = names_of(tmp_path / "caller", addresses, tmp_path)
            assert got == [f"{stubs[address & ~7]}@plt" for address in addresses]


def test_a_stripped_function_is_never_named_after_its_neighbour(tmp_path):
    library = compile_library(tmp_path)
    where = functions(library)
    run("strip", library)
    for name in ("shown_one", "hidden_one", "hidden_two", "shown_two", "hidden_three"):
        start, end = where[name]
        expected = name if name.startswith("shown") else f"library.so@{start:#x}"
        got = names_of(library, list(range(start, end)), tmp_path)
        assert set(got) == {expected}
    # Hand-written code without unwind information, behind an exported label without a size.
    start = where["behind"][0]
    assert names_of(library, [start, start + 1], tmp_path) == ["[library.so]"] * 2


def test_labels_without_a_size_reach_to_the_next_symbol(tmp_path):
    library = compile_library(tmp_path)
    where = functions(library)
    bare, sized, behind = (where[name][0] for name in ("bare", "sized", "behind"))
    assert set(names_of(library, list(range(bare, sized)), tmp_path)) == {"bare"}
    assert set(names_of(library, list(range(sized, behind)), tmp_path)) == {"sized"}
    assert names_of(library, [behind, behind + 1], tmp_path) == ["behind"] * 2
