"""Puts garbage into each word of the thread's state, and of the frame that it leads to."""

import ctypes
import sys

swap = ctypes.PyDLL(sys.argv[1])
ROUNDS = int(sys.argv[2])
swap.swap_gone.restype = swap.swap_flicker.restype = ctypes.c_uint64
ctypes.pythonapi.PyThreadState_Get.restype = ctypes.c_void_p
state = ctypes.pythonapi.PyThreadState_Get()
WORDS = 64
words = list((ctypes.c_uint64 * WORDS).from_address(state))
gone = swap.swap_gone()
flicker = swap.swap_flicker()


def put(address, wrong):
    swap.swap_word(ctypes.c_void_p(address), ctypes.c_uint64(wrong), ctypes.c_ulong(ROUNDS))


def put_all():
    for i in range(WORDS):
        for wrong in (0, 1, 2**64 - 1, 0x7fffffffffff, 0xffff888000000000, gone, flicker, state,
                      state + 8 * i, words[(i + 1) % WORDS], 0xdead000000000000, 0x100000001):
            put(state + 8 * i, wrong)


put_all()
swap.swap_steady()
print("alive")
