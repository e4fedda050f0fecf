"""A reader of spools for tests, written from runtime/spool/format.h and nothing else.

It shares no code with runtime/fold, so that the two check each other.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEADER = (ROOT / "runtime" / "spool" / "format.h").read_text(encoding="utf-8")


def constant(name):
    return int(re.search(rf"#define {name}\s+(\w+?)(?:ULL|u)?\b", HEADER)[1], 0)


COUNTS = re.findall(r"^\tX\((\w+),", HEADER, re.M)
COUNTERS_MAX = constant("SPOOL_COUNTERS_MAX")
NAME_MAX = constant("SPOOL_NAME_MAX")
SCALE_MAX = constant("SPOOL_SCALE_MAX")
MEASURE_MAX = constant("SPOOL_MEASURE_MAX")
TEXT_MAX = constant("SPOOL_TEXT_MAX")
PATH_MAX = constant("SPOOL_PATH_MAX")
BUILD_ID_MAX = constant("SPOOL_BUILD_ID_MAX")
EXCLUDE_KERNEL = constant("SPOOL_COUNTER_EXCLUDE_KERNEL")
RUNNING, FINISHED, EXECED = 1, 2, 3
SIGTRAP, SIGIO, TIMER = 1, 2, 3
LIVE, ENDED = 1, 2


def text(raw):
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


class Fields:
    """Take fields one after the other, with C's alignment."""

    def __init__(self, data, offset):
        self.data = data
        self.at = offset

    def number(self, size):
        self.at = (self.at + size - 1) // size * size
        value = int.from_bytes(self.data[self.at:self.at + size], "little")
        self.at += size
        return value

    def u32(self):
        return self.number(4)

    def u64(self):
        return self.number(8)

    def raw(self, size):
        value = self.data[self.at:self.at + size]
        self.at += size
        return value


class Counter:
    def __init__(self, fields):
        self.name = text(fields.raw(NAME_MAX))
        self.unit = fields.u32()
        self.leader = fields.u32()
        self.period = fields.u64()
        self.frequency_hz = fields.u64()
        self.raised = fields.u64()
        self.flags = fields.u32()
        fields.u32()
        self.scale = text(fields.raw(SCALE_MAX))
        self.measure = text(fields.raw(MEASURE_MAX))


class Node:
    def __init__(self, pc, parent, samples, events):
        self.pc = pc
        self.parent = parent
        self.samples = samples
        self.events = events


class Thread:
    def __init__(self, spool, offset):
        fields = Fields(spool.data, offset)
        self.state = fields.u32()
        self.tid = fields.u32()
        self.name = text(fields.raw(16))
        self.first_chunk = fields.u64()
        self.start_ns = fields.u64()
        self.end_ns = fields.u64()
        self.count = {name: fields.u64() for name in COUNTS}
        self.totals = [{name: fields.u64() for name in
                        ("value", "enabled_ns", "running_ns", "lost", "dropped", "paused")}
                       for _ in range(COUNTERS_MAX)][:spool.counter_count]
        self.nodes = {}
        if self.state not in (LIVE, ENDED):
            return  # its words belong to nobody
        for chunk, number in spool.chunks(self.first_chunk):
            for entry in range(number):
                at = chunk + 64 + entry * spool.node_bytes
                node = Fields(spool.data, at)
                pc, parent = node.u64(), node.u32()
                node.u32()
                weights = [(node.u64(), node.u64()) for _ in range(spool.counter_count)]
                self.nodes[at // 16] = Node(pc, parent, [w[0] for w in weights],
                                            [w[1] for w in weights])

    def samples(self, counter=0):
        return sum(node.samples[counter] for node in self.nodes.values())

    def events(self, counter=0):
        return sum(node.events[counter] for node in self.nodes.values())


def used_bytes(file):
    file.seek(40)
    return int.from_bytes(file.read(8), "little")


class Spool:
    """One spool, read whole."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with open(path, "rb") as file:
            self.used_bytes = self.data = None
            # A process that writes it may take chunks meanwhile: then what is read is not whole.
            while self.used_bytes is None or self.used_bytes != used_bytes(file):
                self.used_bytes = used_bytes(file)
                file.seek(0)
                self.data = file.read(self.used_bytes)
        fields = Fields(self.data, 0)
        assert fields.u64() == constant("SPOOL_MAGIC"), f"{path} is no spool"
        assert fields.u32() == constant("SPOOL_VERSION")
        fields.u32()
        self.thread_bytes = fields.u32()
        self.module_bytes = fields.u32()
        self.node_bytes = fields.u32()
        self.counter_count = fields.u32()
        self.size_bytes = fields.u64()
        assert fields.u64() == self.used_bytes
        first_thread = fields.u64()
        self.first_module = fields.u64()
        self.state = fields.u32()
        self.engine = fields.u32()
        self.pid = fields.u32()
        self.parent_pid = fields.u32()
        for _ in range(7):
            fields.u32()
        self.start_ticks = fields.u64()
        self.start_realtime_ns = fields.u64()
        self.start_ns = fields.u64()
        self.end_ns = fields.u64()
        self.cpu_ns = fields.u64()
        self.own_count = {name: fields.u64() for name in COUNTS}
        self.counters = [Counter(fields) for _ in range(COUNTERS_MAX)][:self.counter_count]
        self.note = text(fields.raw(256))
        self.command = text(fields.raw(16))
        fields.raw(NAME_MAX + 1)
        self.executable = text(fields.raw(TEXT_MAX))
        self.threads = []
        for chunk, number in self.chunks(first_thread):
            for entry in range(number):
                thread = Thread(self, chunk + 64 + entry * self.thread_bytes)
                if thread.state in (LIVE, ENDED):
                    self.threads.append(thread)

    def chunks(self, offset):
        seen = set()
        while offset:
            assert offset not in seen, "a list of chunks that bites its tail"
            seen.add(offset)
            assert offset + 64 <= self.used_bytes
            yield offset, int.from_bytes(self.data[offset + 4:offset + 8], "little")
            offset = int.from_bytes(self.data[offset + 8:offset + 16], "little")

    def count(self, name):
        return self.own_count[name] + sum(thread.count[name] for thread in self.threads)

    def samples(self, counter=0):
        return sum(thread.samples(counter) for thread in self.threads)

    def events(self, counter=0):
        return sum(thread.events(counter) for thread in self.threads)

    def counted(self, counter=0):
        return sum(thread.totals[counter]["value"] for thread in self.threads)

    def lost(self):
        return sum(self.count(name) for name in COUNTS if name.startswith("LOST_"))
