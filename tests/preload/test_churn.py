"""Threads and libraries that come and go for ever: what a spool holds and what is mapped grows with
different objects, and not with how often they come.  Each round's library touches one new page, and
each page fault is a sample."""

import shutil
import subprocess

import pytest

from running import COMMAND, Folded, target

ROUNDS = 200  # every library has been at many places by then
LIBRARIES = 20
LAST_TOUCH = 2  # chunks: a thread's tree may have needed one more when it was merged


class Churn:
    def __init__(self, profiler, rounds, libraries, **settings):
        result, spools = profiler.collected([target("churn"), rounds, *libraries],
                                            period=1, **settings)
        assert (result.status, result.stderr) == (0, b"")
        self.spool, = spools
        self.profiler = profiler
        self.mappings = int(result.stdout)
        self.modules = sum(number for _, number in self.spool.chunks(self.spool.first_module))
        self.nodes = sum(len(thread.nodes) for thread in self.spool.threads)

    def by_module(self):
        done = subprocess.run([COMMAND, "fold", "--by", "module", self.spool.path], check=True,
                              capture_output=True, text=True)
        return Folded(done.stdout)


@pytest.fixture(params=[1, LIBRARIES])
def libraries(request, profiler):
    """That many, of different files, and otherwise the same."""
    paths = [profiler.folder / f"libchurn{number}.so" for number in range(request.param)]
    for path in paths:
        shutil.copy(target("libchurn.so"), path)
    return paths


@pytest.mark.parametrize("threads", ["merge", "name"])
def test_coming_again_grows_nothing(profiler, libraries, threads):
    """Nothing but the timeline, which has a bound of its own."""
    few, many = (Churn(profiler, rounds, libraries, events="page-faults:u", threads=threads,
                       timeline="no")
                 for rounds in (ROUNDS, 4 * ROUNDS))
    assert many.spool.samples() > 3 * few.spool.samples() > 3 * ROUNDS
    assert many.modules == few.modules
    assert many.nodes <= few.nodes + ROUNDS // 10  # places of rare faults, in 3 * ROUNDS more rounds
    assert many.mappings <= few.mappings + 1
    assert many.spool.used_bytes <= few.spool.used_bytes + LAST_TOUCH * 8192


def test_each_library_keeps_its_samples(profiler, libraries):
    """One page in each of its rounds, whatever lay at its addresses in between."""
    churn = Churn(profiler, ROUNDS, libraries, events="page-faults:u")
    assert churn.profiler.fold([churn.spool]).inclusive("churn_touch") >= ROUNDS
    folded = churn.by_module()
    for path in libraries:
        assert folded.leaf(rf".*{path.name}.*") >= ROUNDS // len(libraries), folded.stacks
    assert folded.inclusive(r"\[unknown\]") == 0
