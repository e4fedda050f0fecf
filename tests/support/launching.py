"""Running programs under the command."""

import re
import subprocess

import pytest

from running import COMMAND, LIMIT_S, Folded, clean_environment

SUMMARY = re.compile(
    r"flametrap: (?P<samples>[\d,]+) samples? \((?P<how>[^)]*)\), (?P<threads>\d+) threads?, "
    r"(?P<processes>\d+) process(es)?, (?P<lost>[\d,]+) lost, overhead (?P<overhead>\d+\.\d) %"
    r"(?P<rest>[^\n]*), wrote (?P<files>[^\n]*)\n")

# execvp says EACCES for a name that is nowhere if one of the folders may not be searched.
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def run(argv, folder, preexec=None, stdin=b"", status=None, **settings):
    """How it ended, with this status if one is named; the settings are of its environment."""
    environment = clean_environment(**{"PATH": PATH, **settings})
    done = subprocess.run([str(word) for word in argv], env=environment, cwd=folder, input=stdin,
                          capture_output=True, check=False, timeout=LIMIT_S, preexec_fn=preexec)
    assert status in (None, done.returncode), (done.returncode, done.stderr)
    return done


def flametrap(*words, settings=None, status=None, **options):
    """The command with these words and nothing to read, in a clean environment with these settings;
    it ends with this status, if one is named.  Its output is text, but with text=False; other
    options are those of subprocess.run."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([COMMAND, *words], check=False, **{
        "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": LIMIT_S,
        "env": clean_environment(**(settings or {})), **options})
    assert status in (None, done.returncode), (done.returncode, done.stderr)
    return done


def folded(*words, **options):
    """The stacks that flametrap fold prints."""
    return Folded(flametrap("fold", *words, status=0, **options).stdout)


def static_program(folder, source):
    """A program that LD_PRELOAD does not reach; without a static C library the test is skipped."""
    built = subprocess.run(["cc", "-O1", "-static", "-x", "c", "-", "-o", folder / "static"],
                           input=source.encode(), capture_output=True, check=False)
    if built.returncode:
        pytest.skip("no static C library to link with")
    return folder / "static"


def launch(folder, *argv, **options):
    """A profile named `profile` in the folder, spools beside it to see that they go."""
    spool = folder / "spools"
    spool.mkdir(exist_ok=True)
    return run([COMMAND, "-e", "task-clock", "--spool", spool, "-o", folder / "profile", *argv],
               folder, **options)


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def spools_in(folder):
    """Also those of root's runs, which are in a directory below that of the run."""
    return sorted(path.name for path in folder.rglob("*.spool"))


def one_line(done):
    text = done.stderr.decode()
    assert text.count("\n") == 1 and text.startswith("flametrap: "), text
    return text
