"""Functions of interpreted programs on the Arm machine: every stack of the work has the functions that
called it, and each has its share of the instructions."""

import pytest

LANGUAGES = {  # how main begins, and what a function is called
    "python": (["chains.<module>", "chains.main"], "chains.{}"),
    "perl": (["{main} chains.pl", "main::main"], "main::{}"),
    "php": (["{main} chains.php", "main"], "{}"),
    "ruby": (["<main> chains.rb", "main"], "{}"),
}
PARTS = {"deep": 1, "heavy": 3, "in_order": 2}
DEPTH = 10
SHARE = 0.03  # of some hundred samples
NAMELESS = 0.05  # of the work's samples may be without functions, where a call is in progress


@pytest.fixture(scope="module", params=LANGUAGES)
def chains(machines, request):
    guest = machines.guest("6.12", "interp")
    guest.ended_well(request.param)
    return request.param, guest


def functions(frames):
    """Without what only one language has in between: Ruby's blocks, and the function of PHP that calls
    key_of."""
    names = [frame.removesuffix("_[p]") for frame in frames if frame.endswith("_[p]")]
    return [name for name in names if not name.startswith(("block in ", "array_map"))]


def parts_of(chains):
    """{the function that main called: samples in work}, and all such functions' stacks."""
    language, guest = chains
    _, name = LANGUAGES[language]
    found, stacks = dict.fromkeys(PARTS, 0), []
    for frames, value in guest.folded(f"{language}/p.folded").items():
        names = functions(frames)
        if name.format("work") in names:
            part, = [part for part in PARTS if name.format(part) in names]
            found[part] += value
            stacks.append(names)
    return found, stacks


def test_each_part_has_its_share_of_the_instructions(chains):
    found, _ = parts_of(chains)
    total = sum(found.values())
    assert total > 100
    for part, work in PARTS.items():
        assert abs(found[part] / total - work / sum(PARTS.values())) < SHARE, found


def test_every_stack_has_each_of_its_calls(chains):
    language, _ = chains
    begin, name = LANGUAGES[language]
    inner = {"deep": ["deep"] * DEPTH + ["light"], "heavy": ["heavy"],
             "in_order": ["in_order", "key_of"]}
    right = {tuple(begin) + tuple(map(name.format, [*chain, "work"])) for chain in inner.values()}
    _, stacks = parts_of(chains)
    assert {tuple(names) for names in stacks} == right


def test_nearly_all_stacks_have_their_functions(chains):
    language, guest = chains
    spool, = guest.spools(f"{language}_raw")
    count = {name: sum(thread.count[name] for thread in spool.threads)
             for name in ("INTERP_MERGED", "INTERP_PENDING", "INTERP_UNMERGED")}
    assert count["INTERP_MERGED"] > 100
    assert count["INTERP_PENDING"] + count["INTERP_UNMERGED"] <= NAMELESS * count["INTERP_MERGED"], count
