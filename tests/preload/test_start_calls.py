"""What a start leaves out, and that of a forked child, and an end, and what pairs of calls that block
signals cost, as strace sees it."""

import collections
import os
import re

import pytest

from running import COMMAND, LIBRARY, program, target, tool

LONG_NS = "1000000000000"  # no first period ends in so short a run
TRIAL = '"/dev/zero"'
POPULATED = re.compile(r"madvise\(\w+, (\d+), (?:MADV_POPULATE_WRITE|0x17\b).*= 0$")


def calls_of(profiler, argv=("/bin/true",), options=(), **settings):
    """The system calls of a sampled program's own process, a line for each."""
    result, lines = profiler.straced(argv, *options, **{"log": "quiet", **settings})
    assert result.status == 0
    return lines


def of_command(profiler, *words):
    """Those of the command, where it runs /bin/true."""
    return calls_of(profiler, [COMMAND, *words, "-o", profiler.folder / "run", "/bin/true"], library=None)


def test_only_a_kernel_older_than_6_11_is_tried_for_calls_it_interrupts(profiler):
    """A kernel that calls itself 2.6, which setarch makes it do, is tried."""
    older = calls_of(profiler, before=[program("setarch"), "--uname-2.6"])
    if not any(TRIAL in call for call in older):
        pytest.skip("the kernel side of programs may not be sampled here")
    version, patch_level = map(int, re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
    tried = [call for call in calls_of(profiler) if TRIAL in call]
    assert len(tried) == ((version, patch_level) < (6, 11))


def test_a_profile_without_samples_takes_few_pages(profiler):
    """Those of its header and of chunks for its modules, its first thread and first stacks."""
    found = [int(POPULATED.search(call)[1]) for call in calls_of(profiler) if POPULATED.search(call)]
    if not found:
        pytest.skip("the kernel is older than MADV_POPULATE_WRITE (5.14)")
    assert sum(found) <= 11 * 4096


def test_arguments_are_read_where_they_lie(profiler):
    assert not [call for call in calls_of(profiler) if "/cmdline" in call]


def test_the_command_reads_the_head_of_the_program_once(profiler):
    run = of_command(profiler, "-e", "task-clock")
    at = next(i for i, call in enumerate(run) if re.search(r'openat\(.*"/bin/true"', call))
    reads = [call for call in run[at:run.index(next(
        call for call in run[at:] if call.startswith("close(")))] if call.startswith("pread")]
    # the second: where it keeps the names of its libraries lies farther back
    assert 1 <= len(reads) <= 2


def test_the_command_asks_for_no_kernel_of_a_profile_without_samples(profiler):
    assert not [call for call in of_command(profiler, "-e", "task-clock", "-c", LONG_NS)
                if "timens_offsets" in call]


def test_the_loader_is_asked_for_no_name_that_only_libc_has(profiler):
    """Nor for what libunwind calls: ld.so(8), LD_DEBUG."""
    more = profiler.preloaded(log="quiet") | {"LD_DEBUG": "bindings",
                                              "LD_DEBUG_OUTPUT": str(profiler.folder / "bound")}
    assert profiler.plain(["/bin/true"], environment=more).status == 0
    text = "".join(path.read_text("utf-8") for path in profiler.folder.glob("bound.*"))
    asked = re.findall(r"binding file (\S+) .* normal symbol `(\w+)'$", text, re.MULTILINE)
    ours = {name for path, name in asked if path == str(LIBRARY)}
    assert not ours, "what is found by dlsym(3) has no version"
    names = {name for path, name in asked if path.endswith("/libc.so.6")}
    assert "_dl_find_object" in names
    assert not names & {"memcpy", "strlen", "pthread_mutex_lock", "dl_iterate_phdr"}


def test_the_only_thread_needs_no_file_for_its_name(profiler):
    assert not [call for call in calls_of(profiler) if "/comm" in call]


def test_the_kernel_s_own_clock_is_not_tried_by_the_command(profiler):
    """Another event is: what strace shows is what the command does."""
    def tried(event):
        return sum(call.startswith("perf_event_open(") for call in of_command(profiler, "-e", event))

    if not tried("page-faults"):
        pytest.skip("no counters here")
    assert tried("task-clock") == 0


def children(profiler):
    """The system calls of each of four forked children that end at once."""
    processes = {}
    for line in calls_of(profiler, [target("workers"), 4, 0], ["-f"], collect="yes"):
        processes.setdefault(line.split()[0], []).append(line)
    found = [lines for lines in processes.values() if not any(" execve(" in line for line in lines)]
    assert len(found) == 4
    assert all(any("perf_event_open(" in line or "timer_create(" in line for line in lines)
               for lines in found)
    return found


def test_a_forked_child_does_not_read_what_its_parent_knows(profiler):
    """Its start it may have to look up, where the fork was in the middle of a clock tick."""
    opened = {path for lines in children(profiler) for line in lines
              for path in re.findall(r'openat?\([^"]*"(/proc/[^"]*)"', line)}
    assert opened <= {"/proc/self/stat"}


def test_a_forked_child_looks_for_no_image_before_it(profiler):
    assert not [line for lines in children(profiler) for line in lines if '.0.spool"' in line]


def test_a_forked_child_without_samples_takes_fewer_pages(profiler):
    """Those of its header and of a chunk for its thread, if it ends before its first sample."""
    found = [sum(int(POPULATED.search(line)[1]) for line in lines if POPULATED.search(line))
             for lines in children(profiler)]
    if not all(found):
        pytest.skip("the kernel is older than MADV_POPULATE_WRITE (5.14)")
    assert min(found) <= 7 * 4096


def test_what_each_fork_writes_lies_in_one_page():
    """readelf's line of the section: name, type, address, offset, size, …"""
    line = re.search(r"written_by_fork\s+\w+\s+(\w+)\s+\w+\s+(\w+)", tool("readelf", "-SW", LIBRARY))
    address, size = (int(word, 16) for word in line.groups())
    assert size and address // 4096 == (address + size - 1) // 4096


@pytest.mark.parametrize("argv, settings, looks", [
    ([target("steady"), 200], {}, 1),
    (["/bin/true"], {"frequency": 1}, 0),
    (["/bin/true"], {"frequency": 1, "log": "error"}, 1),
], ids=["with samples once to find who takes the profile", "without samples not at all where nothing is said",
        "without samples once to find out whether to say so"])
def test_an_end_looks_at_its_parent_s_memory_map_no_more_than_it_must(profiler, argv, settings, looks):
    """Each look costs a short process a good part of what it used itself."""
    calls = calls_of(profiler, argv, ["-qq", "-e", "trace=openat", "-e", "signal=none"], notify="sigtrap",
                     **settings)
    assert sum(bool(re.search(r'"/proc/\d+/maps"', call)) for call in calls) == looks


PAIRS = 200
# Of each pair: how many calls it makes that concern the mask.
MASK_CALLS = {"mask": 2, "block": 2, "unblock": 2, "nested": 4, "asking": 3}


@pytest.mark.parametrize("kind", MASK_CALLS)
@pytest.mark.parametrize("first", ["", "vfork"])
def test_blocking_all_signals_makes_the_program_s_own_calls(profiler, kind, first):
    """Each call to change or to read the mask makes the kernel's alone; from the first child on that
    shared memory, of which there may be others, one getpid each, too."""
    def counted(pairs, **settings):
        lines = calls_of(profiler, [target("mask_pairs"), kind, pairs, first], events="page-faults",
                         period=1000000000, **settings)
        return collections.Counter(line.split("(")[0] for line in lines if re.match(r"\w+\(", line))

    bare, idle, ours = counted(PAIRS, library=None), counted(0), counted(PAIRS)
    more = {name: count - idle[name] for name, count in ours.items()
            if count > idle[name] + PAIRS // 2}
    expected = MASK_CALLS[kind] * PAIRS
    assert bare["rt_sigprocmask"] >= expected
    assert more.pop("rt_sigprocmask") <= expected
    assert more.pop("getpid", 0) <= (expected if first else 0)
    assert more == {}
