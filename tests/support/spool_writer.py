"""Writes spools that hold chosen addresses: for tests of what is made of them."""

import ctypes
import os
import pathlib
import socket
import time

from spool_format import (
    CHUNK, COUNTS, HEAD, LANGUAGES, Chunk, Code, Counter, Header, LogEntry, Module, Node, Text,
    Thread, constant)

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
        self.lacks = 0  # of the thread
        self.log = []  # (ns after the start, node, samples, events)
        self.start_ns = 1000 * 10**9

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

    def sample(self, node, at_ns, samples=1, events=None):
        """A sample of that node, so many ns after the start, in the tree and in the log."""
        events = 1000 * samples if events is None else events
        pc, parent, before, sum_of_events = self.nodes[node]
        self.nodes[node] = pc, parent, before + samples, sum_of_events + events
        self.samples += samples
        self.log.append((at_ns, node, samples, events))

    def timed(self, lasted_ns, realtime_ns=None):
        """The process ended so long after its start, which was at that time of the clock."""
        self.header.start_ns = self.start_ns
        self.header.end_ns = self.start_ns + lasted_ns
        self.header.timeline_bytes = 1 << 20
        if realtime_ns:
            self.header.start_realtime_ns = realtime_ns

    def entries(self, reference):
        """The log, in chunks: (base_ns, entries)."""
        kind = {name: constant(f"SPOOL_LOG_{name}") for name in ("SAMPLE", "MORE", "THREAD")}
        room = (CHUNK - HEAD) // ctypes.sizeof(LogEntry)
        chunks = []
        for at_ns, node, samples, events in self.log:
            more = samples > 255 or events >= 2**32
            at_ns += self.start_ns
            if (not chunks or len(chunks[-1][1]) + 1 + more > room or
                    abs(at_ns - chunks[-1][0]) >= 2**46):
                chunks.append((at_ns, [LogEntry(head=self.header.pid << 32 | kind["THREAD"],
                                                body=self.header.start_ns)]))
            base_ns, entries = chunks[-1]
            if more:
                entries.append(LogEntry(head=samples << 4 | kind["MORE"], body=events))
                samples = events = 0
            head = (at_ns - base_ns) << 16 | samples << 8 | kind["SAMPLE"]
            entries.append(LogEntry(head=head % 2**64, body=events << 32 | reference(node)))
        return chunks

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
            language=LANGUAGES[language], lines=constant(f"SPOOL_LINES_{lines}"),
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
                add_chunk(kind, entries[at:at + room], at + room >= len(entries))

        def add_chunk(kind, part, last, base_ns=0):
            chunk = bytes(Chunk(kind=kind, count=len(part), base_ns=base_ns,
                                next=0 if last else len(data) + CHUNK))
            part = part if isinstance(part, bytes) else b"".join(map(bytes, part))
            data.extend((chunk + part).ljust(CHUNK, b"\0"))

        thread = Thread(state=1, tid=self.header.pid, name=b"test", start_ns=self.header.start_ns,
                        lacks=self.lacks,
                        first_chunk=first_node if self.nodes else 0)
        if self.log:
            thread.first_log = first_node + -(-len(self.nodes) // each) * CHUNK
        thread.count[COUNTS.index("SAMPLES")] = self.samples
        for i, value in enumerate(self.total):
            thread.total[i] = value
        self.header.first_thread = len(data)
        append(1, [thread])
        if self.nodes:
            append(3, [Node(pc=pc, parent=0 if parent is None else reference(parent),
                            samples=samples, events=events)
                       for pc, parent, samples, events in self.nodes])
        chunks = self.entries(reference)
        assert not chunks or len(data) == thread.first_log
        for base_ns, entries in chunks:
            add_chunk(constant("SPOOL_CHUNK_LOG"), entries, entries is chunks[-1][1], base_ns)
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
