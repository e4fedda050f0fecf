"""No call of the target fails with EINTR or ends early under any way of sampling: each of them at its
full rate, on the program that knows all such calls."""

import pytest

from rights import may_see_the_kernel
from running import target

ROUNDS = 20
RUNS_MAX = 100  # in which the clocks are too late each time
HARMLESS = (0, b"31 calls: 0 interrupted, 0 early\n", b"")

pytestmark = pytest.mark.skipif(not may_see_the_kernel(), reason="the kernel may not be sampled")


def uprobe(function, kind="uprobe"):
    return f"{kind}:{target('harm_eintr')}:{function}"


@pytest.mark.parametrize("events, least", [
    ("task-clock/period=50000/k,cpu-clock/period=50000/", [1, 1]),  # the kernel's side
    ("off-cpu,task-clock/period=100000/", [100, 1]),  # --wall
    ("off-cpu/period=3/,page-faults/period=1/", [30, 1]),
    ("mem:rang/4,context-switches/period=1/", [0, 100]),
    ("mem:span_ns/8,mem:semaphore/4", [ROUNDS, ROUNDS]),  # the latter's word is read by futex(2)
    (f"{uprobe('call_nanosleep')},{uprobe('call_poll', 'uretprobe')}", [ROUNDS, ROUNDS]),
])
def test_no_call_is_interrupted_or_shortened(profiler, events, least, record_property):
    found, runs = [0] * len(least), 0
    while any(samples < enough for samples, enough in zip(found, least)):
        result, spools = profiler.collected([target("harm_eintr"), "quiet", ROUNDS],
                                            events=events, period=1, kernel="yes")
        if b"FLAMETRAP_EVENTS" in result.stderr:
            pytest.skip(result.stderr.decode())  # no such PMU here
        assert result.outcome() == HARMLESS
        found = [samples + spools[0].samples(i) for i, samples in enumerate(found)]
        runs += 1
        assert runs < (RUNS_MAX if "clock" in events else 2), found
    record_property("samples", found)


@pytest.mark.parametrize("counter, events", [("page-faults", "page-faults"),
                                             ("minor-faults", "off-cpu,minor-faults")])
def test_a_fault_in_the_kernel_does_not_end_the_call_that_took_it(profiler, counter, events):
    result, spools = profiler.collected([target("harm_eintr"), "faulting", 100], events=events,
                                        period=1, kernel="yes")
    assert result.outcome() == (0, b"0 interrupted, 0 early\n", b"")
    assert spools[0].count("KERNEL_SAMPLES") >= 100
    assert profiler.fold(spools, "--counter", counter).leaf(r"\[anonymous mapping\]") >= 100
