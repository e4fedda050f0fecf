"""A garbage collection is a frame below the function that caused it, and never one below a function
that the collection runs."""

from pythons import sampled, shorts

PROGRAM = """
import time

class Final:
    def __init__(self):
        self.me = self

    def __del__(self):
        for _ in range(3000):
            pass

def rings(more):
    kept = []
    end = time.thread_time() + 0.6
    while time.thread_time() < end:
        for _ in range(200):
            ring = []
            ring.append(ring)
            kept.append(ring)
        more()
        kept = kept[-20000:]

def finals():
    Final()

rings(int)
rings(finals)
"""


def test_a_collection_is_below_what_caused_it(profiler, python):
    folded, _ = sampled(profiler, [python.path, "-S", "-c", PROGRAM], period=200000)
    stacks = [shorts(names) for names in folded.stacks]
    final = [names for names in stacks if "__del__" in names]
    assert final, "the collector ran finalizers"
    assert not [names for names in final if "[gc]" in names[names.index("__del__"):]]
    collecting = [names for names in stacks if "[gc]" in names and "rings" in names]
    assert collecting or python.version < (3, 11)
    for names in collecting:
        assert names[names.index("[gc]") - 1] in ("rings", "finals", "__init__"), names


WAITS = """
import gc, threading

gc.disable()
began, may_end = threading.Event(), threading.Event()

class Waits:
    def __init__(self):
        self.me = self

    def __del__(self):
        began.set()
        may_end.wait()

def collects():
    Waits()
    gc.collect()

def other():
    began.wait()
    numbers = list(range(1000))
    for _ in range(20000):
        sorted(numbers)
    may_end.set()

thread = threading.Thread(target=collects)
thread.start()
other()
thread.join()
"""


def test_threads_that_run_while_another_one_s_finalizer_waits_do_not_collect(profiler, python):
    folded, _ = sampled(profiler, [python.path, "-S", "-c", WAITS], period=200000)
    stacks = [shorts(names) for names in folded.stacks]
    others = [names for names in stacks if "other" in names]
    assert others
    assert not [names for names in others if "[gc]" in names]
