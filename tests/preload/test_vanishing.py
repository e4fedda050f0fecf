"""R5: unwind information that the target unmaps or protects while it is sampled at each page
fault costs frames, which are counted; the target, and its own handling of faults, go on."""

from running import target

ROUNDS = 40
PAGES = 256  # faults that harm_vanish takes in vanish_unseen, when its unwind information is gone
CUT = ["TRUNCATED_DEPTH", "TRUNCATED_NO_RULE", "TRUNCATED_BOUNDS", "TRUNCATED_BUSY",
       "TRUNCATED_FAILED", "LEAF_ONLY"]


def test_unwind_information_that_goes_away_costs_frames_and_nothing_else(profiler,
                                                                        record_property):
    argv = [target("harm_vanish"), ROUNDS]
    _, spools = profiler.alike(argv, (0, b"ok\n", b""), events="page-faults", period=1)
    spool, = spools
    cut = sum(spool.count(name) for name in CUT)
    assert spool.count("SAMPLES") == spool.count("COMPLETE") + cut
    stacks = profiler.fold(spools)
    unseen = {frames: value for frames, value in stacks.stacks.items()
              if "vanish_unseen" in frames}
    assert sum(unseen.values()) == PAGES, (spool.note, spool.count("DEGRADED"), stacks.stacks)
    # none of them can be known to be called by main
    whole = sum(value for frames, value in unseen.items() if frames[1] == "_start")
    assert whole <= spool.count("GUESSED")
    assert cut + spool.count("GUESSED") >= PAGES
    record_property("samples", spool.count("SAMPLES"))
    record_property("cut", cut)
