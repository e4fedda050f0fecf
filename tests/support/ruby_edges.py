"""The calls of tests/interp/programs/edges.rb: those that TracePoint saw, and those in a profile."""

import collections

import rubies


def recorded(text):
    """What a run with `record` wrote: ({call}, {method})."""
    seen, methods = set(), set()
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) == 1:
            methods.add(line)
            continue
        file, name, number, callee_file, callee_name, _ = words
        seen.add((file, name, int(number or 0), callee_file, callee_name))
    return seen, methods


def own_part(frames):
    """The functions from the one where the program begins to work, or of a fiber's stack, as far as
    they are in both runs."""
    found = rubies.places(frames)
    at = next((at for at, place in enumerate(found) if place.name == "in_thread"), None)
    if at is not None:
        found = found[at:]
    elif not found or found[0].file != "edges.rb" or found[0].name == "<main>":
        return []
    end = next((at for at, place in enumerate(found) if place.name.endswith("in sample")), None)
    return found[:end]


def edges_of(folded):
    """{edge: samples}, and the number of samples in the program's own part."""
    edges, samples = collections.Counter(), 0
    for frames, value in folded.stacks.items():
        part = own_part(frames)
        samples += value if part else 0
        for caller, callee in zip(part, part[1:]):
            edges[(caller.file, caller.name, caller.line, callee.file, callee.name)] += value
    return edges, samples
