"""Counters in groups: each counter's profile shows what caused it, and counts what there was; what may not
be counted gets no profile of something else under its name.  Page faults say what kind of memory was
touched.  R16: no clock is ever refreshed, which freezes machines on Linux 6.16 and 6.17."""

import os
import pathlib
import re

import pytest

import rights
from launching import flametrap
from running import (LATE_NS, LEAF_ONLY, LIBRARY, ROOT, carry_all_time, compiled, of_cpu_time, target,
                     tool)
from spool import SIGIO, SIGTRAP, Spool

PAGES, SPINS = 20000, 200000000  # so many pages that counted goes on for a while after them


def counted(pages=0, spins=0, writes=0, waits=0, moves=0):
    return [target("counted"), pages, spins, writes, waits, moves]


def said(result, word):
    return int(re.search(rf"{word} (\d+)".encode(), result.stdout)[1])


def only(spools):
    if not spools and not rights.may_see_the_kernel():
        pytest.skip("the kernel's side, which is all there is of it, is refused here")
    assert len(spools) == 1
    if spools[0].engine != SIGTRAP:
        pytest.skip("counters do not open here: " + spools[0].note)
    return spools[0]


def needs_kernel_side(spool):
    if spool.counters[0].flags & 5:
        pytest.skip("the kernel's side is refused here")


def stacks(profiler, spool, counter):
    return profiler.fold([spool], "--counter", counter, "--weight", "events")


def test_faults_and_time_are_told_apart_in_one_run(profiler):
    """All faults come from one function, all time is spent in another."""
    result, spools = profiler.collected(counted(PAGES, SPINS), period=100000,
                                        events="{task-clock,page-faults,context-switches}")
    spool = only(spools)
    needs_kernel_side(spool)
    faults = stacks(profiler, spool, "page-faults")
    time = stacks(profiler, spool, "task-clock")
    # A member's counts belong to the next sample, which the function waits for.
    assert PAGES <= faults.burnt("touch_pages")
    assert faults.inclusive("spin") <= faults.total - PAGES
    # What the processor did with a fault is the machine's matter; the program has its own watches.
    # The counter runs on where a host takes the processor away, which the wall's tells.
    for function, word in ("spin", "spun"), ("touch_pages", "touched"):
        assert said(result, f"{word}_ns") >= 2 * LATE_NS
        assert time.burnt(function) >= of_cpu_time(said(result, f"{word}_ns"))
        assert time.inclusive(function) <= said(result, f"{word}_wall_ns") + LATE_NS


def test_what_the_stacks_carry_is_what_the_counters_counted(profiler):
    """Of every counter of the group: no event is lost between records, none is counted twice.  The
    first sample weighs a whole period, what follows the last is in no stack, and the clock also
    counts the beginning and the end of the process."""
    _, spools = profiler.collected(counted(PAGES, SPINS, waits=50), period=100000,
                                   events="{task-clock,page-faults,context-switches}")
    spool = only(spools)
    assert spool.count("LOST_RING") == spool.count("LOST_FULL") == 0
    for counter in range(3):
        if not spool.counters[counter].flags & 4:
            stacks, counted_ = spool.events(counter), spool.counted(counter)
            slack = max(3, stacks // 100)
            assert -slack <= counted_ - stacks <= (counted_ // 4 if counter == 0 else slack)
    assert spool.samples(1) == spool.samples(2) == 0, "members take no samples"


def test_each_page_fault_is_a_sample_at_its_cause(profiler):
    result, spools = profiler.collected(counted(1000), period=1, events="page-faults")
    folded = profiler.fold([only(spools)])
    # besides the pages its own code and stack, where these are not there yet
    assert 1000 <= folded.inclusive("touch_pages") <= said(result, "faults")


def test_each_context_switch_is_a_sample_of_who_waited(profiler):
    result, spools = profiler.collected(counted(waits=100), period=1, events="context-switches")
    spool = only(spools)
    needs_kernel_side(spool)
    assert spool.lost() == 0
    folded = profiler.fold([spool])
    assert 0 < said(result, "waited") <= folded.inclusive("wait_often")
    assert said(result, "switches") <= folded.total <= result.usage.ru_nvcsw + result.usage.ru_nivcsw


def test_each_migration_is_a_sample(profiler):
    result, spools = profiler.collected(counted(moves=40), period=1, events="cpu-migrations")
    spool = only(spools)
    needs_kernel_side(spool)
    if not said(result, "moves"):
        pytest.skip("one processor is allowed here")
    assert profiler.fold([spool]).inclusive("move_around") == said(result, "moves") == 40


def test_500_writes_to_a_watched_word_are_500_samples(profiler):
    """A static object: found in .symtab, not in .dynsym."""
    _, spools = profiler.collected(counted(writes=500), period=1, events="mem:watched/8:w")
    folded = profiler.fold([only(spools)])
    assert (folded.total, folded.inclusive("write_watched.*")) == (500, 500)
    assert folded.leaf(re.escape("[data watched]")) == 500, "what was written"


@pytest.mark.parametrize("refresh, samples, stops", [(1, 1, 1), (300, 300, 1), (500, 500, 1),
                                                     (501, 500, 0)])
def test_a_refreshed_counter_stops_itself_and_hangs_up(profiler, refresh, samples, stops):
    """PERF_EVENT_IOC_REFRESH: each write is a sample, the last one allowed comes as POLL_HUP."""
    _, spools = profiler.collected(counted(writes=500), period=1, notify="sigio",
                                   events=f"mem:watched/8:w/refresh={refresh}/")
    assert len(spools) == 1 and spools[0].engine == SIGIO
    assert spools[0].samples() == spools[0].count("SIGNALS") == samples
    assert spools[0].count("STOPPED") == stops
    assert profiler.fold(spools).inclusive("write_watched.*") == samples


def test_every_thread_has_refreshed_counters_of_its_own(profiler):
    _, spools = profiler.collected([target("watched")], period=1, notify="sigio",
                                   events="mem:account+16/8:w/refresh=120/")
    assert [thread.samples() for thread in spools[0].threads] == [120, 120]
    assert spools[0].count("STOPPED") == 2


@pytest.mark.parametrize("events", ["task-clock/refresh=3/", "cpu-clock/refresh=1/u",
                                    "software/refresh=1,config=0/", "software/config=1,refresh=1/",
                                    "{cpu-clock/refresh=9/,page-faults}"])
def test_no_clock_is_ever_refreshed(profiler, events):
    """R16: that freezes machines of Linux 6.16 and 6.17."""
    result, spools = profiler.collected(counted(), notify="sigio", events=events)
    assert (result.status, spools) == (0, [])
    assert b"a clock that stops itself freezes machines" in result.stderr
    done = flametrap("--notify", "sigio", "-e", events, "/bin/true")
    assert done.returncode == 125 and "freezes machines" in done.stderr


@pytest.mark.parametrize("word", ["refresh", "wakeup_events"])
@pytest.mark.parametrize("notify", ["auto", "sigtrap", "timer"])
def test_some_attributes_need_the_signal_that_tells_of_them(profiler, notify, word):
    result, spools = profiler.collected(counted(), notify=notify, events=f"page-faults/{word}=3/")
    assert (result.status, spools) == (0, [])
    assert f"{word}= in FLAMETRAP_EVENTS needs FLAMETRAP_NOTIFY=sigio".encode() in result.stderr


def test_a_watched_address_may_be_given_as_a_number(profiler):
    """Of a program that is loaded where it was linked to."""
    source = ROOT / "tests" / "preload" / "targets" / "counted.c"
    binary = compiled(profiler.folder, "fixed", source.read_text("ascii"), "-O2", "-no-pie")
    address = int(re.search(r"^(\S+) \S watched$", tool("nm", binary), re.M)[1], 16)
    _, spools = profiler.collected([binary, 0, 0, 500, 0, 0], period=1,
                                    events=f"mem:{address:#x}/8:w")
    assert profiler.fold([only(spools)]).total == 500


def test_executions_of_a_function_are_counted_by_breakpoint_and_by_probe(profiler):
    binary = target("counted")
    _, spools = profiler.collected(counted(waits=30), period=1, events="mem:nanosleep:x")
    assert only(spools).samples() == 30
    if os.geteuid():
        pytest.skip("uprobes want root")
    _, spools = profiler.collected(counted(waits=30), period=1,
                                    events=f"uprobe:{binary}:wait_often")
    assert only(spools).samples() == 1


def test_a_return_is_a_sample_of_the_caller_and_says_where_the_kernel_hides_the_next(profiler):
    """Four calls of a function that calls itself three times: each return is seen in its caller;
    a caller that is itself to return to the kernel's trampoline has its stack cut there."""
    rights.needs_root()
    binary = target("whole_stacks")
    _, spools = profiler.collected([binary, "calls"], period=1, events=f"uprobe:{binary}:recurse/ret/")
    folded = profiler.fold([only(spools)])
    stacks = {frames[1:]: value for frames, value in folded.stacks.items()}
    whole = {frames: value for frames, value in stacks.items() if frames[0] == "_start"}
    assert [frames[-2:] for frames in whole] == [("main", "outer")]
    assert list(whole.values()) == [4]
    assert {frames: value for frames, value in stacks.items() if frames not in whole} == {
        ("[return address held by a uretprobe]", "recurse"): 12}


def test_a_symbol_that_nothing_defines_is_refused_by_name(profiler):
    """In a group, which cannot begin later; one by itself is waited for (test_watch.py)."""
    result, spools = profiler.collected(counted(), events="{mem:no_such_thing/8:w,task-clock}")
    assert (result.status, spools) == (0, [])
    assert result.stderr.startswith(b"flametrap: cannot count mem:no_such_thing/8:w: "
                                    b"the symbol is in no loaded program or library, ")
    assert result.stderr.count(b"\n") == 1


def test_tracepoints_are_sampled_one_by_one(profiler):
    rights.needs_private_mounts()
    _, spools = profiler.collected(counted(waits=30), period=1, preexec=rights.mount_tracefs,
                                   events="syscalls:sys_enter_clock_nanosleep")
    if not spools:
        pytest.skip("tracefs cannot be mounted, or has no tracepoints of system calls")
    folded = profiler.fold([only(spools)])
    assert folded.inclusive("wait_often") == 30


def test_a_bpf_program_that_is_gone_has_its_name(profiler):
    """The kernel's record said it, and the spool kept it; its table of symbols forgets it."""
    result, spools = profiler.collected([target("filtering")])
    if result.stdout == b"refused\n":
        pytest.skip("bpf(2) is refused here")
    spool = only(spools)
    needs_kernel_side(spool)
    folded = profiler.fold([spool])
    assert folded.leaf(r"bpf_prog_[0-9a-f]{16}_slow_filter_\[k\]") > 0
    assert b"_slow_filter\0" in spool.data


@pytest.mark.parametrize("events, word", [("page-faults", "faults"),
                                          ("context-switches", "switches")])
def test_counts_agree_with_perf_stat(profiler, events, word):
    """Of the same run: the program's own count is in ours, and ours, which begins when the loader
    has come to us and ends with the last sample, in perf's."""
    shim = [f"{name}={value}" for name, value in
            profiler.preloaded(events=events, period=1, collect="yes").items()]
    result = profiler.plain(["perf", "stat", "-x,", "-e", events, "env", f"LD_PRELOAD={LIBRARY}",
                             *shim, *counted(2000, waits=200)])
    match = re.search(rf"^(\d+),,{events}", result.stderr.decode(), re.M)
    if not match:
        pytest.skip("perf stat does not run here")
    spool = only([Spool(path) for path in profiler.folder.glob("*.spool")])
    needs_kernel_side(spool)
    assert 0 < said(result, word) <= spool.counted() <= int(match[1])


def open_to_all(profiler, drop):
    """A preexec function: drop rights, once everybody may write where spools go."""
    def prepare():
        profiler.folder.chmod(0o755)
        for folder in profiler.folder.glob("spool-*"):
            folder.chmod(0o777)
        drop()
    return prepare


def test_an_ordinary_user_is_sampled_on_the_user_side(profiler):
    rights.needs_user_counters()
    result, spools = profiler.collected(counted(spins=SPINS),
                                        preexec=open_to_all(profiler, rights.become_nobody),
                                        events="task-clock,context-switches")
    spool = only(spools)
    assert spool.counters[0].flags & 1, "without the kernel's side"
    assert spool.counters[1].flags & 4, "which is all that context-switches has"
    carry_all_time(spools, result)
    assert result.stderr == b"", "the launcher says it once for all processes"
    assert "not counted: context-switches: the event happens in the kernel only" in spool.note


@pytest.mark.parametrize("err", rights.REFUSALS)
def test_under_a_seccomp_filter_timers_take_over_and_one_line_says_so(profiler, err):
    result, files = profiler.files(counted(spins=SPINS), preexec=rights.refuse_counters(err),
                                   period=1000000, output=profiler.folder / "filtered")
    text = (profiler.folder / "filtered.folded").read_text(encoding="utf-8")
    assert result.status == 0 and not files
    assert re.fullmatch(rb"flametrap: perf_event_open refused task-clock \((EPERM|ENOSYS)\), "
                        rb"using per-thread CPU timers: a seccomp filter is in force; [^\n]+\n",
                        result.stderr), result.stderr
    assert text.count(";spin ") >= 1


def test_2000_threads_without_locked_memory_all_run_and_are_counted(profiler):
    rights.needs_user_counters()
    drop = open_to_all(profiler, rights.nobody_without_locked_memory)
    result, spools = profiler.collected([target("crowd"), 2000], events="task-clock", preexec=drop)
    assert (result.status, result.stdout) == (0, b"2000 threads\n")
    spool = only(spools)
    assert spool.count("DEGRADED") > 0
    assert spool.count("ATTACH_FAILED") == 0
    assert spool.count("THREADS_ENDED") == 2000


def test_no_counter_is_refreshed():
    """The request is made in one place, for counters that were asked to stop themselves and are no
    clock."""
    files = [path for folder in ("config", "preload", "runtime")
             for path in pathlib.Path(ROOT, folder).rglob("*.[ch]")]
    assert len(files) > 50
    asking = [path for path in files if "PERF_EVENT_IOC_REFRESH," in path.read_text("utf-8")]
    assert [path.name for path in asking] == ["group.c"]
    text = asking[0].read_text(encoding="utf-8")
    assert text.count("IOC_REFRESH") == 1
    assert re.search(r"if \(leader->refresh\)\n\t\treturn sys_ioctl\(fd, PERF_EVENT_IOC_REFRESH,",
                     text)
    assert text.count("->refresh = ") == 1 and "->refresh = may_stop(" in text


@pytest.mark.parametrize("events", ["task-clock", "cpu-clock", "{task-clock,page-faults}",
                                    "page-faults/refresh=2/,task-clock"])
def test_the_kernel_is_never_asked_to_refresh_a_clock(profiler, events):
    """As strace sees it: the descriptor that is refreshed was opened for page-faults."""
    _, lines = profiler.straced(["/bin/true"], "-e", "trace=perf_event_open,ioctl", events=events,
                                notify="sigio", log="quiet")
    opened, refreshed, enabled = {}, [], 0
    for line in lines:
        if match := re.match(r"perf_event_open\(.*?config=(\w+),.* = (\d+)$", line):
            opened[match[2]] = match[1]
        elif match := re.match(r"ioctl\((\d+), PERF_EVENT_IOC_REFRESH", line):
            refreshed.append(opened[match[1]])
        elif "PERF_EVENT_IOC_ENABLE" in line:
            enabled += 1
    assert enabled >= 1
    assert refreshed == ["PERF_COUNT_SW_PAGE_FAULTS"] * events.count("refresh")


def runs_unprofiled(profiler, events, preexec, said):
    result, files = profiler.files(counted(), events=events, preexec=preexec)
    assert result.status == 0 and result.stdout.startswith(b"faults ")
    assert re.fullmatch(said, result.stderr), result.stderr
    assert files == {}


@pytest.mark.parametrize("events", ["off-cpu", "off-cpu,mem:watched/8:w", "page-faults"])
@pytest.mark.parametrize("err", rights.REFUSALS)
def test_a_refused_event_is_not_replaced_by_time(profiler, events, err):
    runs_unprofiled(profiler, events, rights.refuse_counters(err),
                    rb"flametrap: perf_event_open refused [^\n]*; the program runs unprofiled\n")


def test_an_ordinary_user_is_told_what_waiting_needs(profiler):
    rights.needs_user_counters()
    profiler.folder.chmod(0o777)
    runs_unprofiled(profiler, "off-cpu", rights.become_nobody,
                    rb".*refused off-cpu \(EACCES\): .*perf_event_paranoid is 2.*unprofiled.*\n")


PAGE_BYTES = 4096


@pytest.fixture
def content(tmp_path):
    (tmp_path / "content").write_bytes(b"x" * 200 * PAGE_BYTES)
    return tmp_path / "content"


def touched(stdout):
    found = {}
    for line in stdout.decode().splitlines():
        function, pages, kind = line.split(" ", 2)
        found[function, kind] = int(pages)
    return found


def classes(folded, expected):
    """{(function, kind): faults} where the program knows how many there are.  A handler that also
    serves a clock may leave out first stacks, which take it longest: those are the first function's."""
    functions = [function for function, _ in expected]
    found = {}
    for frames, value in folded.stacks.items():
        called = functions[:1] if frames[1] == LEAF_ONLY else frames
        function = next((frame for frame in called if frame in functions), None)
        key = (function, frames[-1])
        if key in expected and frames[-2] == "touch":  # a call may touch one more of the stack
            found[key] = found.get(key, 0) + value
    return found


@pytest.mark.parametrize("counter, settings", [
    ("page-faults", {"events": "page-faults"}),
    ("minor-faults", {"events": "minor-faults", "kernel": "no"}),
    ("minor-faults", {"events": "task-clock/period=100000/,major-faults,minor-faults"}),
    ("page-faults", {"events": "page-faults", "notify": "sigio"}),
])
def test_faults_are_told_apart_by_what_was_touched(profiler, content, counter, settings):
    result, spools = profiler.collected([target("faulting"), content], period=1, **settings)
    assert result.status == 0, result.stderr
    expected = touched(result.stdout)
    assert len(expected) == 10
    assert spools[0].lost() == 0
    found = classes(profiler.fold(spools, "--counter", counter), expected)
    if "task-clock" in settings["events"]:  # whose signal's frame touches pages below the stack's end
        own = ("touch_own_stack", "[stack]")
        assert expected[own] * 0.8 <= found.pop(own) <= expected.pop(own)
    assert found == expected


def test_a_forked_child_tells_its_own_apart(profiler, content):
    result, spools = profiler.collected(["/bin/sh", "-c", f"({target('faulting')} {content}); true"],
                                        events="page-faults", period=1)
    assert result.status == 0, result.stderr
    expected = touched(result.stdout)
    assert classes(profiler.fold(spools), expected) == expected


def test_what_was_counted_is_in_stacks_or_accounted_for(profiler, content):
    """Faults of the handler itself are counted by the kernel, and dropped by name."""
    _, spools = profiler.collected([target("faulting"), content], events="page-faults", period=1)
    dropped = sum(thread.totals[0]["dropped"] for thread in spools[0].threads)
    assert spools[0].counted() == spools[0].events() + dropped
