"""Writes spools that hold chosen addresses: for tests of what is made of them."""

import ctypes
import os
import pathlib
import socket
import time

from spool_format import (
    CHUNK, COUNTS, HEAD, Chunk, Code, Counter, Header, Module, Node, Text, Thread, constant)

RUNNING, FINISHED, EXECED = 1, 2, 3
GONE = 4190000  # above any pid that the kernel gives out by default


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
        self.codes = []
        self.texts = b""
        self.samples = 0
        self.total = ()  # struct spool_total

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

    def text(self, text):
        data = text if isinstance(text, bytes) else str(text).encode()
        at = self.texts.find(data)
        if at < 0:
            at = len(self.texts)
            self.texts += data
        return Text(at=at, bytes=len(data))

    def code(self, name, file="", qualified="", first_line=1, lines="PLACE", table=b"",
             language="PYTHON"):
        """The number of a new function of an interpreter."""
        self.codes.append(Code(
            language=constant(f"SPOOL_LANGUAGE_{language}"), lines=constant(f"SPOOL_LINES_{lines}"),
            first_line=first_line, name=self.text(name), qualified=self.text(qualified),
            file=self.text(file), table=self.text(table)))
        return len(self.codes)

    def call(self, code, place=0, parent=None, samples=0, events=None):
        """A node of that function."""
        pc = constant("SPOOL_PC_CODE") | code << constant("SPOOL_CODE_PLACE_BITS") | place
        return self.node(pc, parent, samples, events)

    def write(self, path):
        # pylint: disable=attribute-defined-outside-init  # fields of a C structure
        data = bytearray(4 * CHUNK)
        each = (CHUNK - HEAD) // ctypes.sizeof(Node)
        first_node = len(data) + CHUNK

        def reference(index):
            offset = first_node + index // each * CHUNK + HEAD
            return (offset + index % each * ctypes.sizeof(Node)) // 16

        def append(kind, entries):
            size = 1 if isinstance(entries, bytes) else ctypes.sizeof(entries[0])
            room = (CHUNK - HEAD) // size
            for at in range(0, len(entries), room):
                part = entries[at:at + room]
                last = at + room >= len(entries)
                chunk = bytes(Chunk(kind=kind, count=len(part),
                                    next=0 if last else len(data) + CHUNK))
                part = part if size == 1 else b"".join(map(bytes, part))
                data.extend((chunk + part).ljust(CHUNK, b"\0"))

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
        if self.codes:
            self.header.first_code = len(data)
            append(4, self.codes)
        if self.texts:
            self.header.first_text = len(data)
            append(5, self.texts)
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
