"""The calls of calls.py, recorded or to be sampled.

edges.py sample SECONDS   works for so much CPU time
edges.py record FILE      writes every call that sys.setprofile sees: the caller's file, name and
                          line, the callee's file and name
"""

import asyncio
import gc
import json
import os
import sys
import threading
import time

from calls import all_parts, in_thread


class Recorder:
    """What sys.setprofile sees of calls."""

    def __init__(self):
        self.edges = set()
        self.names = {}

    def __call__(self, frame, event, _argument):
        if event != "call" or frame.f_back is None:
            return
        caller, callee = frame.f_back, frame.f_code
        self.edges.add((os.path.basename(caller.f_code.co_filename), caller.f_code.co_name,
                        caller.f_lineno, os.path.basename(callee.co_filename), callee.co_name))
        self.names[caller.f_code] = 1
        self.names[callee] = 1

    def write(self, path):
        codes = {}
        for code in self.names:
            known = codes.setdefault(f"{os.path.basename(code.co_filename)}:{code.co_name}",
                                     {"made": False, "names": []})
            known["made"] |= bool(code.co_flags & 0x2a0)  # generators and coroutines
            known["names"] += code.co_names + code.co_varnames + code.co_freevars + tuple(
                constant.co_name for constant in code.co_consts if hasattr(constant, "co_name"))
        for code in codes.values():
            code["names"] = sorted(set(code["names"]))
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"edges": sorted(self.edges), "codes": codes}, file)


def record(path):
    """Each thread's calls, three times over."""
    recorder = Recorder()
    left = {}

    def enough():
        own = threading.get_ident()
        left[own] = left.get(own, 4) - 1
        return left[own] <= 0

    threading.setprofile(recorder)
    thread = threading.Thread(target=in_thread, args=(enough,))
    thread.start()
    thread.join()
    threading.setprofile(None)
    sys.setprofile(recorder)
    in_thread(enough)
    sys.setprofile(None)
    recorder.write(path)


def sample(seconds):
    """Two threads share the time, one after the other, so that nobody waits for the lock."""
    end = threading.local()

    def enough():
        if not hasattr(end, "seconds"):
            end.seconds = time.thread_time() + seconds / 2
        return time.thread_time() > end.seconds

    thread = threading.Thread(target=in_thread, args=(enough,))
    thread.start()
    thread.join()
    in_thread(enough)


def warm_up():
    """What is imported, compiled or made at the first time, is not looked at."""
    loop = asyncio.new_event_loop()
    all_parts(loop)
    loop.close()


def main():
    gc.disable()  # where it would collect is not the same in both runs
    warm_up()
    if sys.argv[1] == "record":
        record(sys.argv[2])
    else:
        sample(float(sys.argv[2]))
    print("done")


if __name__ == "__main__":
    main()
