"""Time on the processor does not stand in for what is no time, or for waiting: who may not count that
gets no profile of something else under its name."""

import re

import pytest

import rights
from running import target


@pytest.mark.parametrize("events", ["off-cpu", "off-cpu,mem:watched/8:w", "page-faults"])
@pytest.mark.parametrize("err", rights.REFUSALS)
def test_a_refused_event_is_not_replaced_by_time(profiler, events, err):
    argv = [target("counted"), "0", "1000"]
    result, files = profiler.files(argv, events=events, preexec=rights.refuse_counters(err))
    assert result.outcome()[:2] == profiler.plain(argv).outcome()[:2]
    assert re.fullmatch(rb"flametrap: perf_event_open refused [^\n]*; the program runs "
                        rb"unprofiled\n", result.stderr), result.stderr
    assert files == {}


def test_an_ordinary_user_is_told_what_waiting_needs(profiler):
    rights.needs_user_counters()
    profiler.folder.chmod(0o777)
    argv = [target("counted"), "0", "1000"]
    result, files = profiler.files(argv, events="off-cpu", preexec=rights.become_nobody)
    assert result.outcome()[:2] == profiler.plain(argv).outcome()[:2]
    assert re.search(rb"refused off-cpu \(EACCES\): .*perf_event_paranoid is 2.*unprofiled",
                     result.stderr), result.stderr
    assert files == {}
