"""Code that is made at run time has the names its maker gives it, wherever it leaves them."""

import os
import pathlib
import shutil
import subprocess

import pytest

import rights
import runtimes
from running import COMMAND, Folded, clean_environment, compiled, execute
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


def test_a_map_that_its_process_did_not_see_names_nothing(tmp_path):
    """Two containers may have the same pid, and only one of them our /tmp."""
    pid = GONE + os.getpid() % 4000
    map_of_it = pathlib.Path(f"/tmp/perf-{pid}.map")
    map_of_it.write_text(f"{MARK:x} 20 spin\n", encoding="ascii")
    seen = map_of_it.stat()
    try:
        for device, inode, name in ((0, 0, "spin_[j]"), (seen.st_dev, seen.st_ino, "spin_[j]"),
                                    (seen.st_dev, seen.st_ino + 1, "[unknown]"),
                                    (seen.st_dev + 1, seen.st_ino, "[unknown]"),
                                    (0, 2 ** 64 - 1, "[unknown]")):
            spool = Spool(pid)
            spool.node(MARK, None, 3)
            spool.header.map_device, spool.header.map_inode = device, inode
            spool.write(tmp_path / "one.spool")
            assert run(COMMAND, "fold", tmp_path / "one.spool") == f"test;{name} 3\n"
    finally:
        map_of_it.unlink()


def test_a_container_s_code_has_no_names_of_another_s_map(tmp_path):
    needs_namespaces()
    node, script = runtimes.node(tmp_path)
    other = pathlib.Path("/tmp/perf-1.map")
    mine = tmp_path / "mine.map"
    mine.touch()
    inside = f"mount --bind '{mine}' {other} && exec '{node}' --perf-basic-prof '{script}'"

    def preexec():
        rights.private_mounts()
        other.write_text("1000 ffffffffff other\n", encoding="ascii")
    try:
        folded = folded_of(tmp_path, "unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c", inside,
                           preexec=preexec)
    finally:
        other.unlink(missing_ok=True)
    assert mine.stat().st_size and folded.total and not folded.inclusive("other.*")


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


DUMPER = """
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void (*make(void))(void)
{
	static const unsigned char code[] = {
#ifdef __aarch64__ /* mov w0, #0x8000000; 1: subs w0, w0, #1; b.ne 1b; ret */
		0x00, 0x00, 0xa1, 0x52, 0x00, 0x04, 0x00, 0x71, 0xe1, 0xff, 0xff, 0x54,
		0xc0, 0x03, 0x5f, 0xd6,
#else /* mov $0x8000000, %eax; 1: dec %eax; jne 1b; ret */
		0xb8, 0, 0, 0, 0x08, 0xff, 0xc8, 0x75, 0xfc, 0xc3,
#endif
	};
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(at, code, sizeof(code));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code));
	return (void (*)(void))at;
}

int main(int argc, char **argv)
{
	const long page = sysconf(_SC_PAGESIZE);
	const uint32_t pid = (uint32_t)getpid();
	void (*code)(void) = make();
	struct { uint32_t magic, version, bytes, machine, pad, pid; uint64_t time, flags; } head = {
		0x4A695444, 1, 40, 62, 0, pid, 0, 0 };
	struct {
		uint32_t id, bytes;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, size, index;
		char name[24];
	} load = { 0, sizeof(load), 0, pid, pid, (uintptr_t)code, (uintptr_t)code, 64, 1,
		   "function_from_dump" };
	char path[4096];
	void *marker;
	int fd;

	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)pid);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, &head, sizeof(head)) < 0 || write(fd, &load, sizeof(load)) < 0 ||
	    ftruncate(fd, 2 * page))
		return 1;
	marker = mmap(NULL, (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	for (int i = 0; i < 3; i++)
		code();
	return argc > 2 ? munmap(marker, (size_t)page) : 0;
}
"""


@pytest.mark.parametrize("more", [(), ("unmap",)], ids=["at the end", "unmapped before"])
def test_a_jitdump_is_found_by_its_mapping(more, tmp_path):
    dumper = compiled(tmp_path, "dumper", DUMPER, "-O1")
    for name in ("work", "elsewhere"):
        (tmp_path / name).mkdir()
    subprocess.run([COMMAND, "-e", "task-clock:u", "--format", "folded", "-o", tmp_path / "out",
                    dumper, tmp_path / "elsewhere", *more], check=True,
                   cwd=tmp_path / "work", env=clean_environment(), capture_output=True)
    folded = Folded((tmp_path / "out.folded").read_text())
    assert folded.inclusive(r"function_from_dump_\[j\]") > 0
