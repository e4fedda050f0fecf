"""What a start leaves out, and that of a forked child, as strace sees it."""

import os
import re
import shutil
import subprocess

import pytest

from running import COMMAND, LIBRARY, clean_environment, execute, program, target

LONG_NS = "1000000000000"  # no first period ends in so short a run
TRIAL = '"/dev/zero"'
POPULATED = re.compile(r"madvise\(\w+, (\d+), (?:MADV_POPULATE_WRITE|0x17\b).*= 0$")


def calls(tmp_path, *argv, before=()):
    """The system calls of a command's own process, a line for each."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    done = subprocess.run([*before, "strace", "-o", tmp_path / "calls", *argv],
                          env=clean_environment(), check=False, timeout=300,
                          stderr=subprocess.DEVNULL)
    assert done.returncode == 0
    return (tmp_path / "calls").read_text("utf-8").splitlines()


def by_process(path):
    """The lines of each process in what strace -f wrote."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        found.setdefault(line.split()[0], []).append(line)
    return list(found.values())


def calls_of(tmp_path, *before):
    """Those of a preloaded /bin/true."""
    return calls(tmp_path, "-E", f"LD_PRELOAD={LIBRARY}", "-E", f"FLAMETRAP_OUTPUT={tmp_path}/x",
                 "-E", "FLAMETRAP_EVENTS=task-clock", "-E", "FLAMETRAP_LOG=quiet", "/bin/true",
                 before=before)


def test_only_a_kernel_older_than_6_11_is_tried_for_calls_it_interrupts(tmp_path):
    """A kernel that calls itself 2.6, which setarch makes it do, is tried."""
    if not shutil.which("setarch"):
        pytest.skip("setarch is not installed")
    older = calls_of(tmp_path, "setarch", "--uname-2.6")
    if not any(TRIAL in call for call in older):
        pytest.skip("the kernel side of programs may not be sampled here")
    version, patch_level = map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
    tried = [call for call in calls_of(tmp_path) if TRIAL in call]
    assert len(tried) == ((version, patch_level) < (6, 11))


def test_a_profile_without_samples_takes_few_pages(tmp_path):
    """Those of its header and of chunks for its modules, its first thread and first stacks."""
    found = [int(POPULATED.search(call)[1]) for call in calls_of(tmp_path) if POPULATED.search(call)]
    if not found:
        pytest.skip("the kernel is older than MADV_POPULATE_WRITE (5.14)")
    assert sum(found) <= 11 * 4096


def test_arguments_are_read_where_they_lie(tmp_path):
    assert not [call for call in calls_of(tmp_path) if "/cmdline" in call]


def test_the_command_reads_the_head_of_the_program_once(tmp_path):
    run = calls(tmp_path, COMMAND, "-e", "task-clock", "-o", tmp_path / "run", "/bin/true")
    at = next(i for i, call in enumerate(run) if re.search(r'openat\(.*"/bin/true"', call))
    reads = [call for call in run[at:run.index(next(
        call for call in run[at:] if call.startswith("close(")))] if call.startswith("pread")]
    # the second: where it keeps the names of its libraries lies farther back
    assert 1 <= len(reads) <= 2


def test_the_command_asks_for_no_kernel_of_a_profile_without_samples(tmp_path):
    run = calls(tmp_path, COMMAND, "-e", "task-clock", "-c", LONG_NS, "-o", tmp_path / "run",
                "/bin/true")
    assert not [call for call in run if "timens_offsets" in call]


def test_the_loader_is_asked_for_no_name_that_only_libc_has(tmp_path):
    """Nor for what libunwind calls: ld.so(8), LD_DEBUG."""
    env = clean_environment() | {
        "LD_PRELOAD": str(LIBRARY), "LD_DEBUG": "bindings",
        "LD_DEBUG_OUTPUT": str(tmp_path / "bound"), "FLAMETRAP_OUTPUT": str(tmp_path / "x"),
        "FLAMETRAP_EVENTS": "task-clock", "FLAMETRAP_LOG": "quiet"}
    subprocess.run(["/bin/true"], env=env, check=True, timeout=300)
    text = "".join(path.read_text("utf-8") for path in tmp_path.glob("bound.*"))
    asked = re.findall(r"binding file (\S+) .* normal symbol `(\w+)'$", text, re.MULTILINE)
    ours = {name for path, name in asked if path == str(LIBRARY)}
    assert not ours, "what is found by dlsym(3) has no version"
    names = {name for path, name in asked if path.endswith("/libc.so.6")}
    assert "_dl_find_object" in names
    assert not names & {"memcpy", "strlen", "pthread_mutex_lock", "dl_iterate_phdr"}


def test_the_only_thread_needs_no_file_for_its_name(tmp_path):
    assert not [call for call in calls_of(tmp_path) if "/comm" in call]


def test_the_kernel_s_own_clock_is_not_tried_by_the_command(tmp_path):
    """Another event is: what strace shows is what the command does."""
    def tried(event):
        run = calls(tmp_path, COMMAND, "-e", event, "-o", tmp_path / "run", "/bin/true")
        return sum(call.startswith("perf_event_open(") for call in run)

    if not tried("page-faults"):
        pytest.skip("no counters here")
    assert tried("task-clock") == 0


def children(tmp_path):
    """The system calls of each of four forked children that end at once."""
    calls(tmp_path, "-f", "-E", f"LD_PRELOAD={LIBRARY}", "-E", f"FLAMETRAP_OUTPUT={tmp_path}/x",
          "-E", f"FLAMETRAP_SPOOL={tmp_path}", "-E", "FLAMETRAP_COLLECT=1",
          "-E", "FLAMETRAP_EVENTS=task-clock", target("workers"), "4", "0")
    found = [lines for lines in by_process(tmp_path / "calls")
             if not any(" execve(" in line for line in lines)]
    assert len(found) == 4
    assert all(any("perf_event_open(" in line or "timer_create(" in line for line in lines)
               for lines in found)
    return found


def test_a_forked_child_does_not_read_what_its_parent_knows(tmp_path):
    """Its start it may have to look up, where the fork was in the middle of a clock tick."""
    opened = {path for lines in children(tmp_path) for line in lines
              for path in re.findall(r'openat?\([^"]*"(/proc/[^"]*)"', line)}
    assert opened <= {"/proc/self/stat"}


def test_a_forked_child_looks_for_no_image_before_it(tmp_path):
    assert not [line for lines in children(tmp_path) for line in lines if '.0.spool"' in line]


def test_a_forked_child_without_samples_takes_fewer_pages(tmp_path):
    """Those of its header and of a chunk for its thread, if it ends before its first sample."""
    found = [sum(int(POPULATED.search(line)[1]) for line in lines if POPULATED.search(line))
             for lines in children(tmp_path)]
    if not all(found):
        pytest.skip("the kernel is older than MADV_POPULATE_WRITE (5.14)")
    assert min(found) <= 7 * 4096


def test_what_each_fork_writes_lies_in_one_page():
    """readelf's line of the section: name, type, address, offset, size, …"""
    found = execute([program("readelf"), "-SW", LIBRARY], clean_environment())
    line = re.search(r"written_by_fork\s+\w+\s+(\w+)\s+\w+\s+(\w+)", found.stdout.decode())
    address, size = (int(word, 16) for word in line.groups())
    assert size and address // 4096 == (address + size - 1) // 4096
