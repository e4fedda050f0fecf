"""Whatever a name holds, and wherever it comes from, nothing that a terminal acts on is printed."""

import os
import re
import subprocess

import pytest

from running import COMMAND, LIBRARY, clean_environment
from spool_writer import GONE, RUNNING, Counter, Spool, ticks_of
from terminals import on_terminal

LIMIT_S = 300
NASTY = b"z\x1b[2J\x9b1m\xc2\x9b1m\x07\x7f\xe2\x80\xae"  # ESC, CSI twice, BEL, DEL, right to left
NAME = NASTY[:15]  # of a process or thread
SAFE = re.compile("[^\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*")


def run(*words, cwd, name=None, stdin=subprocess.DEVNULL, **settings):
    done = subprocess.run([name or COMMAND, *words], executable=COMMAND, capture_output=True,
                          check=False, cwd=cwd, timeout=LIMIT_S, stdin=stdin,
                          env=clean_environment(**settings))
    for text in (done.stdout, done.stderr):
        assert SAFE.fullmatch(text.decode("utf-8")), text
    return done


def spool(folder, path=b"x.spool", pid=GONE, ticks=1, **header):
    """All its texts are nasty."""
    made = Spool(pid, start_ticks=ticks)
    made.header.output = os.fsencode(folder) + b"/out" + NASTY
    made.header.counter_count = 1
    made.header.counter[0] = Counter(name=NASTY, unit=0, flags=8, period=1)
    for field in ("note", "executable", "arguments", "directory"):
        setattr(made.header, field, NASTY)
    made.header.command = NAME
    made.header.host = NASTY
    for field, value in header.items():
        setattr(made.header, field, value)
    made.module(b"/nowhere/" + NASTY, 0x1000, 0x2000, 0)
    made.module(NASTY, 0x3000, 0x4000, 0)
    for pc in (0x1100, 0x3100, 0x9100):
        made.node(pc, None, 3)
    made.write(os.fsencode(folder) + b"/" + path)
    return path


@pytest.fixture
def folder(tmp_path):
    spool(tmp_path)
    (tmp_path / "x.folded").write_bytes(b"app;%s 3\n%s;f 40\n" % (NASTY, NASTY))
    return tmp_path


@pytest.mark.parametrize("by", ["function", "module", "thread", "process", "file", "line"])
def test_report_of_a_spool(folder, by):
    done = run("report", "--by", by, "x.spool", cwd=folder)
    assert done.returncode == 0 and b"z?[2J?1m" in done.stdout


def test_report_and_diff_of_folded_files(folder):
    done = run("report", "x.folded", cwd=folder)
    assert "z\ufffd[2J" in done.stdout.decode()  # as in pictures
    done = run("report", "--function", NASTY, "x.folded", cwd=folder)
    assert b"[2J" in done.stdout
    (folder / "y.folded").write_bytes(b"app;%s 30\n%s;f 4\n" % (NASTY, NASTY))
    done = run("diff", "x.folded", "y.folded", cwd=folder)
    assert done.returncode == 0 and b"[2J" in done.stdout
    spool(folder, b"y.spool", pid=GONE + 1, command=b"other\x1b", output=b"/other",
          parent_pid=1)
    assert b"different commands" in run("report", "x.spool", "y.spool", cwd=folder).stderr
    run("diff", "x.spool", "y.spool", cwd=folder)


def test_names_of_files(folder):
    (folder / os.fsdecode(NASTY)).write_bytes(b"no profile")
    (folder / os.fsdecode(NASTY + b".folded")).write_bytes(b"app;f 1\n")
    (folder / os.fsdecode(NASTY + b".spool")).write_bytes((folder / "x.spool").read_bytes()[:9000])
    for verb in ("report", "fold", "graph", "start", "recover"):
        done = run(verb, NASTY, cwd=folder)
        assert done.returncode == 1 and b"z?[2J" in done.stderr, verb
    for verb in ("report", "graph"):
        done = run(verb, NASTY + b".folded", NASTY + b".spool", NASTY + b".none", cwd=folder)
        assert b"z?[2J" in done.stderr
    run("diff", NASTY + b".folded", "x.folded", cwd=folder)
    run("graph", "x.folded", "-o", b"nowhere/" + NASTY, cwd=folder)


def test_words_that_nobody_knows(folder):
    for words in ((NASTY,), (b"--" + NASTY,), ("report", b"--" + NASTY), ("report", b"--by=" + NASTY),
                  ("help", NASTY), ("-e", NASTY, "true"), ("report", b"--focus=(" + NASTY, "x.folded"),
                  ("graph", b"--width=" + NASTY, "x.folded"), ("help", "--man", NASTY),
                  ("fold", "--counter", NASTY + b"x", "x.spool"), ("run", b"./" + NASTY),
                  ("watch", NASTY, "true"), ("stop", NASTY), ("--spool", NASTY, "true")):
        done = run(*words, cwd=folder)
        assert done.returncode != 0 and done.stderr, words
    run("report", cwd=folder, name=NASTY)


@pytest.mark.parametrize("state", ["running", "killed"])
def test_list_and_recover(tmp_path, state):
    pid, ticks = (os.getpid(), ticks_of(os.getpid())) if state == "running" else (GONE, 1)
    inside = os.fsencode(tmp_path) + b"/" + NASTY
    os.mkdir(inside)
    spool(os.fsdecode(inside), b"flametrap.%d.%d.%s.spool" % (pid, ticks, NASTY), pid=pid, ticks=ticks,
          state=RUNNING)
    settings = {"FLAMETRAP_SPOOL": os.fsdecode(inside)}
    done = run("list", cwd=tmp_path, **settings)
    assert f"{pid} ".encode() in done.stdout
    run("list", "--json", cwd=tmp_path, **settings)
    run("doctor", cwd=tmp_path, **settings)
    if state == "running":
        assert b"z?[2J" in run("stop", str(pid), cwd=tmp_path, **settings).stdout
    done = run("recover", inside, cwd=tmp_path)
    assert b"z?[2J" in done.stdout


NAMED = r"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.prctl(15, os.fsencode(sys.argv[1])[:15], 0, 0, 0)
sum(i * i for i in range(2000000))
"""


@pytest.mark.parametrize("way", ["command", "preload"])
def test_a_program_that_calls_itself_so(tmp_path, way):
    """Its comm and its argv[0], in the summary and in the report of what is left of it."""
    script = tmp_path / "named.py"
    script.write_text(NAMED)
    words = ["/usr/bin/python3", script, NAME]
    stem = os.fsencode(tmp_path) + b"/" + NASTY
    if way == "command":
        done = run("--format", "folded,svg,spool", "-o", stem, *words, cwd=tmp_path)
    else:
        done = subprocess.run([NASTY, *words[1:]], executable=words[0], capture_output=True,
                              check=False, cwd=tmp_path, timeout=LIMIT_S,
                              env=clean_environment(LD_PRELOAD=str(LIBRARY), FLAMETRAP_LOG="info",
                                                    FLAMETRAP_OUTPUT=os.fsdecode(stem),
                                                    FLAMETRAP_FORMAT="folded,spool"))
        assert SAFE.fullmatch(done.stderr.decode("utf-8")), done.stderr
    assert done.returncode == 0, done.stderr
    kept = [name for name in os.listdir(os.fsencode(tmp_path)) if name.endswith(b".spool")]
    assert kept
    run("report", "--by", "thread", *kept, cwd=tmp_path)


@pytest.mark.parametrize("words", [("fold",), ("report", "--csv"), ("report", "--json"),
                                   ("graph", "-o", "-"), ("report",)])
def test_data_is_as_it_is_but_on_a_terminal(folder, words):
    _, shown = on_terminal([COMMAND, *words, "x.folded"], cwd=folder)
    assert SAFE.fullmatch(shown.decode("utf-8")) and b"z" in shown, shown
    done = subprocess.run([COMMAND, "fold", "x.folded"], capture_output=True, check=True,
                          cwd=folder)
    assert NASTY in done.stdout
