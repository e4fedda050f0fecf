"""Threads, processes and interpreters of a Python program, what it may ask of itself, and how it may end;
each scene prints what it found.

scenes.py SCENE
"""
# pylint: disable=import-outside-toplevel,exec-used,protected-access,broad-exception-raised,import-error
# pylint: disable=bad-thread-instantiation

import os
import sys
import threading
import time

from busy import burn


def own_work_0():
    burn()


def own_work_1():
    burn()


def own_work_2():
    burn()


def own_work_3():
    burn()


def threads():
    """Four threads with a function each, all at once: the lock goes from one to the next."""
    started = [threading.Thread(target=work, name=work.__name__)
               for work in (own_work_0, own_work_1, own_work_2, own_work_3)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    print("joined", len(started))


def many_threads():
    """One after the other, and all of them short."""
    def short_life(number):
        found.append(number)
        burn(0.001)
    found = []
    for number in range(200):
        thread = threading.Thread(target=short_life, args=(number,))
        thread.start()
        if number % 8 == 0:
            thread.join()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join()
    print(sorted(found) == list(range(200)))


def in_child():
    burn()


def in_grandchild():
    burn()


def forks():
    pids = []
    for status in (0, 3):
        pid = os.fork()
        if pid == 0:
            in_child()
            if status:
                grandchild = os.fork()
                if grandchild == 0:
                    in_grandchild()
                    os._exit(7)
                print("grandchild", os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]), flush=True)
            os._exit(status)
        pids.append(pid)
        print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    own_work_0()


def fork_of_thread():
    """A child of a thread has that thread alone."""
    def fork_here():
        pid = os.fork()
        if pid == 0:
            in_child()
            os._exit(5)
        print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    other = threading.Thread(target=own_work_1)
    other.start()
    thread = threading.Thread(target=fork_here)
    thread.start()
    thread.join()
    other.join()


def squared(n):
    burn(0.05)
    return n * n


def pool(method):
    import multiprocessing
    with multiprocessing.get_context(method).Pool(2) as workers:
        print(workers.map(squared, range(6), chunksize=1))


def pool_fork():
    pool("fork")


def pool_spawn():
    pool("spawn")


def pool_forkserver():
    pool("forkserver")


def executor():
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(3) as workers:
        print(list(workers.map(squared, range(9))))


SUBINTERPRETER = """
import time
def in_subinterpreter():
    end = time.thread_time() + 0.15
    x = 1
    while time.thread_time() < end:
        for i in range(200):
            x = (x * 31 + i) % 1000003
in_subinterpreter()
"""


def run_sub(text):
    from another import run_in_another
    print("destroyed", run_in_another(text), flush=True)


def subinterpreters():
    """One within this thread's stack, again, and others in threads of their own."""
    def calls_subinterpreter():
        run_sub(SUBINTERPRETER)
    calls_subinterpreter()
    calls_subinterpreter()
    own_work_0()
    started = [threading.Thread(target=calls_subinterpreter) for _ in range(2)]
    for thread in started:
        thread.start()
        own_work_1()
    for thread in started:
        thread.join()


def signals():
    """A handler written in Python runs wherever the program is."""
    import signal

    def on_alarm(_number, _frame):
        counts.append(1)
        burn(0.004)
        if len(counts) < 40:
            signal.setitimer(signal.ITIMER_REAL, 0.002)
    counts = []

    def waits_for_alarms():
        while len(counts) < 40:
            burn(0.001)
    signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.002)
    waits_for_alarms()
    print("alarms", len(counts))


def traced():
    """A debugger sees each line of each call, as ever."""
    lines = []

    def tracer(frame, event, _argument):
        if frame.f_code.co_filename == __file__:
            lines.append((event, frame.f_code.co_name, frame.f_lineno))
        return tracer

    def traced_outer(n):
        return sum(traced_inner(i) for i in range(n))

    def traced_inner(i):
        for j in range(3):
            i += j
        return i
    sys.settrace(tracer)
    for _ in range(60):
        traced_outer(25)
    sys.settrace(None)
    print(len(lines), lines[:3], lines[-3:])


def collected():
    """Cycles, finalisers and weak references: what is freed, when, is Python's own matter."""
    import gc
    import weakref
    gone = []

    class Node:
        def __init__(self, number):
            self.number, self.other = number, self

        def __del__(self):
            gone.append(self.number)
            burn(0.0001)

    def makes_cycles():
        return [weakref.ref(Node(number)) for number in range(300)]
    references = makes_cycles()
    for _ in range(5):
        gc.collect()
    space = {}
    exec("def thrown_away(n):\n    return [i for i in range(n)]", space)
    codes = [weakref.ref(space["thrown_away"].__code__)]
    space["thrown_away"](200000)
    del space
    gc.collect()
    print(len(gone), sorted(gone) == list(range(300)),
          sum(reference() is not None for reference in references + codes))


def references():
    """Nobody holds a reference to a function for us."""
    def counted():
        return burn(0.05)
    before = sys.getrefcount(counted), sys.getrefcount(counted.__code__)
    for _ in range(4):
        counted()
    print(before == (sys.getrefcount(counted), sys.getrefcount(counted.__code__)))


def errors():
    """errno, which is a thread's, is what the program left there."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    wrong = 0
    for number in range(1, 40):
        ctypes.set_errno(number)
        burn(0.005)
        wrong += ctypes.get_errno() != number
    print("wrong", wrong, libc.close(-1), ctypes.get_errno())


def daemons():
    """Daemon threads run on while the interpreter goes away."""
    def for_ever():
        while True:
            burn(0.01)
    for _ in range(4):
        threading.Thread(target=for_ever, daemon=True).start()
    burn(0.05)
    print("main ends")


def exits():
    """_exit with threads about."""
    threading.Thread(target=burn, args=(60,), daemon=True).start()
    burn()
    print("gone", flush=True)
    os._exit(9)


def thread_exits():
    def leaves():
        burn(0.02)
        sys.exit(4)  # of the thread alone
    thread = threading.Thread(target=leaves)
    thread.start()
    thread.join()
    print("on")
    sys.exit(6)


def raises():
    def raising(n):
        if n == 0:
            burn()
            raise ValueError("on purpose")
        raising(n - 1)
    raising(10)


def too_deep():
    def deeper():
        return deeper() + 1
    found = ""
    for _ in range(20):
        try:
            deeper()
        except RecursionError as error:
            found = str(error)
    print(found)


def deep():
    """Far beyond what one stack holds."""
    def down(n):
        return burn(0.3) if n == 0 else down(n - 1)
    sys.setrecursionlimit(5000)
    print(down(1500) >= 0)


def segfault():
    """faulthandler prints the Python stack of a crash."""
    import ctypes
    import faulthandler
    faulthandler.enable()

    def crashes():
        burn(0.05)
        ctypes.string_at(0)
    crashes()


def watchdog():
    """faulthandler's own thread prints the stacks of all others."""
    import faulthandler
    with open(os.devnull, "w", encoding="ascii") as file:
        faulthandler.dump_traceback_later(0.01, repeat=True, file=file)
        burn()
        faulthandler.cancel_dump_traceback_later()
    print("dumped")


def audited():
    seen = []
    sys.addaudithook(lambda event, _: seen.append(event))
    exec(compile("x = 1", "<made>", "exec"))
    print([event for event in seen if event in ("compile", "exec")])


def foreign():
    """C code's own thread calls Python: a state is made for it, and thrown away."""
    import ctypes
    calls = []

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    def called_by_foreign(_):
        calls.append(1)
        burn(0.02)
        return 0
    libc = ctypes.CDLL(None)
    for _ in range(8):
        thread = ctypes.c_void_p()
        libc.pthread_create(ctypes.byref(thread), None, called_by_foreign, None)
        libc.pthread_join(thread, None)
    print("called", len(calls))


def slept():
    """Sleeps, locks and pipes are as long as ever, and no call is interrupted."""
    import queue
    import select
    import subprocess
    started = time.monotonic()
    time.sleep(0.05)
    read, write = os.pipe()
    select.select([read], [], [], 0.05)
    os.write(write, b"x")
    box = queue.Queue()
    threading.Timer(0.05, box.put, ["put"]).start()
    found = box.get(timeout=60), os.read(read, 1)
    out = subprocess.run(["echo", "child"], stdout=subprocess.PIPE, check=True).stdout
    print(found, out, time.monotonic() - started >= 0.15)


def main():
    globals()[sys.argv[1]]()


if __name__ == "__main__":
    main()
