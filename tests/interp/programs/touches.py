"""Functions that write to a field of a library, by the library's own code and by ctypes': 150 times and
50 times in the main thread, 100 times in another; and 7 times while the library is loaded.

touches.py LIBRARY
"""

import ctypes
import sys
import threading


def loads(path):
    return ctypes.CDLL(path)


def deposits(library, times):
    for i in range(times):
        library.plugin_often(i)


def corrects(library, times):
    library.plugin_field.restype = ctypes.c_void_p
    field = ctypes.c_long.from_address(library.plugin_field())
    for i in range(times):
        field.value = i


def in_thread(library):
    deposits(library, 100)


def main():
    library = loads(sys.argv[1])
    deposits(library, 150)
    corrects(library, 50)
    thread = threading.Thread(target=in_thread, args=(library,))
    thread.start()
    thread.join()
    print("done")


if __name__ == "__main__":
    main()
