"""fold and report merge spools and folded files, and refuse what they cannot read."""

import os
import subprocess

from launching import flametrap
from running import COMMAND
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
    done = flametrap("fold", "--counter", "cycles", one)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == "flametrap: no spool given has a counter cycles\n"


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


def test_wrong_usage_is_status_2(tmp_path):
    one = make(tmp_path / "one", 3)
    for arguments in ([], ["--nonsense", one], ["--weight", "kilos", one], ["--threads"]):
        for verb in ("fold", "report"):
            done = flametrap(verb, *arguments)
            assert done.returncode == 2 and done.stdout == "" and done.stderr, (verb, arguments)
    assert flametrap("report", "--rows", "-1", one).returncode == 2
    assert flametrap("recover", "a", "b").returncode == 2
    assert flametrap("finish").returncode == 2
    assert "usage" in flametrap("fold", "--help").stdout


def test_a_file_that_is_not_there_is_status_1(tmp_path):
    for verb in ("fold", "report"):
        done = flametrap(verb, tmp_path / "nowhere")
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr == f"flametrap: {tmp_path}/nowhere: No such file or directory\n"


def test_a_damaged_spool_is_folded_as_far_as_it_goes(tmp_path):
    one = make(tmp_path / "one", 3)
    os.truncate(one, os.path.getsize(one) - 100)
    done = flametrap("fold", one)
    assert done.returncode == 0 and done.stdout == "test;[overflow] 3\n"
    assert f"{one}: byte {os.path.getsize(one)}: the file ends here" in done.stderr


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
