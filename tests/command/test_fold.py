"""fold and report merge spools and folded files, and refuse what they cannot read; --format spool keeps
the spools of a run for them."""

import json
import subprocess

from launching import flametrap, run
from running import COMMAND, LIBRARY, PERIOD_NS, Folded, clean_environment, execute, program, target
from spool_writer import GONE as PID, Spool


def make(path, samples, pid=PID):
    spool = Spool(pid)
    spool.node(2, None, samples)
    spool.write(path)
    return path


def test_spools_and_folded_files_are_summed(tmp_path):
    one = make(tmp_path / "one", 3)
    two = make(tmp_path / "two", 4, PID + 1)
    (tmp_path / "folded").write_text("test;[overflow] 10\nother;main 1\n")
    done = flametrap("fold", one, tmp_path / "folded", two)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "other;main 1\ntest;[overflow] 17\n"


def test_what_fold_writes_fold_reads(tmp_path):
    first = flametrap("fold", make(tmp_path / "one", 3)).stdout
    (tmp_path / "again").write_text(first)
    assert flametrap("fold", tmp_path / "again").stdout == first
    assert flametrap("fold", "-", input=first).stdout == first


def test_weight_and_threads_are_options(tmp_path):
    one = make(tmp_path / "one", 3)
    assert flametrap("fold", "--weight", "events", one).stdout == "test;[overflow] 3000\n"
    assert flametrap("fold", "--threads=id", one).stdout == f"test;test/{PID};[overflow] 3\n"


def test_a_counter_is_chosen_by_name(tmp_path):
    one = make(tmp_path / "one", 3)
    assert flametrap("fold", "--counter", "task-clock", one).stdout == "test;[overflow] 3\n"


def test_the_other_counters_are_named_on_standard_error(tmp_path):
    one = Spool(PID)
    one.node(2, None, 3)
    one.write(tmp_path / "one")
    one.header.counter[0].name = b"cycles"
    one.write(tmp_path / "two")
    done = flametrap("fold", tmp_path / "one", tmp_path / "two")
    assert done.stdout == "test;[overflow] 3\n"
    assert done.stderr == ("flametrap: writing counter task-clock; choose another with "
                           "--counter: cycles\n")


def test_a_full_standard_output_is_an_error(tmp_path):
    one = make(tmp_path / "one", 3)
    for words in (["fold", one], ["report", one], ["list"], ["doctor"], ["help"]):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = flametrap(*words, stdout=full)
        assert done.returncode == 1 and "standard output" in done.stderr
        assert done.stderr.endswith(": No space left on device\n")


def test_report_shows_tables_of_spools_and_folded_files(tmp_path):
    one = make(tmp_path / "one", 3)
    (tmp_path / "folded").write_text("cmd;main;leaf 30\ncmd;main 10\n")
    done = flametrap("report", one, tmp_path / "folded")
    assert done.returncode == 0 and done.stderr == ""
    assert "samples    3 by sigtrap" in done.stdout
    assert "100.00 % 100.00 %              3  [overflow]" in done.stdout
    assert " 75.00 %  75.00 %             30  leaf" in done.stdout
    assert " 25.00 % 100.00 %             10  main" in done.stdout


def test_memory_that_runs_out_anywhere_is_an_error_and_never_a_crash(tmp_path):
    """From less than the first table needs to more than all of it."""
    spool = Spool(PID)
    spool.module("/lib/x86_64-linux-gnu/libc.so.6", 2**32, 2**33, 2**32)
    for start in range(20000):
        node = None
        for depth in range(10):
            node = spool.node(2**32 + 0x28000 + (start * 271 + depth * 64) % 0x150000, node, 1)
    spool.write(tmp_path / "one")
    whole = flametrap("fold", tmp_path / "one").stdout
    statuses = []
    for megabytes in range(12, 120, 6):
        done = subprocess.run(
            ["prlimit", f"--as={megabytes * 1000000}", COMMAND, "fold",
             tmp_path / "one"], capture_output=True, text=True, check=False)
        statuses.append(done.returncode)
        if done.returncode == 127:
            continue  # not even its libraries fit
        assert done.returncode in (0, 1), done
        if done.returncode == 1:
            assert done.stderr == f"flametrap: {tmp_path}/one: Cannot allocate memory\n"
        elif done.stdout != whole:
            # Without memory for a symbol table its functions have no names; samples stay.
            assert sum(int(line.rpartition(" ")[2]) for line in done.stdout.splitlines()) == 200000
    assert 1 in statuses and 0 in statuses


EVENTS = ["-e", "task-clock", "-c", str(PERIOD_NS)]


def folded_alone(*spools):
    done = execute([COMMAND, "fold", *spools], clean_environment())
    assert (done.status, done.stderr) == (0, b"")
    return done.stdout


def test_a_run_keeps_its_spool_and_the_same_stacks_come_of_it(profiler):
    result, files = profiler.launched([*EVENTS, "--format", "folded,spool"], [target("burn"), 50])
    spool, = (name for name in files if name.endswith(".spool"))
    assert set(files) == {"profile.folded", spool}
    assert spool in result.stderr.decode()
    path = next(profiler.folder.glob(f"launch-*/{spool}"))
    assert folded_alone(path) == files["profile.folded"].encode()
    assert path.stat().st_size < 1 << 20  # and not its bound of 64 MB
    report = execute([COMMAND, "report", "--by", "thread", "--json", path], clean_environment(),
                     status=0)
    assert json.loads(report.stdout)
    gone = execute([COMMAND, "recover", path.parent], clean_environment())
    assert gone.stdout == b"no spools\n"  # what was kept is no left-over
    assert path.exists()


def test_each_process_has_its_own(profiler):
    result, files = profiler.launched([*EVENTS, "--format", "folded,spool"],
                                      [target("workers"), 5, 20])
    assert result.status == 0
    spools = [name for name in files if name.endswith(".spool")]
    assert len(spools) == 6
    assert b"profile.*.spool" in result.stderr
    folder = next(profiler.folder.glob("launch-*"))
    merged = folded_alone(*(folder / name for name in spools))
    assert Folded(merged.decode()).total == Folded(files["profile.folded"]).total


def test_a_preloaded_program_keeps_its_own_and_replaces_none(tmp_path):
    settings = {"LD_PRELOAD": str(LIBRARY), "FLAMETRAP_EVENTS": "task-clock",
                "FLAMETRAP_PERIOD": str(PERIOD_NS), "FLAMETRAP_FORMAT": "folded,spool",
                "FLAMETRAP_OUTPUT": str(tmp_path / "out")}
    # the second image has the pid of the first
    burn = str(target("burn"))
    script = ("import os, time\nwhile time.thread_time() < 0.05:\n    pass\n"
              f"os.execv({burn!r}, [{burn!r}, '30'])")
    run([program("python3"), "-S", "-c", script], tmp_path, **settings)
    spools = sorted(tmp_path.glob("out.*.spool"))
    assert len(spools) == 2 and {"-2.spool" in str(path) for path in spools} == {True, False}
    assert folded_alone(*spools).decode() == (tmp_path / "out.folded").read_text(encoding="utf-8")


def test_a_profile_of_nothing_but_samples(profiler):
    result, files = profiler.launched([*EVENTS, "--format", "spool"], [target("burn"), 20])
    assert result.stdout == b"ok\n"
    assert [name.rpartition(".")[2] for name in files] == ["spool"]
