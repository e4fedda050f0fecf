"""Threads, processes and interpreters of a Python program; each prints what it found.

lives.py SCENE
"""
# pylint: disable=import-outside-toplevel,protected-access,import-error,bad-thread-instantiation

import os
import sys
import threading

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


def main():
    globals()[sys.argv[1]]()


if __name__ == "__main__":
    main()
