"""Code that is made at run time has the names its maker gives it, wherever it leaves them."""

import os
import pathlib
import shutil
import subprocess

import pytest

import rights
from running import COMMAND, Folded, clean_environment, execute, program
from spool_writer import Spool
from symbol_table import MARK, PID, run

SCRIPT = """
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
LINES = range(2, 7)  # of spinner
SPINNER = r"(JS|LazyCompile):.spinner"  # node 18 has the latter
RUNS_MAX = 50


def folded_of(folder, *command, preexec=None):
    """Folded stacks of a run whose process may have changed its root and its pid."""
    (folder / "spin.js").write_text(SCRIPT, encoding="ascii")
    options = ["-e", "task-clock:u", "--lines", "--format", "folded", "-o", folder / "out"]
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


def remove_map(pid):
    pathlib.Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)


def test_node_s_map_is_found_by_the_pid_it_has_in_its_own_namespace(tmp_path):
    needs_namespaces()
    if os.path.exists("/tmp/perf-1.map"):
        remove_map(1)
    folded = folded_of(tmp_path, "unshare", "-p", "-f", "--mount-proc", program("node"),
                       "--perf-basic-prof", "spin.js", preexec=rights.private_mounts)
    remove_map(1)
    named = folded.inclusive(rf"{SPINNER} .*_\[j\]")
    assert named > 0


def test_node_s_jitdump_is_read_with_its_lines(tmp_path):
    """As often as it takes: of some code node 18 writes the file's name from memory it has given
    up."""
    for _ in range(RUNS_MAX):
        folded = folded_of(tmp_path, program("node"), "--perf-prof", "spin.js")
        assert folded.inclusive(rf"{SPINNER} .*_\[j\]") > 0
        lined = folded.inclusive(rf"{SPINNER} .*:spin\.js:\d+_\[j\]")
        if lined:
            break
    lines = "|".join(map(str, LINES))
    assert folded.inclusive(rf"{SPINNER} .*:spin\.js:({lines})_\[j\]") == lined > 0


def python_with_trampolines():
    for version in ("3.12", "3.13"):
        for path in (f"/usr/bin/python{version}",
                     *pathlib.Path("/root/.pyenv/versions").glob(f"{version}.*/bin/python3")):
            if os.access(path, os.X_OK):
                return path
    return pytest.skip("no python from 3.12 on is installed: Debian 12 has 3.11")


def test_python_s_trampolines_name_its_functions(tmp_path):
    (tmp_path / "spin.py").write_text("def spinner(n):\n    return sum(i * i for i in range(n))\n"
                                      "print(spinner(3000000))\n", encoding="ascii")
    folded = folded_of(tmp_path, python_with_trampolines(), "-X", "perf", "spin.py")
    for path in pathlib.Path("/tmp").glob("perf-*.map"):
        if "spin.py" in path.read_text(encoding="utf-8", errors="replace"):
            path.unlink()
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
        stat = pathlib.Path(f"/proc/{outside}/stat").read_text(encoding="ascii")
        spool = Spool(pid, start_ticks=int(stat.rsplit(")", 1)[1].split()[19]))
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
    pid = PID + os.getpid() % 4000
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
