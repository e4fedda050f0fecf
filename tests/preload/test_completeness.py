"""Stacks of real programs reach their outermost frame: at least 99.9 % of at least 1,000 each,
in at least 20 programs as the distribution ships them; and what is cut says why.  A program that
is too fast for that many is run again.

Programs that compile while they run are listed apart, and reach it in 98 %: their code has no
unwind information, and is followed by its frame pointers.
"""

import pathlib
import subprocess
import sys

import pytest

import workloads
from running import STARTING

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PERIOD_NS = 100000
SAMPLES_MIN = 1000
CUTS = ("TRUNCATED_DEPTH", "TRUNCATED_NO_RULE", "TRUNCATED_BOUNDS", "TRUNCATED_BUSY",
        "TRUNCATED_FAILED", "LEAF_ONLY")
COMPILING_SHARE = 0.98
PROGRAMS_MIN = 20
NAMES = list(workloads.commands(workloads.pathlib.Path("/")))
COMPILING = list(workloads.compiling(workloads.pathlib.Path("/")))

found = {}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return workloads.prepare(tmp_path_factory.mktemp("work"))


class Counts:
    """Sums over the spools of one program and its children."""

    def __init__(self, spools):
        self.processes = len(spools)
        self.samples = sum(spool.count("SAMPLES") for spool in spools)
        self.complete = sum(spool.count("COMPLETE") for spool in spools)
        self.guessed = sum(spool.count("GUESSED") for spool in spools)
        self.cut = {name: sum(spool.count(name) for spool in spools) for name in CUTS}
        # A handler over its budget takes no stack, nor does one that meets a thread with libunwind
        # which is not given a processor: that is the machine's doing.
        self.stacks = self.samples - self.cut["LEAF_ONLY"] - self.cut["TRUNCATED_BUSY"]

    def share(self):
        return self.complete / self.stacks if self.stacks else 0

    def row(self, name):
        cut = ", ".join(f"{key.lower()} {value}" for key, value in self.cut.items() if value)
        return (f"{name:12} {self.samples:8} {100 * self.share():8.3f} % "
                f"{100 * self.guessed / max(self.samples, 1):8.3f} %  {cut}")


def measure(name, argv, profiler):
    if not workloads.is_there(name):
        pytest.skip(f"{name} is not installed")
    spools = []
    while not spools or Counts(spools).stacks < SAMPLES_MIN:
        result, more = profiler.collected(workloads.find(argv), period=PERIOD_NS, depth=4096)
        assert result.status in (0, 1), result.stderr.decode()[-2000:]
        assert Counts(more).stacks > 0, "nothing was sampled"
        spools += more
    counts = Counts(spools)
    accounted = counts.complete + sum(counts.cut.values())
    assert accounted == counts.samples, counts.row(name)  # each stack that is cut has a reason
    found[name] = counts
    return counts


@pytest.mark.parametrize("name", NAMES)
def test_stacks_of_a_real_program_reach_the_outermost_frame(name, profiler, inputs):
    counts = measure(name, workloads.commands(inputs)[name], profiler)
    cut = counts.stacks - counts.complete
    assert cut <= counts.stacks // 1000 + STARTING * counts.processes, counts.row(name)


@pytest.mark.parametrize("name", COMPILING)
def test_stacks_of_a_program_that_compiles_while_it_runs_reach_the_outermost_frame(
        name, profiler, inputs):
    counts = measure(name, workloads.compiling(inputs)[name], profiler)
    assert counts.share() >= COMPILING_SHARE, counts.row(name)


def test_the_table(capsys):
    """All programs together keep to the limit without any allowance for their start."""
    if not set(found) & set(NAMES):
        pytest.skip("no program was profiled in this run")
    with capsys.disabled():
        print("\nprogram       samples   whole      guessed   cut")
        for name in NAMES + COMPILING:
            if name in found:
                print(found[name].row(name) + ("  (compiles)" if name in COMPILING else ""))
    own = [found[name] for name in NAMES if name in found]
    assert sum(one.complete for one in own) >= 0.999 * sum(one.stacks for one in own)
    if all(workloads.is_there(name) for name in NAMES) and set(NAMES) <= set(found):
        assert len(own) >= PROGRAMS_MIN


def test_the_bench_takes_perf_s_stacks_of_a_stripped_program_for_whole(tmp_path):
    """_start has no name there, main has neither, and is not outermost."""
    sys.path.insert(0, str(ROOT / "bench"))
    import completeness  # pylint: disable=import-outside-toplevel
    source = tmp_path / "app.c"
    source.write_text("int main(void) { return 0; }\n")
    program = tmp_path / "app"
    subprocess.run(["cc", "-o", program, source], check=True)
    at = {name: int(address, 16) for address, _, name in
          (row.split() for row in subprocess.run(
              ["nm", "--defined-only", program], check=True, capture_output=True,
              text=True).stdout.splitlines())}
    subprocess.run(["strip", program], check=True)
    offset = {name: next(offset for offset in range(1 << 20) if
                         completeness.address_of(program, offset) == at[name])
              for name in ("_start", "main")}
    for name, whole in (("_start", True), ("main", False)):
        line = f"{offset[name] + 4:16x} [unknown] ({program})"
        assert completeness.is_whole(line) == whole, name
    assert completeness.is_whole("    1234 _start (/nowhere)")
    assert not completeness.is_whole("    1234 [unknown] (/nowhere)")
    assert not completeness.is_whole("ffffffff81000130 entry_SYSCALL_64 ([kernel.kallsyms])")
