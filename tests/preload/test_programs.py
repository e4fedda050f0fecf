"""Programs that nobody here wrote run as ever under the shim, and their profiles are right.

For each: same output and status, all of its CPU time in the stacks, at least 99 % of these
whole, and the function that does the work is there.  What its share of all would be is the
machine's matter, where starting costs page faults: it is taken of what the program does itself.
"""

import re

import pytest

import workloads
from running import LATE_NS, Folded, are_whole, carry_all_time, program, target

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
