"""An edited copy of this machine's libc, which lacks names as an older one does."""

import pathlib
import re
import struct
import subprocess

from running import LIBRARY, clean_environment, execute, program

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
# In libpthread.so.0 until some version of glibc; libdl.so.2 had those of the loader until 2.34.
THREADS = {"pthread_create": "2.34", "thrd_create": "2.34", "pthread_sigmask": "2.32",
           "pthread_key_create": "2.34", "pthread_key_delete": "2.34", "tss_create": "2.34",
           "pthread_setspecific": "2.34",
           "pthread_getattr_np": "2.32", "pthread_getattr_default_np": "2.34",
           "pthread_attr_getstack": "2.34", "pthread_attr_getstacksize": "2.34"}
LOADER = {"dlopen": "2.34", "dlsym": "2.34", "dladdr": "2.34", "dlclose": "2.34"}
FORWARD = """void *dlvsym(void *, const char *, const char *);
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#define FORWARD(name, of, version) \\
long name(long a, long b, long c, long d) { static long (*next)(long, long, long, long); \\
if (!next) *(void **)&next = dlvsym((void *)-1, #of, "GLIBC_" version); return next(a, b, c, d); }
"""
DYNSYM, VERSYM, HIDDEN = 11, 0x6fffffff, 0x8000


def paths():
    """The loader of this machine and its libc."""
    done = execute([program("ldd"), LIBRARY], clean_environment())
    text = done.stdout.decode()
    return (re.search(r"(/\S+/ld-linux\S*)", text)[1],
            pathlib.Path(re.search(r"(/\S+/libc\.so\.6)", text)[1]))


def sections(data):
    """{type: (offset, size, section it is linked with)} and the same by number."""
    at, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    rows = [SECTION.unpack_from(data, at + i * SECTION.size) for i in range(count)]
    listed = [(row[4], row[5], row[6]) for row in rows]
    return {row[1]: place for row, place in zip(rows, listed)}, listed


def forget(path, names, hide=False):
    """The bytes of a library without these names; with `hide` only programs that ask for a version
    of them, as they do at their start, find them."""
    data = bytearray(path.read_bytes())
    by_type, listed = sections(data)
    start, size, strings = by_type[DYNSYM]
    versions = by_type[VERSYM][0]
    names = set(names)
    for number in range(size // SYMBOL.size):
        at = start + number * SYMBOL.size
        fields = list(SYMBOL.unpack_from(data, at))
        name_at = listed[strings][0] + fields[0]
        if data[name_at:data.index(0, name_at)].decode() not in names:
            continue
        if hide:
            data[versions + 2 * number + 1] |= HIDDEN >> 8
        else:
            fields[3] = fields[4] = 0  # undefined
            SYMBOL.pack_into(data, at, *fields)
    return bytes(data)


def write(folder, names, hide=False):
    """A folder with such a libc, for the loader's --library-path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "libc.so.6").write_bytes(forget(paths()[1], names, hide))
    return folder


def library(folder, name, functions):
    """A library of this name with functions that an older libc does not have itself."""
    source = FORWARD + "".join(f'FORWARD({function}, {of}, "{version}")\n'
                               for function, (of, version) in functions.items())
    subprocess.run(["cc", "-w", "-D_GNU_SOURCE", "-shared", "-fPIC", "-x", "c", "-",
                    f"-Wl,-soname,{name}", "-o", folder / name], input=source.encode(), check=True)


def layout(folder):
    """A folder with libc, libpthread and libdl as they were before glibc 2.34."""
    write(folder, {**THREADS, **LOADER}, hide=True)
    library(folder, "libpthread.so.0", {name: (name, of) for name, of in THREADS.items()})
    library(folder, "libdl.so.2", {name: (name, of) for name, of in LOADER.items()})
    return folder
