"""Threads and libraries that come and go for ever: what a spool holds and what is mapped grows with
different objects, and not with how often they come; and the spool can be read meanwhile.  Each round's
library touches one new page, and each page fault is a sample.  Code that a program maps a second time from
the file of a loaded object has the names of the first, though the loader knows of one mapping only."""

import shutil
import subprocess

import pytest

from running import COMMAND, Folded, clean_environment, execute, program, target

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


GROWING = """
import threading


def hot(n):
    while n:
        n -= 1

def forever():
    while True:
        hot(1000)

threading.Thread(target=forever, daemon=True).start()
print("ready", flush=True)
while True:
    threads = [threading.Thread(target=hot, args=(20000,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
READS = 40


def test_a_growing_spool_with_threads_that_come_and_go_is_read(profiler):
    """Beside its process: whole, without damage, and growing.  A thread that ends while its neighbours
    are read may be missed once, never for good."""
    environment = clean_environment(**profiler.preloaded(events="task-clock:u", period=250000))
    with subprocess.Popen([program("python3"), "-c", GROWING], env=environment, text=True,
                          stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            path, = profiler.folder.glob("*.spool")

            def samples():
                done = execute([COMMAND, "fold", path], clean_environment())
                assert (done.status, done.stderr) == (0, b"")
                return Folded(done.stdout.decode()).total

            counts = []
            while len(counts) < READS or counts[-1] < 1000:
                counts.append(samples())
        finally:
            process.kill()
    assert counts[-1] > counts[0] and counts[-1] > 0.9 * max(counts)
    assert samples() >= 0.9 * max(counts)


UNITS = 100_000_000  # 4 times as many turns of a loop: some 100 ms
PERIOD_NS = 200000
INNER = 3 / 4  # of the work
WITHIN = 0.1  # by chance, of hundreds of samples


@pytest.mark.parametrize("how", ["end", "unmap", "fork", "exec"])
def test_functions_in_a_second_mapping_have_their_names(profiler, how):
    """Whether it is there at the end, was unmapped before, is in a child, or gives way to another
    program."""
    argv = [target("twice"), UNITS, how]
    result, spools = profiler.alike(argv, period=PERIOD_NS, events="task-clock:u")
    assert result.stdout == (b"done\n" if how == "exec" else b"")
    folded = profiler.fold(spools, "--weight", "samples")
    outer, inner = folded.inclusive("outer"), folded.leaf("inner")
    assert outer >= 100 and outer >= 0.9 * folded.inclusive("main")
    assert abs(inner / outer - INNER) <= WITHIN, (inner, outer)
    assert not folded.inclusive(r"\[unknown\]")


def test_both_mappings_are_one_module(profiler):
    _, spools = profiler.collected([target("twice"), UNITS], period=PERIOD_NS,
                                   events="task-clock:u")
    folded = profiler.fold(spools, "--weight", "samples", "--by", "module")
    assert folded.leaf("twice") >= 0.9 * folded.total


def test_nothing_is_read_where_no_sample_met_such_code(profiler):
    """Neither at munmap nor at the end."""
    def opened(*argv):
        done, lines = profiler.straced(argv, "-e", "trace=openat", events="task-clock:u", period=PERIOD_NS,
                                       collect="yes", log="quiet", notify="sigtrap")
        assert done.status in (0, 7), done.stderr
        return sum("/proc/self/maps" in line for line in lines)

    assert opened(target("harm_loop"), "1000") == 0
    assert opened(target("twice"), UNITS, "unmap") == 2
