"""Of threads whose clocks would cost a program more than a part of its CPU time some have one and stand
for the others: functions keep their shares, CPU time is counted, and one that lives on gets its clock.
Threads shorter than a period are sampled without a preferred place, and what lies in no stack is in the
account."""

import json

import pytest

from launching import flametrap
from running import PERIOD_NS, target

pytestmark = pytest.mark.measures

MS = 1000000
MANY = 6000  # of 100 us: on any machine their clocks take more than 2 % of that
FIRST = 1  # thread, which waits for each of them: it may switch too often
FEW = 40  # whose clocks a second of CPU time, as its start, pays for on any machine
LATER_MS = 400
YOUNG_MS = 20  # of CPU time: until then others may stand for a thread, or it for 64


def run(profiler, *argv, **settings):
    result, (spool,) = profiler.collected([target("brief_threads"), "time", *argv], **settings)
    assert (result.status, result.stderr) == (0, b"")
    assert spool.lost() == 0
    return result.stdout.decode().split(), spool


def counts_all(spool):
    """What was counted is the CPU time of the process: in stacks, or said to be in none."""
    assert spool.counted() == pytest.approx(spool.cpu_ns, rel=0.02)


def test_starts_have_a_budget(profiler):
    _, spool = run(profiler, MANY, 50, 50)
    assert 0.05 * MANY < spool.count("COARSE") < MANY, "the first begin with their clocks"
    counts_all(spool)


def test_a_few_threads_begin_with_their_clocks(profiler):
    _, spool = run(profiler, FEW, 300, 300)
    assert spool.count("COARSE") <= FIRST
    counts_all(spool)


def test_it_can_be_refused(profiler):
    _, spool = run(profiler, MANY, 50, 50, coarse="no")
    assert spool.count("COARSE") == 0
    counts_all(spool)


@pytest.mark.parametrize("alpha_us, beta_us", [(400, 400), (900, 300)])
def test_short_threads_are_sampled_anywhere_and_weigh_their_time(profiler, alpha_us, beta_us):
    """Some hundred of them have a clock, whose samples weigh several threads."""
    threads = 3000
    _, spool = run(profiler, threads, alpha_us, beta_us)
    counts_all(spool)
    folded = profiler.fold([spool], "--weight", "events")
    alpha, beta = folded.inclusive("alpha"), folded.inclusive("beta")
    work_ns = threads * (alpha_us + beta_us) * 1000
    assert alpha / (alpha + beta) == pytest.approx(alpha_us / (alpha_us + beta_us), abs=0.12)
    assert alpha + beta == pytest.approx(work_ns, rel=0.25)
    samples = profiler.fold([spool], "--weight", "samples")
    assert samples.inclusive("alpha|beta") * PERIOD_NS == pytest.approx(alpha + beta, rel=0.05)


@pytest.mark.parametrize("kernel", ["yes", "no"])
def test_a_thread_that_lives_on_gets_its_clock(profiler, kernel):
    (_, timers, _), spool = run(profiler, MANY, 50, 50, LATER_MS, kernel=kernel)
    assert int(timers) <= FIRST, "none of the last thread's"
    counts_all(spool)
    gamma_ns = profiler.fold([spool], "--weight", "events").inclusive("gamma_")
    assert 0.95 * (LATER_MS - YOUNG_MS) * MS <= gamma_ns <= (LATER_MS + 64 * YOUNG_MS) * MS


def test_the_summary_says_so(profiler):
    result, _ = profiler.launched(["-e", "task-clock"],
                                  [target("brief_threads"), "time", MANY, 50, 50])
    assert b" threads without a clock for a while (they switch or start often; " \
        b"--coarse no keeps their clocks)" in result.stderr


THREADS = 600
PERIOD = 100


def sampled(pages):
    """Samples in alpha and in beta of one thread, on average: its first period is any, but not
    below an 8th; what is drawn below that is an 8th."""
    firsts = [max(first, PERIOD // 8) for first in range(1, PERIOD + 1)]
    at = [place for first in firsts for place in range(first, sum(pages) + 1, PERIOD)]
    alpha = sum(place <= pages[0] for place in at)
    return alpha / PERIOD, (len(at) - alpha) / PERIOD


def shares(folded):
    alpha, beta = folded.inclusive("alpha"), folded.inclusive("beta")
    return alpha + beta, alpha / (alpha + beta)


@pytest.mark.parametrize("notify", ["sigtrap", "sigio"])
@pytest.mark.parametrize("pages", [(30, 70), (110, 40)])
def test_faults_of_short_threads_are_sampled_anywhere(profiler, notify, pages):
    result, spools = profiler.collected([target("brief_threads"), "faults", THREADS, *pages], notify=notify,
                                        events="page-faults", period=PERIOD)
    assert result.status == 0, result.stderr
    samples, alpha = shares(profiler.fold(spools, "--weight", "samples"))
    in_alpha, in_beta = sampled(pages)
    assert in_alpha + in_beta == sum(pages) / PERIOD
    assert samples == pytest.approx(THREADS * (in_alpha + in_beta), rel=0.15)
    assert alpha == pytest.approx(in_alpha / (in_alpha + in_beta), abs=0.09)
    events, _ = shares(profiler.fold(spools, "--weight", "events"))
    assert events == pytest.approx(samples * PERIOD, rel=0.01), "each weighs a period"


def test_time_of_short_threads_is_counted_to_its_end(profiler):
    stdout, spool = run(profiler, 400, 300, 300)
    report = json.loads(flametrap("report", "--json", spool.path, status=0).stdout)
    account = report["tables"][0]["account"]
    assert account["in_stacks"] + account["unsampled"] + account["lost"] == account["counted"]
    assert account["counted"] == pytest.approx(report["cpu_ns"], rel=0.02)
    # without a random first period none of these threads has a sample
    assert account["in_stacks"] > int(stdout[-1]) / 4
