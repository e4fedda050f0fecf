"""Waits of a Python program; each prints how long it took: NAME NANOSECONDS."""

import os
import queue
import select
import socket
import subprocess
import threading
import time

WAIT_S = 0.15
AT = {}


def wait_sleep():
    time.sleep(WAIT_S)


def wait_lock():
    lock = threading.Lock()
    with lock:
        threading.Timer(WAIT_S, lambda: None).start()
        lock.acquire(timeout=WAIT_S)


def wait_queue():
    box = queue.Queue()
    threading.Timer(WAIT_S, box.put, [1]).start()
    box.get(timeout=600)


def wait_pipe():
    read, write = os.pipe()
    threading.Timer(WAIT_S, os.write, [write, b"x"]).start()
    os.read(read, 1)


def wait_socket():
    one, other = socket.socketpair()
    threading.Timer(WAIT_S, other.send, [b"x"]).start()
    one.recv(1)


def wait_select():
    select.select([], [], [], WAIT_S)


def wait_join():
    thread = threading.Thread(target=time.sleep, args=(WAIT_S,))
    thread.start()
    thread.join()


def wait_child():
    subprocess.run(["sleep", str(WAIT_S)], check=True)


async def sleeping():
    await asyncio.sleep(WAIT_S)


def wait_async():
    asyncio.run(sleeping())


def main():
    for wait in (wait_sleep, wait_lock, wait_queue, wait_pipe, wait_socket, wait_select, wait_join,
                 wait_child, wait_async):
        start_ns = time.monotonic_ns()
        wait()
        print(wait.__name__, time.monotonic_ns() - start_ns)


if __name__ == "__main__":
    import asyncio
    main()
