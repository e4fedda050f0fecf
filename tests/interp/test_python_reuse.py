"""Functions that are made and thrown away: nobody's name is on another's work, and the spool does
not grow with how often the same function is made."""

import re

import pythons
from pythons import PROGRAMS

PERIOD_NS = 100000
MADE = re.compile(r"made_(\d+)_(outer|middle|inner)")
KINDS = ["outer", "middle", "inner"]


def made_in(frames):
    return [MADE.fullmatch(name) for name in pythons.shorts(frames) if MADE.fullmatch(name)]


def check_nesting(folded):
    """(samples with such functions, those of them with all three); each stack has functions of one
    making only, outermost first, from the outermost on.  One that lost a name, because another
    thread was storing its own for too long, is not asked for those it lost."""
    some = whole = 0
    for frames, value in folded.stacks.items():
        found = made_in(frames)
        if found:
            some += value
            if any(place.special for place in pythons.places(frames)):
                assert len({match[1] for match in found}) == 1, frames
                continue
            whole += value if len(found) == len(KINDS) else 0
            assert len({match[1] for match in found}) == 1, frames
            assert [match[2] for match in found] == KINDS[:len(found)], frames
    return some, whole


def run(profiler, python, *arguments):
    plain = profiler.plain([python.path, "-B", PROGRAMS / "reuse.py", *arguments])
    assert plain.status == 0, plain.stderr
    result, (spool,) = profiler.collected([python.path, "-B", PROGRAMS / "reuse.py", *arguments],
                                          period=PERIOD_NS)
    assert (result.status, result.stderr) == (0, b"")
    made, distinct = (int(word) for word in result.stdout.split())
    assert made == int(plain.stdout.split()[0])
    return spool, made, distinct


def test_short_lived_functions_are_not_confused(profiler, python, record_property):
    spool, made, distinct = run(profiler, python, "distinct", "6000", "1")
    assert distinct < made / 2, "addresses were not used again"
    folded = profiler.fold([spool])
    some, whole = check_nesting(folded)
    names = {match[0] for frames in folded.stacks for match in made_in(frames)}
    record_property("samples in them", some)
    record_property("functions met", len(names))
    assert whole > 0.5 * some and len(names) > 300


def test_nor_are_those_of_several_threads(profiler, python):
    spool, _, _ = run(profiler, python, "distinct", "4000", "4")
    some, whole = check_nesting(profiler.fold([spool]))
    assert whole > 0.5 * some > 0


def test_the_same_text_made_again_is_the_same_function(profiler, python, record_property):
    """Fifty times as many makings: the spool has room for other stacks, but not for as many."""
    few, _, _ = run(profiler, python, "same", "100")
    many, made, distinct = run(profiler, python, "same", "5000")
    assert distinct < made
    record_property("bytes of spools", (few.used_bytes, many.used_bytes))
    folded = profiler.fold([many])
    assert {name for frames in folded.stacks for name in pythons.shorts(frames)
            if name.startswith("made_")} == {f"made_same_{kind}" for kind in KINDS}
    assert many.used_bytes <= 4 * few.used_bytes + (1 << 20)
