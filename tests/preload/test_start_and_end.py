"""Constructors of libraries are sampled, with the threads that they create, and so are destructors."""

import signal

import pytest

from running import COMMAND, LIBRARY, Folded, clean_environment, execute, least_ns, target

ENDS_MS = {"ends_at_start": 90, "ends_in_thread": 60, "ends_at_end": 30}
PERIOD_NS = 100000


@pytest.mark.parametrize("notify", [
    "sigtrap", "sigio",
    # among others that compete for the processor, a tick rarely meets the program: a sample then
    # stands for what several functions did
    pytest.param("timer", marks=pytest.mark.measures)])
def test_what_runs_before_main_and_after_it_is_sampled(profiler, notify):
    argv = [target("ends"), "word"]
    plain = execute(argv, clean_environment(ENDS="here"))
    done = execute(argv, clean_environment(ENDS="here", **profiler.preloaded(
        LIBRARY, period=PERIOD_NS, weight="events", notify=notify)))
    assert done.outcome() == plain.outcome() == (0, b"2 word ends here 1\ndestructor\n", b"")
    text = (profiler.folder / "x.folded").read_text(encoding="utf-8")
    for function, burnt_ms in ENDS_MS.items():
        assert Folded(text).burnt(function) >= least_ns(burnt_ms), function
    assert Folded(text).burnt("ends_at_start") > 2 * Folded(text).burnt("ends_at_end")
    assert "ends_before_all" not in text


def test_a_program_that_dies_in_a_destructor_leaves_its_samples(profiler):
    argv = [target("ends"), "abort"]
    plain = execute(argv, clean_environment(ENDS="here"))
    done = execute(argv, clean_environment(ENDS="here", **profiler.preloaded(
        LIBRARY, period=PERIOD_NS, weight="events")))
    assert done.outcome() == plain.outcome() == (-signal.SIGABRT, b"", b"")
    spool, = profiler.folder.glob("*.spool")
    folded = execute([COMMAND, "fold", "--weight", "events", spool], clean_environment())
    assert Folded(folded.stdout.decode()).burnt("ends_at_end") >= least_ns(ENDS_MS["ends_at_end"])
