"""Threads shorter than a period are sampled without a preferred place, and what lies in no stack
is in the account."""

import json
import subprocess

import pytest

from running import COMMAND, Folded, target

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
    result, files = profiler.launched(
        ["--notify", notify, "-e", "page-faults", "-c", PERIOD, "--weight", "samples"],
        [target("brief_threads"), "faults", THREADS, *pages])
    assert result.status == 0, result.stderr
    samples, alpha = shares(Folded(files["profile.folded"]))
    in_alpha, in_beta = sampled(pages)
    assert in_alpha + in_beta == sum(pages) / PERIOD
    assert samples == pytest.approx(THREADS * (in_alpha + in_beta), rel=0.15)
    assert alpha == pytest.approx(in_alpha / (in_alpha + in_beta), abs=0.09)


def test_each_of_them_weighs_a_period(profiler):
    result, files = profiler.launched(
        ["-e", "page-faults", "-c", PERIOD, "--weight", "events"],
        [target("brief_threads"), "faults", THREADS, 30, 70])
    assert result.status == 0, result.stderr
    events, _ = shares(Folded(files["profile.folded"]))
    assert events == pytest.approx(THREADS * PERIOD, rel=0.15)


def test_time_of_short_threads_is_counted_to_its_end(tmp_path):
    result = subprocess.run(
        [COMMAND, "--format", "spool", "--log=quiet", "-o", tmp_path / "profile", "--",
         target("brief_threads"), "time", "400", "300", "300"],
        capture_output=True, text=True, check=True)
    cpu_ns = int(result.stdout)
    spool, = tmp_path.glob("*.spool")
    report = subprocess.run([COMMAND, "report", "--json", spool], capture_output=True, text=True,
                            check=True)
    account = json.loads(report.stdout)["tables"][0]["account"]
    assert account["in_stacks"] + account["unsampled"] + account["lost"] == account["counted"]
    assert account["counted"] == pytest.approx(json.loads(report.stdout)["cpu_ns"], rel=0.02)
    # without a random first period none of these threads has a sample
    assert account["in_stacks"] > cpu_ns / 4
