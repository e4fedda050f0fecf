"""flametrap annotate: weights are at the lines and instructions that they belong to."""

import json
import os
import pathlib
import re
import shutil

import pytest

import launching
from annotations import annotate, data, needs_capstone
from running import target
from spool_writer import GONE, Spool
from symbol_table import BASE, build_id, identified, run, sampled

SOURCE = """
static volatile unsigned long sum;
static inline unsigned long square(unsigned long x) { return x * x + (x >> 3); }
__attribute__((noinline)) void compute(long n)
{
	for (long i = 0; i < 3 * n; i++)
		sum += (unsigned long)i; /* heavy */
	for (long i = 0; i < n; i++)
		sum ^= (unsigned long)i; /* light */
}
__attribute__((noinline)) void squares(long n)
{
	for (long i = 0; i < n; i++)
		sum += square((unsigned long)i);
}
#ifndef NO_MAIN
int main(void)
{
	for (int i = 0; i < 200; i++)
		compute(400000);
	squares(1000);
	return 0;
}
#endif
"""
HEAVY, LIGHT = 7, 9
RUST = """fn black_box<T: Copy>(value: T) -> T { unsafe { std::ptr::read_volatile(&value) } }
mod space { #[inline(never)] pub fn within(n: u64) -> u64 { super::black_box(n) * 3 } }
fn main() { black_box(space::within(2)); }
"""
KINDS = {"pie": ["-pie", "-fPIE"], "no-pie": ["-no-pie", "-fno-pie"],
         "shared": ["-shared", "-fPIC", "-DNO_MAIN"]}


def compiled(folder, kind="pie", name="two", options=("-g", "-O1")):
    (folder / "two.c").write_text(SOURCE)
    run("gcc", *options, *KINDS[kind], "-o", folder / name, folder / "two.c")
    return folder / name


@pytest.fixture
def path(tmp_path):
    return compiled(tmp_path)


def listing(path, function):
    """[(address, mnemonic)] as objdump prints a function."""
    text = run("objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", path)
    return [(int(match[1], 16), match[2]) for match in
            re.finditer(r"^ *([0-9a-f]+):\t(?:(?:bnd|notrack) )?(\S+)", text, re.M)]


def line_of(path, address):
    file, line = run("addr2line", "-e", path, hex(address)).split()[0].rsplit(":", 1)
    return file, int(line)


@needs_capstone
@pytest.mark.parametrize("kind", KINDS)
def test_every_address_of_objdump_is_there_in_order_with_its_weight(tmp_path, kind):
    path = compiled(tmp_path, kind)
    theirs = listing(path, "compute")
    weights = {address: index + 1 for index, (address, _) in enumerate(theirs)}
    found = data("compute", identified(tmp_path, path, weights))
    function, = found["functions"]
    rows = function["instructions"]
    while theirs[-1][0] >= function["end"]:
        theirs.pop()  # padding
    assert [row["address"] for row in rows] == [address for address, _ in theirs]
    assert all(row["mnemonic"].startswith(name[:3]) or name.startswith(row["mnemonic"][:3])
               for row, (_, name) in zip(rows, theirs))
    for row in rows:
        assert row["self"] == [weights[row["address"]]]
        assert (row["file"], row["line"]) == line_of(path, row["address"])
    by_line = {}
    for row in rows:
        by_line[row["line"]] = by_line.get(row["line"], 0) + row["self"][0]
    assert {line["line"]: line["self"][0] for line in function["lines"]} == by_line
    assert all(line["text"] == SOURCE.splitlines()[line["line"] - 1] for line in function["lines"])
    assert function["start"] == theirs[0][0] and function["self"] == [sum(by_line.values())]


@needs_capstone
def test_a_call_has_the_weight_of_what_it_calls(tmp_path, path):
    call = next(address for address, name in listing(path, "main") if name.startswith("call"))
    inner = listing(path, "compute")[3][0]
    made = Spool(GONE)
    made.module(path, BASE, BASE + 0x10000000, BASE, bytes.fromhex(build_id(path)))
    made.node(BASE + inner, made.node(BASE + call + 4), 7)  # a return address minus one
    made.write(tmp_path / "made.spool")
    rows = {row["address"]: row for row in
            data("main", tmp_path / "made.spool")["functions"][0]["instructions"]}
    assert rows[call]["self"] == [0] and rows[call]["total"] == [7]
    assert rows[call]["target"] == "compute"
    text = annotate("--calls", "main", tmp_path / "made.spool")
    assert re.search(rf"^> +100\.00 +{call:x}  call\w* .*<compute>$", text, re.M), text


def test_the_line_with_three_times_the_work_is_hotter(tmp_path, path):
    """Of a real run; each loop does the same in a turn."""
    launching.launch(tmp_path, "--format", "spool", path, status=0)
    profile, = tmp_path.glob("profile.*.spool")
    function = data("compute", profile)["functions"][0]
    weight = {HEAVY: 0, LIGHT: 0}  # of a loop: its head and its body
    for line in function["lines"]:
        for body in weight:
            weight[body] += line["self"][0] * (line["line"] in (body, body - 1))
    assert sum(weight.values()) > 50
    assert weight[HEAVY] > weight[LIGHT] > 0
    text = annotate("--source", "compute", profile)
    assert re.search(rf"^>[ \d.]* {HEAVY - 1} .*3 \* n|^>[ \d.]* {HEAVY} .*heavy", text, re.M), text
    assert "task-clock: a timer interrupts the thread" in text


@needs_capstone
def test_the_hottest_are_shown_with_neighbours_and_the_rest_as_a_sum(tmp_path, path):
    theirs = listing(path, "compute")
    hot = theirs[len(theirs) // 2][0]
    spool = identified(tmp_path, path, {theirs[0][0]: 1, hot: 99})
    text = annotate("--rows", "1", "--instructions", "compute", spool)
    shown = [int(found, 16) for found in re.findall(r"^[> ][ \d.]*? ([0-9a-f]{4,})  ", text, re.M)]
    middle = [address for address, _ in theirs].index(hot)
    assert shown == [address for address, _ in theirs[middle - 3:middle + 4]]
    assert re.search(rf"^> +99\.00 +{hot:x} ", text, re.M)
    assert re.search(r"^ +1\.00 +\.\.\.  \d+ more instructions$", text, re.M), text
    whole = annotate("--all", "--instructions", "compute", spool)
    assert "more instruction" not in whole and whole.count("\n") > len(theirs) - 8


@needs_capstone
def test_syntax_is_att_or_intel(tmp_path, path):
    if "x86-64" not in run("objdump", "-f", path):
        pytest.skip("the code is not of x86-64")
    spool = identified(tmp_path, path, {listing(path, "compute")[0][0]: 1})
    assert "%rip" in annotate("--all", "compute", spool)
    intel = annotate("--all", "--intel", "compute", spool)
    assert "rip" in intel and "%rip" not in intel


def test_without_the_source_file_there_are_line_numbers(tmp_path, path):
    spool = identified(tmp_path, path, {address: 1 for address, _ in listing(path, "compute")})
    (tmp_path / "two.c").unlink()
    text = annotate("--source", "compute", spool)
    assert re.search(rf"^> [ \d.]* {HEAVY}$", text, re.M), text
    assert "heavy" not in text


@needs_capstone
def test_a_stripped_program_has_instructions(tmp_path, path):
    theirs = listing(path, "compute")
    run("strip", path)
    spool = identified(tmp_path, path, {theirs[4][0]: 3})
    name = f"two@{theirs[0][0]:#x}"
    function, = data(name, spool)["functions"]
    assert not function["lines"]
    assert [row["self"] for row in function["instructions"]][:6] == [[0]] * 4 + [[3], [0]]
    assert f"{theirs[4][0]:x}" in annotate(name, spool)


def test_an_inlined_function_is_found_where_it_is_inlined(tmp_path):
    path = compiled(tmp_path, options=("-g", "-O2"))
    body = [address for address, _ in listing(path, "squares")]
    spool = identified(tmp_path, path, {address: 1 for address in body})
    assert "--inline" in annotate("square", spool, status=1)
    function, = data("--inline", "square", spool)["functions"]
    assert (function["name"], function["inlined_into"]) == ("square", "squares")
    asked = run("addr2line", "-i", "-f", "-e", path, *map(hex, body), "-a")
    inside = [int(part.split()[0], 16) for part in asked.split("0x")[1:]
              if part.split()[1] == "square"]
    assert [row["address"] for row in function["instructions"]] == inside
    assert function["self"] == [len(inside)]
    assert data("square_[i]", spool)["functions"] == [function]
    assert f"inlined into squares, {path}" in annotate("--inline", "square", spool)


def test_functions_of_one_name_are_all_shown(tmp_path):
    for name, more in (("a", "int b(void); int main(void) { return step(1) + b(); }"),
                       ("b", "int b(void) { return step(2); }")):
        (tmp_path / f"{name}.c").write_text(
            "static __attribute__((noinline)) int step(volatile int n) { return n * 3; }\n" + more)
    path = tmp_path / "both"
    run("gcc", "-g", "-O1", "-o", path, tmp_path / "a.c", tmp_path / "b.c")
    starts = [int(line.split()[0], 16) for line in run("nm", path).splitlines()
              if line.endswith(" t step")]
    assert len(starts) == 2
    spool = identified(tmp_path, path, {starts[0]: 1, starts[1]: 5})
    found = data("step", spool)["functions"]
    assert [(one["start"], one["self"]) for one in found] == [(starts[1], [5]), (starts[0], [1])]
    assert {pathlib.Path(one["lines"][0]["file"]).name for one in found} == {"a.c", "b.c"}


def test_a_cplusplus_name_may_lack_its_namespace(tmp_path):
    (tmp_path / "names.cc").write_text(
        "namespace app { struct box { int n; __attribute__((noinline)) int twice(int by)"
        " { return n * by; } }; }\nint main(int argc, char **)"
        " { app::box one = { argc }; return one.twice(2); }\n")
    path = tmp_path / "names"
    run("g++", "-g", "-O1", "-o", path, tmp_path / "names.cc")
    start, = [int(line.split()[0], 16) for line in run("nm", path).splitlines() if "twice" in line]
    spool = identified(tmp_path, path, {start: 1})
    for name in ("app::box::twice", "box::twice", "twice", "*twice"):
        function, = data(name, spool)["functions"]
        assert function["name"] == "app::box::twice" and function["lines"]


@pytest.mark.parametrize("compiler", ["rustc", "clang-14"])
def test_other_compilers(tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = tmp_path / "other"
    if compiler == "rustc":
        (tmp_path / "other.rs").write_text(RUST)
        run("rustc", "-g", "-O", "-o", path, tmp_path / "other.rs")
    else:
        (tmp_path / "two.c").write_text(SOURCE)
        run("clang-14", "-g", "-O1", "-o", path, tmp_path / "two.c")
    start = [int(line.split()[0], 16) for line in run("nm", path).splitlines()
             if re.search(r" [tT] .*(compute|space.*within)", line)][0]
    function, = data("compute" if compiler != "rustc" else "within",
                     identified(tmp_path, path, {start: 4}))["functions"]
    assert sum(line["self"][0] for line in function["lines"]) == 4
    assert {pathlib.Path(line["file"]).name for line in function["lines"]} & {"two.c", "other.rs"}


def test_an_interpreted_function_has_lines(tmp_path):
    script = tmp_path / "work.py"
    script.write_text("def work():\n    first()\n    second()\n    third()\n")
    made = Spool(GONE)
    code = made.code("work", script, "work", 1)
    made.call(code, 2, None, 1)
    made.call(code, 4, None, 3)
    made.write(tmp_path / "made.spool")
    text = annotate("work", tmp_path / "made.spool")
    assert "no instructions: this function is interpreted" in text
    assert re.search(r"^> +25\.00 +2 +first\(\)\n +3 +second\(\)\n> +75\.00 +4 +third\(\)$",
                     text, re.M), text


def test_code_without_a_file_says_so(tmp_path):
    made = Spool(GONE)
    made.node(0xFFFFFFFF81000010, None, 2)
    made.node(0x500000000000, None, 1)
    made.write(tmp_path / "made.spool")
    kernel = annotate("*_[[]k]", tmp_path / "made.spool")
    assert "no instructions: this is code of the kernel" in kernel
    other = annotate("[[]unknown]", tmp_path / "made.spool")
    assert "no instructions: the code was made at run time" in other and "500000000000" in other


def test_a_replaced_program_shows_no_instructions(tmp_path, path):
    spool = sampled(tmp_path, path, {listing(path, "compute")[0][0]: 1}, identity=b"\1" * 20)
    done = launching.flametrap("annotate", "[[]two] [[]file changed]", spool)
    assert done.returncode == 0 and "replaced since it was sampled" in done.stderr
    assert "no instructions" in done.stdout


def test_without_the_library_there_are_lines_and_a_message(tmp_path, path):
    spool = identified(tmp_path, path, {listing(path, "compute")[2][0]: 1})
    for name in ("libcapstone.so.4", "libcapstone.so.5"):
        (tmp_path / name).write_text("")
    text = annotate("compute", spool, settings={"LD_LIBRARY_PATH": str(tmp_path)})
    assert "cannot be loaded (Debian: libcapstone5 or libcapstone4)" in text
    assert "two.c:" in text and "100.00" in text


def test_selections_apply(tmp_path, path):
    first, second = (listing(path, "compute")[place][0] for place in (0, 2))
    made = Spool(GONE)
    made.module(path, BASE, BASE + 0x10000000, BASE, bytes.fromhex(build_id(path)))
    made.timed(2 * 10**9)
    callers = [made.node(BASE + listing(path, name)[1][0]) for name in ("main", "squares")]
    made.sample(made.node(BASE + first, callers[0]), 10**8, 4)
    made.sample(made.node(BASE + second, callers[1]), 15 * 10**8, 6)
    made.write(tmp_path / "made.spool")

    def shown(*options):
        function = data("compute", *options, tmp_path / "made.spool")["functions"][0]
        return function["self"][0]

    assert shown() == 10
    assert shown("--from", "1") == shown("--focus", "squares") == 6
    assert shown("--to", "1") == shown("--ignore", "squares") == 4
    assert shown("--weight", "events") == 10000
    assert "no sample of what was asked for" in annotate(
        "compute", "--focus", "nowhere", tmp_path / "made.spool", status=1)


def test_the_nearest_function_is_named(tmp_path, path):
    spool = identified(tmp_path, path, {listing(path, "compute")[0][0]: 1})
    line = annotate("computr", spool, status=1)
    assert line == ("flametrap: no function computr in this profile; nearest: compute; with --inline, "
                    "functions that were inlined are found too\n")


def test_each_counter_says_how_exact_it_is(tmp_path, path):
    said = {}
    for name, flags in ((b"cycles", 8 | 1024), (b"cycles:p", 8 | 512), (b"cycles:pp", 8 | 256),
                        (b"page-faults", 8 | 128), (b"task-clock", 8 | 64), (b"off-cpu", 24 | 128),
                        (b"mem:x:w", 40 | 128), (b"instructions", 1024), (b"older", 8)):
        made = Spool(GONE)
        made.header.counter[0].name = name
        made.header.counter[0].flags = flags
        made.module(path, BASE, BASE + 0x10000000, BASE, bytes.fromhex(build_id(path)))
        made.node(BASE + listing(path, "compute")[0][0], None, 1)
        made.write(tmp_path / "made.spool")
        said[name.decode()] = data("compute", tmp_path / "made.spool")["counters"][0]["skid"]
    assert len(set(said.values())) == len(said)
    assert said["cycles"].startswith("not precise") and said["cycles:pp"].startswith("precise:")
    assert "timer" in said["task-clock"] and "does not say" in said["older"]
    assert "after the one" in said["mem:x:w"] and "waited" in said["off-cpu"]


def test_weights_are_those_of_report(tmp_path):
    """Of a real run: a function's own weight is its row in the report's table."""
    launching.launch(tmp_path, "--format", "spool", target("burn"), "300", status=7)
    profile, = tmp_path.glob("profile.*.spool")
    table = json.loads(launching.flametrap("report", "--json", profile).stdout)["tables"][0]
    for row in table["rows"][:3]:
        found = data(row["name"], profile)
        assert sum(one["self"][0] for one in found["functions"]) == row["self"]
        for one in found["functions"]:
            assert sum(line["self"][0] for line in one["instructions"]) == one["self"][0]


def test_hostile_files_do_not_matter(tmp_path, path):
    """Each byte of a program's tables may be wrong: the command ends, and says what it can."""
    spool = sampled(tmp_path, path, {listing(path, "compute")[1][0]: 1}, identity=b"")
    good = path.read_bytes()
    sections = run("readelf", "-SW", path)
    for name in (".debug_line", ".debug_info", ".symtab", ".text", ".debug_str"):
        offset, size = (int(word, 16) for word in re.search(
            rf" {re.escape(name)} +\S+ +\w+ (\w+) (\w+)", sections).groups())
        for value in (0, 0xFF, 0x80):
            damaged = bytearray(good)
            damaged[offset:offset + size] = bytes([value]) * size
            path.write_bytes(damaged)
            os.utime(path, (1, 1))  # not changed after it was sampled
            for words in (["*"], ["--inline", "--json", "*"]):
                done = launching.flametrap("annotate", *words, spool)
                assert done.returncode in (0, 1), (name, value, done.stderr)
    path.write_bytes(good[:len(good) // 2])
    assert launching.flametrap("annotate", "*", spool).returncode in (0, 1)
