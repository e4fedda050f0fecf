"""R1 to R6: what hangs or crashes profilers, at 20 kHz; HARM_SECONDS makes it longer, HARM_TIMES
repeats it (make test-long)."""

import os

import pytest

from running import LIBRARY, LIMIT_S, TARGETS, target

SECONDS = float(os.environ.get("HARM_SECONDS", "0.4"))  # of CPU time, each thread
TIMES = int(os.environ.get("HARM_TIMES", "1"))
PERIOD_NS = 50000
STORMS = [["dlopen", "dlopen", "throw"], ["objects", "dlopen", "backtrace"],
          ["throw", "throw", "malloc"], ["nongnu", "nongnu", "throw"], ["llvm", "llvm", "throw"],
          ["thread", "thread", "malloc"], ["map", "signal", "thread"],
          ["dlopen", "dlopen", "objects", "throw", "throw", "malloc", "thread", "backtrace",
           "signal", "map"]]


@pytest.mark.parametrize("storm", STORMS, ids=["+".join(sorted(set(storm))) for storm in STORMS])
def test_a_storm_is_weathered(profiler, storm, record_property):
    argv = [target("harm_storm"), int(SECONDS * 1000), *storm]
    limit_s = LIMIT_S + 40 * SECONDS
    plain = profiler.plain(argv, limit_s=limit_s)
    if plain.status == 77:
        pytest.skip(plain.stdout.decode().strip())
    for _ in range(TIMES):
        result, spools = profiler.collected(argv, period=PERIOD_NS, limit_s=limit_s)
        assert (result.status, result.stdout) == (plain.status, plain.stdout) == (7, b"ok\n")
        record_property("hits", spools[0].samples())
        record_property("turns", int(result.stderr.split()[0]))
        # Threads that live less than a period are in no sample, and may be most of the work.
        assert spools[0].events() >= 0.1 * SECONDS * 1e9


def test_not_one_allocation_of_the_target_s_is_ours(profiler, record_property):
    """Not from main on: before it, the constructor loads libunwind, for which the loader
    allocates.  The allocator aborts when it is called from our code, and counts its calls."""
    counter = TARGETS / "libharm_malloc.so"
    plain = profiler.plain([target("harm_allocations")], environment={"LD_PRELOAD": str(counter)})
    more = profiler.preloaded(f"{LIBRARY}:{counter}", period=PERIOD_NS, collect="yes")
    result = profiler.plain([target("harm_allocations")], environment=more)
    assert plain.status == 7 and int(plain.stdout.split()[0]) > 100
    assert (result.status, result.stderr) == (plain.status, b"")
    count = int(result.stdout.split()[0])
    assert count <= int(plain.stdout.split()[0])
    record_property("under the shim", count)
    record_property("allocations", int(plain.stdout.split()[0]))
    assert list(profiler.folder.glob("*.spool"))
