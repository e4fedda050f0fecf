"""Programs label their threads, and samples carry the labels (docs/labels.md)."""

import re
import shutil
import subprocess

import pytest

from running import ROOT, target
from spool_log import samples_by

HEADER = ROOT / "preload" / "labels"


def labelled(profiler, *argv, **settings):
    result, spools = profiler.collected([target("labelled"), *argv], **settings)
    assert result.status == 0 and set(result.stdout.split()) == {b"done"}, result.stderr
    return spools


def shares(found, *values):
    total = sum(found.values())
    return [round(10 * found[value] / total) for value in values]


def test_samples_carry_the_labels_of_their_moment(profiler):
    (spool,) = labelled(profiler, "shares")
    found = samples_by(spool, "tenant", "phase")
    assert set(found) >= {("red", None), ("green", None), ("blue", None), (None, None)}
    worked = {value: number for (value, phase), number in found.items() if not phase}
    total = sum(worked.values())
    for value, share in (("red", 6), ("green", 3), ("blue", 1), (None, 2)):
        assert abs(worked[value] / total - share / 12) < 0.05, found
    assert spool.count("LABELS_FULL") == 0


@pytest.mark.parametrize("threads", ["merge", "id"])
def test_labels_belong_to_a_thread(profiler, threads):
    (spool,) = labelled(profiler, "threads", threads=threads)
    found = samples_by(spool, "tenant")
    assert found["main",] > 30
    assert abs(found["red",] / found["green",] - 2) < 0.4, found
    assert abs(found["green",] / found["blue",] - 3) < 1, found
    assert found[None,] > 200


def test_a_scope_gives_the_labels_back(profiler):
    (spool,) = labelled(profiler, "nested")
    found = samples_by(spool, "request", "step", "phase")
    worked = {key[:2]: number for key, number in found.items() if not key[2]}
    assert set(worked) == {(None, None), ("r", None), ("r", "outer"), ("r", "inner")}
    total = sum(worked.values())
    for key, ms in (((None, None), 50), (("r", None), 150), (("r", "outer"), 250),
                    (("r", "inner"), 300)):
        assert abs(worked[key] / total - ms / 750) < 0.05, found


def test_a_fork_keeps_labels_and_exec_does_not(profiler):
    spools = labelled(profiler, "forks")
    found = [samples_by(spool, "who", "step") for spool in spools]
    child = next(each for each in found if ("child", None) in each)
    assert set(child) == {("parent", "forking"), ("parent", None), ("child", None)}
    assert all(number > 60 for number in child.values())
    parent = next(each for each in found if ("parent", "forking") in each and each is not child)
    assert parent["parent", "forking"] > 60
    executed = [samples_by(spool, "who", "tenant") for spool in spools]
    assert any(each[None, "red"] > 100 and not each["parent", None] for each in executed)


def test_forks_while_other_threads_add_labels_end(profiler):
    spools = labelled(profiler, "fork_storm")
    for spool in spools:
        assert {key for each in spool.label_sets() for key in each} <= {
            b"storm", b"round", b"child", b"phase"}
        for tenant in samples_by(spool, "round", "child"):
            assert set(tenant) <= {None, "odd", "even", "one", "two", "in the child"}


def test_many_different_values_fit(profiler):
    (spool,) = labelled(profiler, "distinct", "100000")
    assert samples_by(spool, "tenant", "id")["after", "id-99999"] > 60
    assert len(spool.label_sets()) > 100000
    assert spool.count("LABELS_FULL") == 0


def test_values_that_find_no_room_are_counted(profiler):
    (spool,) = labelled(profiler, "distinct", "100000", memory="1M")
    assert 1000 < len(spool.label_sets()) < 50000
    found = samples_by(spool, "tenant", "id")
    assert set(value for _, value in found) <= {None, *(f"id-{i}" for i in range(50000))}
    assert spool.count("LABELS_FULL") > 60


def test_texts_are_kept_as_they_are_and_cut(profiler):
    (spool,) = labelled(profiler, "hostile")
    values = {each.get(b"value") for each in spool.label_sets()}
    assert {b"a;b", b"line\nfeed", b"\xe2\x80\xae rtl", b"\xff\xfe bad", b"x" * 256,
            b"x" * 254} <= values
    keys = {key for each in spool.label_sets() for key in each}
    assert keys == {b"phase", b"value", b"x" * 128, b"key;with = and\n"}


def test_pointers_that_lead_nowhere_set_nothing(profiler):
    (spool,) = labelled(profiler, "bad")
    assert {value for (value,) in samples_by(spool, "value")} == {None, "good"}
    assert {key for each in spool.label_sets() for key in each} == {b"phase", b"value"}


def test_a_text_that_goes_after_it_was_read_sets_nothing(profiler):
    (spool,) = labelled(profiler, "gone")
    found = samples_by(spool, "value")
    assert set(found) <= {(None,), ("kept",), ("value",)}
    assert found["kept",] + found["value",] > 60


def test_signal_handlers_may_label(profiler):
    (spool,) = labelled(profiler, "signals")
    found = samples_by(spool, "main", "signal", "phase")
    assert found[None, None, None] > 60
    assert {main[0] for main, _, _ in found if main} == {"v"}


def test_labels_work_before_main_and_at_the_exit(profiler):
    (spool,) = labelled(profiler, "phases")
    found = samples_by(spool, "phase")
    assert found["constructor",] > 30 and found["exit",] > 30 and found["destructor",] > 10


def test_without_a_timeline_there_are_none(profiler):
    (spool,) = labelled(profiler, "shares", timeline="no")
    assert spool.label_sets() == [{}]
    assert spool.samples() > 400


BURN = r"""
#include <time.h>
static void burn(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		;
}
"""
PROGRAM = BURN + r"""
#include "flametrap.h"
#include <stdio.h>
int main(void)
{
	unsigned before = flametrap_label_push("kind", "pushed");

	burn();
	flametrap_label_pop(before);
	{
		FLAMETRAP_LABEL("kind", "scope");
		burn();
	}
	flametrap_label("kind", "set");
	burn();
	puts("done");
	return 0;
}
"""
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow"]
WAYS = {
    "PIE": ["-fPIE", "-pie"],
    "not PIE": ["-fno-pie", "-no-pie"],
    "not PIE, not optimised": ["-fno-pie", "-no-pie", "-O0"],
    "PIC in an executable": ["-fPIC", "-no-pie"],
    "LTO": ["-flto", "-fno-pie", "-no-pie"],
    "LTO, PIE": ["-flto", "-fPIE", "-pie"],
    "stripped": ["-fno-pie", "-no-pie", "-s", "-Wl,--as-needed", "-Wl,--gc-sections"],
    "hidden": ["-fPIE", "-pie", "-fvisibility=hidden", "-s"],
    "gold": ["-fno-pie", "-no-pie", "-fuse-ld=gold"],
    "gold, PIE": ["-fPIE", "-pie", "-fuse-ld=gold"],
    "lld": ["-fno-pie", "-no-pie", "-fuse-ld=lld"],
    "lld, PIE": ["-fPIE", "-pie", "-fuse-ld=lld"],
}


def compiler(name):
    found = shutil.which(name) or shutil.which(f"{name}-14")
    if not found:
        pytest.skip(f"there is no {name}")
    return found


def build(tmp_path, name, flags, text=PROGRAM, out="program", strict=True):
    """Skips if the linker is not there; other failures are failures."""
    source = tmp_path / ("program.cpp" if "++" in name else "program.c")
    source.write_text(text, encoding="ascii")
    argv = [compiler(name), "-O2", *(STRICT if strict else []), f"-I{HEADER}", "-o",
            str(tmp_path / out), str(source), *flags]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode and re.search("invalid linker name|cannot find .ld.|LTO support|plugin",
                                     done.stderr):
        pytest.skip(done.stderr.splitlines()[0])
    assert done.returncode == 0, done.stderr
    return tmp_path / out


def runs(profiler, *argv):
    """The spools of a program that runs well."""
    result, spools = profiler.collected([str(word) for word in argv])
    assert (result.status, result.stdout) == (0, b"done\n")
    return spools


# In `make test` each way by one compiler at least: the other's differ in the code that it makes.
SHORT = {*(("gcc", way) for way in WAYS), ("clang", "not PIE, not optimised"), ("clang", "LTO, PIE"),
         ("g++", "PIE"), ("clang++", "not PIE")}


@pytest.mark.parametrize("name,way", [
    pytest.param(name, way, marks=[pytest.mark.long] * ((name, way) not in SHORT)) for name, way in (
        *((name, way) for name in ("gcc", "clang") for way in WAYS),
        *((name, way) for name in ("g++", "clang++") for way in ("PIE", "not PIE")))])
def test_labels_work_however_a_program_is_built(profiler, tmp_path, name, way):
    program = build(tmp_path, name, WAYS[way])
    (spool,) = runs(profiler, program)
    found = samples_by(spool, "kind")
    assert all(found[value,] > 50 for value in ("pushed", "scope", "set")), found
    plain = profiler.plain([str(program)])
    assert (plain.status, plain.stdout) == (0, b"done\n")


@pytest.mark.parametrize("flags", [["-static"], ["-static-pie"]])
def test_a_static_program_runs_as_before(profiler, tmp_path, flags):
    program = build(tmp_path, "gcc", flags)
    assert not runs(profiler, program)


LIBRARY = BURN + r"""
#include "flametrap.h"
int work(void);
int work(void)
{
	FLAMETRAP_LABEL("kind", "library");
	burn();
	return 0;
}
"""
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 3 && argc > 1; i++) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*work)(void);

		if (!library)
			return 2;
		*(void **)&work = dlsym(library, "work");
		work();
		dlclose(library);
	}
	puts("done");
	return 0;
}
"""


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_a_library_that_is_loaded_and_unloaded_labels(profiler, tmp_path, name):
    library = build(tmp_path, name, ["-shared", "-fPIC"], LIBRARY, "library.so")
    program = build(tmp_path, name, ["-ldl"], LOADER, strict=False)
    (spool,) = runs(profiler, program, library)
    assert samples_by(spool, "kind")["library",] > 200


CXX = BURN + r"""
#include "flametrap.h"
#include <cstdio>
#include <stdexcept>
static void fails()
{
	flametrap::scoped_label label("kind", "throwing");

	burn();
	throw std::runtime_error("out");
}
int main()
{
	FLAMETRAP_LABEL("kind", "outer");
	try {
		FLAMETRAP_LABEL("more", "inner");
		fails();
	} catch (const std::exception &) {
		burn();
	}
	std::puts("done");
}
"""


@pytest.mark.parametrize("name", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["c++98", "c++17", "c++20"])
def test_an_exception_gives_the_labels_back(profiler, tmp_path, name, standard):
    program = build(tmp_path, name, [f"-std={standard}"], CXX)
    (spool,) = runs(profiler, program)
    found = samples_by(spool, "kind", "more")
    assert found["throwing", "inner"] > 50 and found["outer", None] > 50, found


TWICE = r"""
#include "flametrap.h"
#define BOTH(value) FLAMETRAP_LABEL("c", value); FLAMETRAP_LABEL("d", value)
void twice(void);
void twice(void)
{
	FLAMETRAP_LABEL("a", "1"); FLAMETRAP_LABEL("b", "2"); BOTH("4"); { FLAMETRAP_LABEL("a", "3"); }
}
"""


@pytest.mark.parametrize("name,standard", [
    *((name, standard) for name in ("gcc", "clang") for standard in ("gnu90", "c99", "c17")),
    *((name, standard) for name in ("g++", "clang++") for standard in ("c++98", "c++17"))])
def test_scopes_may_stand_in_one_line(tmp_path, name, standard):
    build(tmp_path, name, ["-c", f"-std={standard}"], TWICE, "twice.o")


ONE_CALL = r"""
#include "flametrap.h"
void one_call(void);
void one_call(void)
{
	flametrap_label("key", "value");
}
"""


@pytest.mark.parametrize("name", ["gcc", "clang"])
@pytest.mark.parametrize("flags", [["-fPIE"], ["-fno-pie"], ["-fPIC"]])
def test_a_call_is_a_load_and_a_branch(tmp_path, name, flags):
    """Up to the branch, the code has one load, a test of it, and no call."""
    code = build(tmp_path, name, ["-c", "-fcf-protection=none", *flags], ONE_CALL, "one.o")
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(code)], check=True,
                          capture_output=True, text=True).stdout
    if "x86-64" not in text:
        pytest.skip("reads code of x86-64")
    words = [line.split("\t")[1].split() for line in
             text[text.index("<one_call>:"):].splitlines()[1:] if "\t" in line]
    branch = next(i for i, each in enumerate(words) if each[0].startswith("j"))
    before = words[:branch]
    assert len([each for each in before if "(%rip)" in " ".join(each)]) == 1, text
    assert not [each for each in before if each[0].startswith("call")]
    assert len(before) <= 4, text
