"""The documents, the commands that they show, and a folder in which these can be run."""

import os
import re
import shlex
import shutil
import subprocess

from running import BUILD, COMMAND, LIBRARY, ROOT, clean_environment, execute, target

LIMIT_S = 300


def pages():
    found = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md",
                                      "SECURITY.md")] + sorted((ROOT / "docs").glob("*.md"))
    return [page for page in found if page.exists()]


def section(page, heading):
    """The text below a heading, up to the next."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert len(found) == 1, heading
    return found[0]


def blocks(text):
    """[(what it needs, [command, …]), …] of the blocks of shell commands in a text."""
    found = []
    for needs, body in re.findall(r"^```sh *([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        lines = [line.partition("  #")[0].rstrip() for line in body.splitlines()]
        found.append((needs, [line for line in lines if line and not line.startswith("#")]))
    return found


def spans(text):
    """Commands of ours that stand inside sentences, on one line each."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def kept_spool(folder):
    """A spool as a run of the program that the documents call ./app keeps it."""
    execute([COMMAND, "--log", "quiet", "--format", "spool", "-o", folder / "app",
             target("recipes")], clean_environment(), limit_s=LIMIT_S, status=0)
    return next(folder.glob("app.*.spool"))


class World:
    """A folder with what the documents name: programs, profiles, and processes that sleep."""

    def __init__(self, folder, spool):
        self.folder = folder
        self.environment = clean_environment(
            PATH=f"{BUILD}:{os.environ['PATH']}", FLAMETRAP_SPOOL=str(folder / "spools"))
        self.children = []
        (folder / "spools").mkdir()
        shutil.copy(target("recipes"), folder / "app")
        for name in ("server", "old", "new", "base", "head"):
            shutil.copy(target("recipes"), folder / name)
        (folder / "data").write_text("data\n")
        shutil.copy(spool, folder / "app.spool")
        (folder / "Makefile").write_text("all: ; ./app\n")
        (folder / "app.py").write_text("import json\nfor i in range(200):\n"
                                       "    json.dumps([list(range(300))], indent=1)\n")
        (folder / "app.js").write_text("for (let i = 0, n = 0; i < 1e7; i++) n += i % 7;\n")
        for name, compute, zeros in (("before", 70, 30), ("after", 40, 60)):
            for run, more in (("", 0), ("-1", 1), ("-2", 2)):
                (folder / f"{name}{run}.folded").write_text(
                    f"app;main;compute {compute + more}\napp;main;read_zeros {zeros}\n")

    def sleeper(self):
        """The PID of a preloaded process that waits and is not sampled yet."""
        settings = dict(self.environment, LD_PRELOAD=str(LIBRARY), FLAMETRAP_START="paused",
                        FLAMETRAP_FORMAT="folded", FLAMETRAP_EVENTS="task-clock")
        child = subprocess.Popen(["/bin/sh", "-c", "echo; read line"], env=settings,
                                 cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.read(1)  # from here on its spool is there
        self.children.append(child)
        return child.pid

    def end(self):
        for child in self.children:
            child.communicate(b"\n", timeout=LIMIT_S)

    def run(self, line):
        """Run one line of a shell as a reader would."""
        for at, number in enumerate(("1234", "1235")):
            if number in line:
                while len(self.children) <= at:
                    self.sleeper()
                line = line.replace(number, str(self.children[at].pid))
        line = line.replace("/usr/local/lib/libflametrap.so", str(LIBRARY))
        line = line.replace("/dev/shm/flametrap.", "spools/flametrap.")
        # The program that the documents profile for seconds runs for a twentieth of that.
        line = re.sub(r"(--(?:before-)?(?:from|to)) (\d)\b", r"\1 \g<2>0ms", line)
        line = re.sub(r"^flametrap ab( -n \d+)?", "flametrap ab -n 3", line)
        # Without a directory, or in /dev/shm, it would also take what other programs left.
        line = re.sub(r"(flametrap recover( --list)?)( /dev/shm)?$", r"\1 spools", line)
        if re.search(r"spools/flametrap|flametrap list", line) and not self.children:
            self.sleeper()
        return execute(["/bin/sh", "-c", line], self.environment, cwd=self.folder,
                       limit_s=LIMIT_S)


def lacking(line):
    """The first program of a line that is not here; None if all are."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;")
    lexer.whitespace_split = True
    first = True
    for word in lexer:
        if first and not re.match(r"[A-Z_]+=|\./", word):
            if word != COMMAND.name and not shutil.which(word):
                return word
            first = False
        elif not first:
            first = word in ("&&", "|", ";", "||")
        elif word.startswith("./"):
            first = False
    return None
