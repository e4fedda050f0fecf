"""What an ordinary user may count, and a machine that counts nothing."""

import pytest

from spool import SIGTRAP, TIMER

KERNELS = [pytest.param("6.1", marks=pytest.mark.long), "6.12"]
NO_PMU = "cortex-a57,pmu=off"


@pytest.fixture(params=KERNELS)
def rights(machines, request):
    return machines.guest(request.param, "rights")


@pytest.fixture
def nopmu(machines):
    return machines.guest("6.1", "nopmu", NO_PMU)


def kernel_samples(spool):
    return sum(thread.count["KERNEL_SAMPLES"] for thread in spool.threads)


def samples(spool):
    return sum(thread.count["SAMPLES"] for thread in spool.threads)


def test_debian_starts_with_paranoid_3(rights):
    assert rights.text("paranoid") == "3\n"


def test_paranoid_3_leaves_timers_and_one_line_says_so(rights):
    spool = rights.spool("user_3")
    assert spool.engine == TIMER
    assert samples(spool) > 0
    assert "EACCES" in spool.note and "kernel.perf_event_paranoid is 3" in spool.note


def test_paranoid_2_leaves_the_user_side(rights):
    spool = rights.spool("user_2")
    assert spool.engine == SIGTRAP
    assert 57 <= spool.threads[0].samples() <= 63
    assert 57000000 <= spool.threads[0].events() <= 63000000
    kernel, = rights.spools("kernel_2")
    assert kernel_samples(kernel) == 0


def test_paranoid_2_without_samples_says_why(rights):
    assert "no samples: cycles did not overflow" in rights.text("silent_2/stderr")
    assert "silent_2/p.folded" not in rights.files


def test_paranoid_1_adds_the_kernel_side(machines):
    rights = machines.guest("6.12", "rights")
    spool, = rights.spools("kernel_1")
    assert spool.engine == SIGTRAP
    # the first sample of a process opens its counter again, which is user code
    assert kernel_samples(spool) > 0.75 * samples(spool) > 0
    for name in "named_1", "root_named":
        kernel = {frames for frames in rights.folded(f"{name}/p.folded")
                  if frames[-1].endswith("_[k]")}
        assert kernel
        assert all("read_zeroes" in frames for frames in kernel if "__arch_clear_user_[k]" in frames)
    assert any("__arch_clear_user_[k]" in frames
               for frames in rights.folded("root_named/p.folded"))


@pytest.mark.long
def test_where_kernel_samples_would_interrupt_calls_they_are_left_out(machines):
    rights = machines.guest("6.1", "rights")
    for name in "kernel_1", "root":
        rights.ended_well(name, "0 of 400 disturbed\n")
        spool, = rights.spools(name)
        assert kernel_samples(spool) == 0
        assert "before Linux 6.11" in spool.note
    # insisted on, they are taken: this kernel does interrupt
    assert kernel_samples(rights.spools("insisted")[0]) > 0
    assert rights.text("insisted/stdout") != "0 of 400 disturbed\n"


def test_the_program_works_the_same_at_every_level(rights):
    for level in "3", "2", "1":
        rights.ended_well(f"user_{level}")
        rights.ended_well(f"kernel_{level}", "0 of 400 disturbed\n")
    rights.ended_well("root", "0 of 400 disturbed\n")


@pytest.mark.long
def test_without_counters_the_default_is_task_clock(nopmu):
    spool = nopmu.spool("default")
    assert [counter.name for counter in spool.counters] == ["task-clock"]
    assert spool.engine == SIGTRAP
    assert samples(spool) > 0
    nopmu.ended_well("default_named")
    leaves = {frames[-1] for frames in nopmu.folded("default_named/p.folded")}
    assert {"heavy_work", "light_work"} <= leaves


@pytest.mark.long
def test_without_counters_one_asked_for_is_refused_in_one_line(nopmu):
    said = nopmu.ended_well("asked")
    assert said.count("\n") == 1
    assert "cycles (ENOENT): this machine has no such counter" in said
    assert not nopmu.spools("asked")


@pytest.mark.long
def test_without_counters_insisting_is_refused_in_one_line(nopmu):
    said = nopmu.ended_well("strict")
    assert said.count("\n") == 1
    assert "cycles (ENOENT): this machine has no such counter" in said
    assert "strict/p.folded" not in nopmu.files


@pytest.mark.long
def test_timers_need_no_counters(nopmu):
    spool = nopmu.spool("timer")
    assert spool.engine == TIMER
    assert samples(spool) > 0


def test_more_samples_than_the_kernel_allows_are_lowered_and_it_is_said(rights):
    spool = rights.spool("fast")
    assert spool.engine == SIGTRAP
    assert spool.counters[0].frequency_hz == 500
    assert "4000 Hz were asked for" in spool.note and "allows 500" in spool.note
    assert samples(spool) > 0


def test_a_thread_is_sampled_though_the_kernel_lowered_its_limit_in_mid_run(rights):
    spool = rights.spool("lowered")
    assert spool.engine == SIGTRAP
    _, thread = spool.threads
    assert thread.count["SAMPLES"] > 0
    assert not spool.count("ATTACH_FAILED") and "asked for" not in spool.note


def test_a_watchpoint_is_refused_and_the_program_runs(rights):
    said = rights.ended_well("watched", "5 writes\n")
    assert "on aarch64 the kernel sends the signal before the access" in said
    assert rights.text("watch/status").strip() != "0"
    assert rights.text("watch/stdout") == ""
    assert "watch the program on x86-64" in rights.text("watch/stderr")
