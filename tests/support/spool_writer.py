"""Writes spools that hold chosen addresses: for tests of what is made of them.

Constants come from runtime/spool/format.h; its structs are mirrored here, and a reader that disagrees
about a size refuses the file.
"""

import ctypes
import os
import pathlib
import re
import socket
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "runtime" / "spool" / "format.h").read_text(encoding="utf-8")
COUNTS = re.findall(r"^\tX\((\w+),", TEXT, re.M)


def constant(name):
    return int(re.search(rf"{name}\s*(?:=\s*)?(0x[0-9a-f]+|\d+)", TEXT)[1], 0)


CHUNK = constant("SPOOL_CHUNK_BYTES")
HEAD = constant("SPOOL_CHUNK_HEAD")
COUNTERS = constant("SPOOL_COUNTERS_MAX")
LONG = constant("SPOOL_TEXT_MAX")
NAME = constant("SPOOL_NAME_MAX")
RUNNING, FINISHED, EXECED = 1, 2, 3
GONE = 4190000  # above any pid that the kernel gives out by default
U32, U64 = ctypes.c_uint32, ctypes.c_uint64


class Counter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * NAME), ("unit", U32), ("leader", U32),
                ("period", U64), ("frequency_hz", U64), ("raised", U64),
                ("flags", U32), ("missing", U32),
                ("scale", ctypes.c_char * constant("SPOOL_SCALE_MAX")),
                ("measure", ctypes.c_char * constant("SPOOL_MEASURE_MAX"))]


class Header(ctypes.Structure):
    _fields_ = [
        ("magic", U64), ("version", U32), ("header_bytes", U32), ("thread_bytes", U32),
        ("module_bytes", U32), ("node_bytes", U32), ("counter_count", U32),
        ("size_bytes", U64), ("used_bytes", U64), ("first_thread", U64), ("first_module", U64),
        ("state", U32), ("engine", U32), ("pid", U32), ("parent_pid", U32), ("uid", U32),
        ("weight", U32), ("threads", U32), ("formats", U32), ("inlined", U32),
        ("lines", U32), ("wall", U32), ("takes_ended", U32), ("start_ticks", U64),
        ("start_realtime_ns", U64), ("start_ns", U64), ("end_ns", U64), ("cpu_ns", U64),
        ("count", U64 * len(COUNTS)), ("counter", Counter * COUNTERS),
        ("note", ctypes.c_char * 256), ("command", ctypes.c_char * 16),
        ("host", ctypes.c_char * (NAME + 1)), ("executable", ctypes.c_char * LONG),
        ("arguments", ctypes.c_char * LONG), ("output", ctypes.c_char * LONG),
        ("directory", ctypes.c_char * LONG), ("window_from_ns", U64), ("window_to_ns", U64),
        ("stop_after_ns", U64)]


class Thread(ctypes.Structure):
    _fields_ = [("state", U32), ("tid", U32), ("name", ctypes.c_char * 16),
                ("first_chunk", U64), ("start_ns", U64), ("end_ns", U64),
                ("count", U64 * len(COUNTS)), ("total", U64 * (6 * COUNTERS)),
                ("recent", U64 * (3 * constant("SPOOL_RECENT"))), ("recent_next", U64),
                ("seen_ns", U64), ("seen_cpu_ns", U64)]


class Module(ctypes.Structure):
    _fields_ = [("start", U64), ("end", U64), ("bias", U64), ("since", U32), ("until", U32),
                ("flags", U32), ("build_id_bytes", U32),
                ("build_id", ctypes.c_ubyte * constant("SPOOL_BUILD_ID_MAX")),
                ("device", U64), ("inode", U64),
                ("path", ctypes.c_char * constant("SPOOL_PATH_MAX"))]


class Node(ctypes.Structure):
    _fields_ = [("pc", U64), ("parent", U32), ("generation", U32), ("samples", U64),
                ("events", U64)]


class Chunk(ctypes.Structure):
    _fields_ = [("kind", U32), ("count", U32), ("next", U64), ("reserved", U64 * 6)]


class Spool:
    """One counter, one thread.  Change .header before write()."""

    def __init__(self, pid, output="", start_ticks=1):
        self.header = Header(
            magic=constant("SPOOL_MAGIC"), version=constant("SPOOL_VERSION"),
            header_bytes=ctypes.sizeof(Header), thread_bytes=ctypes.sizeof(Thread),
            module_bytes=ctypes.sizeof(Module), node_bytes=ctypes.sizeof(Node),
            counter_count=1, state=FINISHED, engine=1, pid=pid, uid=os.geteuid(), formats=1,
            start_ticks=start_ticks, start_realtime_ns=time.time_ns(), command=b"test",
            host=socket.gethostname().encode(), output=str(output).encode())
        self.header.counter[0] = Counter(name=b"task-clock", unit=1, flags=8, period=1000000)
        self.modules = []
        self.nodes = []
        self.samples = 0
        self.total = ()  # struct spool_total: value, enabled_ns, running_ns, lost, dropped, paused

    def module(self, path, start, end, bias, build_id=b""):
        self.modules.append(Module(
            start=start, end=end, bias=bias, until=2**32 - 1, path=str(path).encode(),
            build_id_bytes=len(build_id),
            build_id=(ctypes.c_ubyte * len(Module().build_id))(*build_id)))
        return self.modules[-1]

    def node(self, pc, parent=None, samples=0, events=None):
        """parent is what an earlier call returned; a sample is 1000 events unless they are given."""
        self.nodes.append((pc, parent, samples, 1000 * samples if events is None else events))
        self.samples += samples
        return len(self.nodes) - 1

    def write(self, path):
        # pylint: disable=attribute-defined-outside-init  # fields of a C structure
        data = bytearray(4 * CHUNK)
        each = (CHUNK - HEAD) // ctypes.sizeof(Node)
        first_node = len(data) + CHUNK

        def reference(index):
            offset = first_node + index // each * CHUNK + HEAD
            return (offset + index % each * ctypes.sizeof(Node)) // 16

        def append(kind, entries):
            size = ctypes.sizeof(entries[0])
            room = (CHUNK - HEAD) // size
            for at in range(0, len(entries), room):
                part = entries[at:at + room]
                last = at + room >= len(entries)
                chunk = bytes(Chunk(kind=kind, count=len(part),
                                    next=0 if last else len(data) + CHUNK))
                data.extend((chunk + b"".join(map(bytes, part))).ljust(CHUNK, b"\0"))

        thread = Thread(state=1, tid=self.header.pid, name=b"test",
                        first_chunk=first_node if self.nodes else 0)
        thread.count[COUNTS.index("SAMPLES")] = self.samples
        for i, value in enumerate(self.total):
            thread.total[i] = value
        self.header.first_thread = len(data)
        append(1, [thread])
        if self.nodes:
            append(3, [Node(pc=pc, parent=0 if parent is None else reference(parent),
                            samples=samples, events=events)
                       for pc, parent, samples, events in self.nodes])
        if self.modules:
            self.header.first_module = len(data)
            append(2, self.modules)
        self.header.used_bytes = self.header.size_bytes = len(data)
        data[:ctypes.sizeof(Header)] = bytes(self.header)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)


def make(folder, pid=GONE, ticks=1, random="0", output="out", samples=3, **header):
    """The path of a spool of one stack, by the name that the library gives it."""
    spool = Spool(pid, folder / output, ticks)
    spool.node(2, None, samples)
    for name, value in header.items():
        setattr(spool.header, name, value)
    path = folder / f"flametrap.{pid}.{ticks}.{random}.spool"
    spool.write(path)
    return path


def ticks_of(pid):
    """When a process started, in the ticks of proc(5)."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    return int(text.rpartition(")")[2].split()[19])
