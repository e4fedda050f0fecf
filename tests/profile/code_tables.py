"""Print the tables of lines of this Python's own library, and what this Python reads in them.

A line of the output is a function: the format's number in runtime/spool/format_code.h, the first
line, the table in hexadecimal ("-": empty), and a line number for every second byte of its code;
0 where there is none.
"""

import ctypes
import os
import sys
import types

FORMATS = {9: ("co_lnotab", 2), 10: ("co_linetable", 3)}
MODULES = (
    "abc argparse ast asyncio/base_events bdb calendar cmd collections/__init__ configparser "
    "contextlib csv dataclasses decimal difflib dis doctest email/message enum functools heapq "
    "html/parser http/client importlib/_bootstrap inspect json/decoder logging/__init__ mailbox "
    "multiprocessing/pool pdb pickle pickletools platform random shutil socket ssl statistics "
    "string subprocess tarfile tempfile textwrap threading traceback typing unittest/case "
    "urllib/request uuid weakref xml/dom/minidom zipfile zipfile/__init__"
).split()

# A long jump backwards and forwards in lines, a function without a line of its own, many bytes.
MADE = "def f(x):\n" + "\n" * 400 + "    return (x +\n" + "\n" * 300 + "x.y" + ".z" * 300 + ")\n"


def functions(code):
    """Yield a code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from functions(constant)


def sources():
    """Yield the texts of modules of the standard library that this version has."""
    yield MADE
    for module in MODULES:
        path = os.path.join(os.path.dirname(os.__file__), module + ".py")
        if os.path.exists(path):
            with open(path, "rb") as file:
                yield file.read()


def main():
    table_name, number = FORMATS.get(sys.version_info[1], ("co_linetable", 4))
    line_of = ctypes.pythonapi.PyCode_Addr2Line
    line_of.argtypes = [ctypes.py_object, ctypes.c_int]
    for source in sources():
        for code in functions(compile(source, "module", "exec")):
            lines = (max(line_of(code, at), 0) for at in range(0, len(code.co_code), 2))
            table = getattr(code, table_name).hex() or "-"
            print(number, code.co_firstlineno, table, *lines)


main()
