"""Samples carry the trace and the span that an OpenTelemetry SDK publishes (OTEP 4947).  The
programs here were written from its text."""

import collections

import pytest

import spool_log
from running import target


def traces(profiler, *argv):
    """Samples by (first byte of the trace, first byte of the span), of all threads."""
    result, (spool,) = profiler.collected([target(argv[0]), *argv[1:]])
    assert result.status == 0, result.stderr
    found = collections.Counter()
    for thread in spool.threads:
        for entry in spool_log.log_of(spool, thread):
            if entry.kind == spool_log.SAMPLE:
                for each in (entry.trace, entry.span):
                    assert each == each[:1] * len(each), "a record is read whole"
                found[entry.trace[0], entry.span[0]] += entry.samples
    return found


def has_shares(found, expected):
    """Of the samples with a trace, each expected one has its share."""
    total = sum(number for (trace, _), number in found.items() if trace)
    assert {key for key in found if key[0]} == set(expected)
    for key, share in expected.items():
        assert abs(found[key] / total - share) < 0.1, (key, found)


def test_a_variable_of_the_program_is_read(profiler):
    found = traces(profiler, "traced_program")
    has_shares(found, {(0x11, 1): 3 / 8, (0x11, 2): 1 / 8, (0x22, 1): 3 / 8, (0x22, 2): 1 / 8})
    assert found[0, 0] > 50


def test_a_variable_of_a_library_is_read(profiler):
    has_shares(traces(profiler, "traced_linked"), {(0x33, 1): 3 / 4, (0x33, 2): 1 / 4})


def test_a_variable_of_a_library_that_is_loaded_later_is_read(profiler):
    found = traces(profiler, "traced", "loaded")
    has_shares(found, {(0xa1, 1): 1 / 3, (0xa1, 2): 1 / 6, (0xb2, 1): 1 / 3, (0xb2, 2): 1 / 6})
    assert found[0, 0] > 100


def test_a_record_that_is_not_valid_is_ignored(profiler):
    found = traces(profiler, "traced", "fixed")
    assert {key for key in found if key[0]} == {(0xc3, span) for span in range(1, 11)}
    assert found[0, 0] > 300


def test_pointers_that_lead_nowhere_are_ignored(profiler):
    assert set(traces(profiler, "traced", "hostile")) == {(0, 0)}


def test_a_library_may_be_unloaded_and_loaded_again(profiler):
    found = traces(profiler, "traced", "unloaded")
    assert set(found) == {(0, 0), (0xd4, 1)}
    assert found[0xd4, 1] > 300, "it was found again"


@pytest.mark.parametrize("settings", [{"timeline": "no"}])
def test_without_a_timeline_nothing_is_looked_for(profiler, settings):
    result, (spool,) = profiler.collected([target("traced_linked")], **settings)
    assert result.status == 0
    assert spool.samples() > 100
