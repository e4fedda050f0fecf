"""The rules of the house that no compiler checks; each breach is one line FILE:LINE: text."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE_LINES = 400
FUNCTION_LINES = 60

IN_TARGET = re.compile(r"^(config/|runtime/sample/|preload/)")
SYSTEM_CALL = re.compile(
    r"(?<![\w.>])(syscall|open|openat|creat|read|pread|write|pwrite|close|dup2?|mmap|munmap"
    r"|mprotect|madvise|ioctl|fcntl|ftruncate|fallocate|unlink|rename|prctl|getrusage|sigaltstack"
    r"|rt_sigaction|tgkill|timer_create|timer_settime|getrandom|perf_event_open)\s*\(")
ENVIRONMENT = re.compile(r"(?<!\w)(getenv|secure_getenv|putenv|setenv|unsetenv)\s*\(")
# A build of the tree from elsewhere must not need, or mention, what is not in it.
STRANGERS = re.compile(r"/work/|(?<!\w)shared/|(?<![\w-])(design|interface|style|field|unwind|emulated-pmu)\.md")
# How a file begins that says what it is for; a script has its interpreter before that.
HEADS = ((re.compile(r"\.(c|h|cc|cpp|m?js)$"), ("/*", "// ")), (re.compile(r"\.py$"), ('"""',)),
         (re.compile(r"\.(sh|mk)$|(^|/)Makefile$"), ("# ",)))
SOURCE = re.compile(r"^(config|preload|runtime)/.*/(\w+?)(_x86_64|_aarch64)?\.[ch]$")


def tracked():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode == 0:
        return done.stdout.decode().split()
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
            if path.is_file() and "build" not in path.parts]


def code_lines(text):
    """Lines with comments and string contents blanked, so that prose is not taken for code."""
    def blank(match):
        found = match[0]
        if found.startswith('"'):
            return '"' + " " * (len(found) - 2) + '"'
        return re.sub(r"[^\n]", " ", found)
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)
    return text.split("\n")


def check_calls(name, lines):
    for number, line in enumerate(lines, 1):
        if ENVIRONMENT.search(line) and IN_TARGET.match(name) and name != "config/settings/env.c":
            yield number, "the environment is read in config/settings/env.c only"
        match = SYSTEM_CALL.search(line)
        if match and line[0].isspace() and IN_TARGET.match(name) and name.endswith(".c") \
                and not name.startswith("runtime/sample/sys/"):
            yield number, f"{match[1]}: system calls are made in runtime/sample/sys only"


def check_sizes(lines):
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start:
            length = number - start - 1
            if length > FUNCTION_LINES:
                yield start, f"a function of {length} lines (at most {FUNCTION_LINES})"
            start = None


def check_header(name):
    command = [*shlex.split(os.environ.get("CC", "cc")),
               *shlex.split(os.environ.get("CPPFLAGS", "-I. -D_GNU_SOURCE")),
               "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, cwd=ROOT, input=f'#include "{name}"\n#include "{name}"\n'.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        yield 1, "does not compile alone:\n" + done.stdout.decode()


def check_head(name, lines):
    script = lines[0].startswith("#!")
    first = lines[script] if len(lines) > script else ""
    heads = next((heads for names, heads in HEADS if names.search(name)), ("# ",) if script else ())
    if heads and not first.startswith(heads):
        yield 1, "does not begin with a comment that says what it is for"


def twins(names):
    """Sources of one name, for each of which a reader may take the other; a header with its sources,
    and their variants for processors, are one."""
    found = {}
    for name in names:
        match = SOURCE.match(name)
        if match:
            found.setdefault(match[2], set()).add(name.rpartition("/")[0])
    for name, folders in sorted(found.items()):
        if len(folders) > 1:
            yield f"{name}: one name for files in {' and '.join(sorted(folders))}"


def check_file(name):
    try:
        text = (ROOT / name).read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError):
        return
    lines = text.split("\n")
    if re.search(r"\.(c|h|cpp|py|sh|m?js|mk)$", name) or name == "Makefile":
        if len(lines) - 1 > FILE_LINES:
            yield FILE_LINES, f"{len(lines) - 1} lines (at most {FILE_LINES})"
    if name != "tests/lint_source.py":
        for number, line in enumerate(lines, 1):
            if STRANGERS.search(line):
                yield number, "names a file that is not part of the project"
    yield from check_head(name, lines)
    if name.endswith((".c", ".h")):
        code = code_lines(text)
        yield from check_calls(name, code)
        yield from check_sizes(code)
    if name.endswith(".h") and not name.startswith("tests/"):
        yield from check_header(name)


def main():
    names = tracked()
    breaches = 0
    for text in twins(names):
        print(text, file=sys.stderr)
        breaches += 1
    for name in names:
        for number, text in check_file(name):
            print(f"{name}:{number}: {text}", file=sys.stderr)
            breaches += 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
