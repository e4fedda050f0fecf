"""Code that is made at run time has the names its maker gives it, wherever it leaves them."""

import os
import pathlib
import shutil
import subprocess

import pytest

import rights
import runtimes
from running import COMMAND, Folded, clean_environment, execute
from runtimes import maps_are_removed  # pylint: disable=unused-import  # a fixture
from spool_writer import GONE, Spool, ticks_of
from symbol_table import MARK, run

SPINNER = r"(JS|LazyCompile):.spinner"  # node 18 has the latter
RUNS_MAX = 50


def folded_of(folder, *command, interp="merge", preexec=None):
    """Folded stacks of a run whose process may have changed its root and its pid."""
    options = ["--interp", interp, "-e", "task-clock:u", "--lines", "--format", "folded", "-o", folder / "out"]
    plain = execute(command, clean_environment(), cwd=folder, preexec=preexec)
    done = execute([COMMAND, *options, "--", *command], clean_environment(), cwd=folder,
                   preexec=preexec)
    assert (done.status, done.stdout) == (plain.status, plain.stdout) and plain.stdout
    return Folded((folder / "out.folded").read_text(encoding="utf-8", errors="replace"))


def needs_namespaces():
    rights.needs_private_mounts()
    done = subprocess.run(["unshare", "-p", "-f", "--mount-proc", "true"], check=False,
                          preexec_fn=rights.private_mounts, capture_output=True)
    if done.returncode:
        pytest.skip("namespaces of one's own are not allowed here")


def test_node_s_map_is_found_by_the_pid_it_has_in_its_own_namespace(tmp_path):
    needs_namespaces()
    map_of_1 = pathlib.Path("/tmp/perf-1.map")
    map_of_1.unlink(missing_ok=True)
    node, script = runtimes.node(tmp_path)
    folded = folded_of(tmp_path, "unshare", "-p", "-f", "--mount-proc", node,
                       "--perf-basic-prof", script, preexec=rights.private_mounts)
    map_of_1.unlink(missing_ok=True)
    named = folded.inclusive(rf"{SPINNER} .*_\[j\]")
    assert named > 0


def test_node_s_jitdump_is_read_with_its_lines(tmp_path):
    """As often as it takes: of some code node 18 writes the file's name from memory it has given
    up."""
    node, script = runtimes.node(tmp_path)
    for _ in range(RUNS_MAX):
        folded = folded_of(tmp_path, node, "--perf-prof", script)
        assert folded.inclusive(rf"{SPINNER} .*_\[j\]") > 0
        lined = folded.inclusive(rf"{SPINNER} .*:spin\.js:\d+_\[j\]")
        if lined:
            break
    lines = "|".join(map(str, runtimes.NODE_LINES))
    assert folded.inclusive(rf"{SPINNER} .*:spin\.js:({lines})_\[j\]") == lined > 0


def test_python_s_trampolines_name_its_functions(tmp_path):
    python, script = runtimes.python(tmp_path, runtimes.python_with_trampolines())
    folded = folded_of(tmp_path, python, "-X", "perf", script, interp="no")
    assert folded.inclusive(r"py::spinner:.*_\[j\]") > 0


def test_a_running_process_s_map_is_read_in_its_own_tmp(tmp_path):
    needs_namespaces()
    script = (f"mount -t tmpfs none /tmp; echo {MARK:x} 20 inside >/tmp/perf-$$.map; "
              "echo $$; read -r line")
    child = subprocess.Popen(["unshare", "-p", "-f", "--mount-proc", "sh", "-c", script],
                             preexec_fn=rights.private_mounts, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    try:
        pid = int(child.stdout.readline())
        outside, = run("pgrep", "-P", str(child.pid)).split()
        spool = Spool(pid, start_ticks=ticks_of(outside))
        spool.node(MARK, None, 3)
        spool.header.state = 1
        spool.write(tmp_path / "one.spool")
        assert run(COMMAND, "fold", tmp_path / "one.spool") == "test;inside_[j] 3\n"
        spool.header.start_ticks += 1  # pylint: disable=no-member  # another process, which had that pid before
        spool.write(tmp_path / "one.spool")
        assert "inside" not in run(COMMAND, "fold", tmp_path / "one.spool")
    finally:
        child.communicate()


def test_a_dump_is_believed_from_its_owner_only(tmp_path):
    corpus = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "corpus" / "jitdump"
    pid = GONE + os.getpid() % 4000
    data = bytearray((corpus / "lines").read_bytes())
    data[20:24] = pid.to_bytes(4, "little")
    dump = tmp_path / f"jit-{pid}.dump"
    dump.write_bytes(data)
    spool = Spool(pid)
    spool.header.directory = str(tmp_path).encode()
    for address in (0x9000, 0x9008, 0x1000):
        spool.node(address, None, 1)
    spool.write(tmp_path / "one.spool")
    assert run(COMMAND, "fold", tmp_path / "one.spool") == "test;f_[j] 2\ntest;g_[j] 1\n"
    assert run(COMMAND, "fold", "--lines", tmp_path / "one.spool") == \
        "test;f:a.js:3_[j] 1\ntest;f:a.js:4_[j] 1\ntest;g_[j] 1\n"
    if os.geteuid() == 0:
        shutil.chown(dump, 12345, 12345)
        assert run(COMMAND, "fold", tmp_path / "one.spool") == "test;[unknown] 3\n"
