"""R14: other preloaded libraries replace functions of libc; none of them runs in our handler."""

import pathlib
import re

import pytest

from running import LIBRARY, ROOT, TARGETS, clean_environment, execute, program, target
from turns import calls_in_turns, traced

IN_FRONT = TARGETS / "libharm_interpose.so"
PERIOD_NS = 50000
FIRST_CALLS = 64
CLOCK_SOURCE = pathlib.Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
READ_IN_USER_MODE = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")


def run(profiler, environment=None, **settings):
    more = profiler.preloaded(f"{LIBRARY}:{IN_FRONT}", period=PERIOD_NS, collect="yes", **settings)
    return profiler.plain([target("harm_allocations")], environment=more | (environment or {}))


@pytest.mark.parametrize("notify", ["sigtrap", "sigio", "timer"])
def test_no_replaced_function_runs_in_the_handler(profiler, notify, record_property):
    """Threads, exceptions, loading, new rules: the library in front aborts when a function of it
    is called while a handler is up."""
    result = run(profiler, notify=notify)
    assert (result.status, result.stdout) == (7, b"0 allocations\n"), result.stderr
    turns = [int(line) for line in result.stderr.split()]  # of each process
    assert sum(turns) > 0
    record_property("turns", sum(turns))


def test_such_a_call_would_be_seen(profiler):
    result = run(profiler, environment={"HARM_INTERPOSE": "1"})
    assert (result.status, result.stderr) == (-6, b"getenv in a handler\n")


def test_a_sample_whose_stack_is_known_makes_no_system_call(profiler, record_property):
    """The thread's CPU clock, which only the kernel has, is read where a turn took too long."""
    result, lines = traced(profiler, [target("harm_loop"), "1000"])
    assert result.status == 7, result.stderr
    turns, calls = calls_in_turns(lines)
    if not turns:
        pytest.skip("no SIGTRAP for overflows here")
    others = [call for call in calls if "CLOCK_THREAD_CPUTIME_ID" not in call]
    record_property("turns", turns)
    record_property("system calls", len(others))
    # new addresses, and the name after 1, 2, 4, … samples
    assert len(others) < FIRST_CALLS + turns / 8, others
    if CLOCK_SOURCE.read_text(encoding="ascii").strip() in READ_IN_USER_MODE:
        assert not [call for call in others if call.startswith("clock_gettime")]


def test_functions_of_string_h_are_its_own():
    """Those that preload/libc/bytes.c names; the compiler's own references to them too."""
    names = re.findall(r'__asm__\("(\w+)"\)', (ROOT / "preload" / "libc" / "bytes.c").read_text("ascii"))
    assert len(names) > 10 and "memcpy" in names
    done = execute([program("nm"), "-D", "--undefined-only", LIBRARY], clean_environment())
    imported = {line.split()[-1].split("@")[0] for line in done.stdout.decode().splitlines()}
    assert "__environ" in imported
    assert not imported & {*names, "clock_gettime", "syscall"}
