"""Programs whose code is made while they run, for the tests that ask for its names."""

import contextlib
import fcntl
import os
import pathlib

import pytest

from running import COMMAND, Folded, clean_environment, execute, program

NODE = """
function spinner(n) {
    let sum = 0;
    for (let i = 0; i < n; i++)
        sum = (sum * 1664525 + i) % 4294967291;
    return sum;
}
let all = 0;
for (let i = 0; i < 100; i++)
    all += spinner(1e6);
console.log(all);
"""
NODE_LINES = range(2, 7)  # of spinner
JAVA = """
public class Spin {
    static long spinner(long n) {
        long sum = 0;
        for (long i = 0; i < n; i++)
            sum = (sum * 1664525 + i) % 4294967291L;
        return sum;
    }
    public static void main(String[] arguments) {
        long all = 0;
        for (int i = 0; i < 300; i++)
            all += spinner(1000000);
        System.out.println(all);
    }
}
"""
PYTHON = "def spinner(n):\n    return sum(i * i for i in range(n))\nprint(spinner(4000000))\n"
VARIABLES = ("NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "PYTHONPERFSUPPORT", "DOTNET_PerfMapEnabled")


def node(folder):
    """The words that run it there."""
    (folder / "spin.js").write_text(NODE, encoding="ascii")
    return program("node"), "spin.js"


def java(folder):
    (folder / "Spin.java").write_text(JAVA, encoding="ascii")
    built = execute([program("javac"), "Spin.java"], clean_environment(), cwd=folder)
    if built.status:
        pytest.skip("javac does not work here: " + built.stderr.decode()[:200])
    flags = execute([program("java"), "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintFlagsFinal",
                     "-version"], clean_environment())
    if b"DumpPerfMapAtExit" not in flags.stdout:
        pytest.skip("this java has no -XX:+DumpPerfMapAtExit, which came with JDK 17")
    return program("java"), "Spin"


def python(folder, path):
    (folder / "spin.py").write_text(PYTHON, encoding="ascii")
    return path, "spin.py"


def python_with_trampolines():
    for version in ("3.12", "3.13"):
        for path in (f"/usr/bin/python{version}",
                     *pathlib.Path("/root/.pyenv/versions").glob(f"{version}.*/bin/python3")):
            if os.access(path, os.X_OK):
                return path
    return pytest.skip("no python from 3.12 on is installed: Debian 12 has 3.11")


@pytest.fixture(autouse=True)
def maps_are_removed(tmp_path_factory):
    """By the last of the workers that run such tests: another's program may have ended, while its map is
    still to be read."""
    def maps():
        return set(pathlib.Path("/tmp").glob("perf-*.map"))
    before = maps()
    with open(tmp_path_factory.getbasetemp() / "maps", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for path in maps() - before:
                if any(name in path.read_text("utf-8", "replace") for name in ("spinner", "spin.py")):
                    path.unlink()


def without_them(**more):
    """The environment of the tests, but for what --runtimes, or the search for names, finds there."""
    environment = clean_environment()
    for name in (*VARIABLES, "DEBUGINFOD_URLS"):
        environment.pop(name, None)
    return {**environment, **more}


def profile(folder, *argv, **environment):
    """Run under the command: (how it ended, folded stacks)."""
    done = execute([COMMAND, "-e", "task-clock:u", "--format", "folded", "-o", folder / "out", *argv],
                   without_them(**environment), cwd=folder)
    return done, Folded((folder / "out.folded").read_text("utf-8", "replace"))
