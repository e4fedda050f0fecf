"""Programs that nobody here wrote run as ever under the shim, and their profiles are right.

For each: same output and status, all of its CPU time in the stacks, at least 99 % of these
whole, and the function that does the work is there.  What its share of all would be is the
machine's matter, where starting costs page faults: it is taken of what the program does itself.

Stacks of at least 20 programs as the distribution ships them reach their outermost frame: at least 99.9 %
of at least 1,000 each; and what is cut says why.  A program that is too fast for that many is run again.
Programs that compile while they run are listed apart, and reach it in 98 %: their code has no unwind
information, and is followed by its frame pointers."""

import pathlib
import re
import subprocess
import sys

import pytest

import workloads
from running import LATE_NS, STARTING, Folded, are_whole, carry_all_time, program, target

# What must be on most stacks (a function, or the module where the distribution strips the names),
# and the least share of the program's own time that has it.
PROGRAMS = {
    "python3": (r"_PyEval_EvalFrameDefault", 0.8),
    "xz": (r"\[?liblzma\.so.*|lzma_.*|bt_.*|.*_encode.*", 0.9),
    "sqlite3": (r"sqlite3_step", 0.8),
    "perl": (r"Perl_runops_standard", 0.9),
    "gzip": (r"\[?gzip(@.*|\])?|deflate|longest_match", 0.9),
    "openssl": (r"PKCS5_PBKDF2_HMAC", 0.8),
    "throwing": (r"shop::work(\(.*\))?", 0.9),
}
# The function of the script that does the work.  Where the functions of scripts are shown, they stand
# for the loop of their interpreter.
SCRIPTS = {
    "python3": r"<string>\.<module>_\[p\]",
    "perl": r"\{main\} -e_\[p\]",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return workloads.prepare(tmp_path_factory.mktemp("input"))


def command_line(name, folder):
    if name == "throwing":
        return [target("throwing"), "20000"]
    argv = workloads.commands(folder)[name]
    return [program(argv[0]), *argv[1:]]


@pytest.fixture(params=PROGRAMS)
def profiled(request, profiler, inputs):
    """One program, without and with the shim."""
    argv = command_line(request.param, inputs)
    plain = profiler.plain(argv)
    result, spools = profiler.collected(argv)
    return request.param, profiler, plain, result, spools


def test_a_real_program_is_profiled_truly_and_unharmed(profiled):
    name, profiler, plain, result, spools = profiled
    assert result.outcome() == plain.outcome()
    assert plain.status == 0
    assert len(spools) == 1
    spool = spools[0]

    samples = spool.samples()
    assert samples == spool.count("SAMPLES")
    assert spool.cpu_ns >= 5 * LATE_NS, "the program is too short to say anything"
    carry_all_time(spools, result)

    are_whole(spools, spool.count("COMPLETE"), 0.99)
    folded = profiler.fold(spools)
    assert folded.total == samples
    are_whole(spools, sum(value for root, value in folded.roots().items()
                          if outermost(root, name)), 0.99)

    late_ns = LATE_NS * (len(spool.threads) + spool.count("THREADS_ENDED"))
    hot, share = PROGRAMS[name]
    does_the_work(itself(profiler.fold(spools, "--weight", "events", "--interp", "no")), hot, share, late_ns)
    if name in SCRIPTS:
        merged = itself(profiler.fold(spools, "--weight", "events"))
        does_the_work(merged, SCRIPTS[name], share, late_ns)
        for frames in merged.stacks:
            assert not (any(re.fullmatch(SCRIPTS[name], frame) for frame in frames) and
                        any(re.fullmatch(hot, frame) for frame in frames)), frames


def does_the_work(own, hot, share, late_ns):
    assert own.burnt(hot) >= share * own.total - late_ns, sorted(
        own.stacks.items(), key=lambda item: -item[1])[:10]


def itself(folded):
    """Without the kernel and the loader."""
    own = Folded("")
    own.stacks = {frames: value for frames, value in folded.stacks.items()
                  if not frames[-1].endswith("_[k]")
                  and not re.match(r"_dl_|\[?ld-linux", frames[-1])}
    return own


def outermost(root, name):
    """The outermost frame of a thread: _start or clone3, or the function without a name that
    stands for it where the distribution has stripped that object."""
    if re.fullmatch(r"_start|_dl_start_user|__clone3?|clone3?|(__GI_)?___clone3?", root):
        return True
    own = {"python3": r"python3\S*", "openssl": r"openssl"}.get(name, re.escape(name))
    return re.fullmatch(rf"(libc\.so\.6|ld-linux\S*|{own})@\S+", root) is not None


def test_the_same_run_under_the_launcher_writes_three_files(profiler, inputs):
    argv = command_line("gzip", inputs)
    plain = profiler.plain(argv)
    result, files = profiler.launched(["-e", "task-clock"], argv)
    assert (result.status, result.stdout) == (plain.status, plain.stdout)
    assert set(files) == {"profile.folded", "profile.html", "profile.svg"}
    assert files["profile.svg"].startswith("<?xml")
    summary, *advice = result.stderr.decode().splitlines()
    assert " samples (task-clock" in summary and all("without symbols" in line for line in advice)


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
def work_inputs(tmp_path_factory):
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
def test_stacks_of_a_real_program_reach_the_outermost_frame(name, profiler, work_inputs):
    counts = measure(name, workloads.commands(work_inputs)[name], profiler)
    cut = counts.stacks - counts.complete
    assert cut <= counts.stacks // 1000 + STARTING * counts.processes, counts.row(name)


@pytest.mark.parametrize("name", COMPILING)
def test_stacks_of_a_program_that_compiles_while_it_runs_reach_the_outermost_frame(
        name, profiler, work_inputs):
    counts = measure(name, workloads.compiling(work_inputs)[name], profiler)
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
    app = tmp_path / "app"
    subprocess.run(["cc", "-o", app, source], check=True)
    at = {name: int(address, 16) for address, _, name in
          (row.split() for row in subprocess.run(
              ["nm", "--defined-only", app], check=True, capture_output=True,
              text=True).stdout.splitlines())}
    subprocess.run(["strip", app], check=True)
    offset = {name: next(offset for offset in range(1 << 20) if
                         completeness.address_of(app, offset) == at[name])
              for name in ("_start", "main")}
    for name, whole in (("_start", True), ("main", False)):
        line = f"{offset[name] + 4:16x} [unknown] ({app})"
        assert completeness.is_whole(line) == whole, name
    assert completeness.is_whole("    1234 _start (/nowhere)")
    assert not completeness.is_whole("    1234 [unknown] (/nowhere)")
    assert not completeness.is_whole("ffffffff81000130 entry_SYSCALL_64 ([kernel.kallsyms])")
