"""Inlined functions have the names of what they are in, also where the compiler gave them no linkage
name."""

import re
import shutil

import pytest

from launching import flametrap
from running import Folded
from symbol_table import functions, run, sampled

SOURCE = """
#include <cstdlib>
namespace app {
namespace {
inline int step(int x) { return abs(x) * 1664525 + 1013904223; }
struct box { int n; int grow(int by); };
inline int box::grow(int by) { return step(n) % by; }
}
static inline int twice(int x) { box b{x}; return b.grow(7) + 2 * step(x); }
__attribute__((noinline)) int spin(int n)
{
    volatile int v = n;
    auto turn = [&](int i) { return twice(v + i) ^ 3; };
    for (int i = 0; i < 50000000; i++)
        v = turn(i);
    return v;
}
}
int main(int argc, char **) { return app::spin(argc) == 1; }
"""
PARAMETERS = r"(\(.*\))?( const)?_\[i\]"
SCOPED = [r"app::\(anonymous namespace\)::step", r"app::\(anonymous namespace\)::box::grow",
          r"app::twice", r"app::spin(\(int\))?::.*::operator\(\)"]


@pytest.mark.parametrize("flags", [[], ["-gdwarf-4"], ["-gsplit-dwarf"], ["-flto"]],
                         ids=["plain", "version 4", "split", "whole program"])
@pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-14"])
def test_an_inlined_function_has_the_name_of_its_scope(tmp_path, compiler, flags):
    if not shutil.which(compiler) or (flags == ["-flto"] and compiler != "g++"):
        pytest.skip(f"no {compiler} with these flags here")
    (tmp_path / "scoped.cc").write_text(SOURCE, encoding="ascii")
    run(compiler, "-O2", "-g", *flags, "-o", "scoped", "scoped.cc", cwd=tmp_path)
    path = tmp_path / "scoped"
    start, end = functions(path)["_ZN3app4spinEi"][:2]
    spool = sampled(tmp_path, path, range(start, end))
    done = flametrap("fold", "--inline", spool)
    assert done.returncode == 0, done.stderr
    names = {frame for stack in Folded(done.stdout).stacks for frame in stack[1:]}
    for wanted in SCOPED:
        assert [name for name in names if re.fullmatch(wanted + PARAMETERS, name)], (wanted, names)
    assert all(re.match(r"app::|abs", name) for name in names), names


def test_a_function_of_c_has_the_name_that_it_has(tmp_path):
    (tmp_path / "plain.c").write_text("""
static inline int step(int x) { return x * 1664525 + 1013904223; }
__attribute__((noinline)) int spin(int n)
{
    for (int i = 0; i < 50000000; i++)
        n = step(n) ^ i;
    return n;
}
int main(int argc, char **argv) { (void)argv; return spin(argc) == 1; }
""", encoding="ascii")
    run("cc", "-O2", "-g", "-o", tmp_path / "plain", tmp_path / "plain.c")
    start, end = functions(tmp_path / "plain")["spin"][:2]
    done = flametrap("fold", "--inline", sampled(tmp_path, tmp_path / "plain", range(start, end)))
    names = {frame for stack in Folded(done.stdout).stacks for frame in stack[1:]}
    assert names == {"spin", "step_[i]"}
