"""Instructions per sample, from what the tour `cost` left."""

from running import STARTING

COARSE, FINE = 1000000, 250000
DEPTHS = 5, 20, 60, 127
MEMBERS = 2, 3, 4


def instructions(guest, name):
    word, value = guest.ended_well_saying(name).split()
    assert word == "instructions"
    return int(value)


def taken(guest, name):
    spool, = guest.spools(name)
    thread, = spool.threads
    leaves = thread.count["LEAF_ONLY"]  # on a busy host the handler seems slow to itself
    assert leaves <= 0.05 * thread.count["SAMPLES"]
    assert 0 <= thread.count["SAMPLES"] - leaves - thread.count["COMPLETE"] <= STARTING
    return thread.count["SAMPLES"]


def per_sample(guest, name):
    """Of the 61st and later samples: all that comes and goes with one more of them."""
    coarse, fine = f"cost_{name}_{COARSE}", f"cost_{name}_{FINE}"
    more = instructions(guest, fine) - instructions(guest, coarse)
    return more / (taken(guest, fine) - taken(guest, coarse))


def per_first_sample(guest, name):
    """Of the first samples: with asking libunwind for each rule."""
    coarse = f"cost_{name}_{COARSE}"
    more = instructions(guest, coarse) - instructions(guest, f"plain_{name}")
    return more / taken(guest, coarse)
