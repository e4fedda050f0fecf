"""A reader of spools for tests."""

import collections
import pathlib
import struct
import types

import spool_format
from spool_format import COUNTS, HEAD, TOTALS, constant

SIGTRAP, SIGIO, TIMER = 1, 2, 3
LIVE, ENDED = 1, 2
USED_BYTES_AT = spool_format.Header.used_bytes.offset


def plain(structure):
    """A struct's fields, texts decoded."""
    # pylint: disable-next=protected-access  # as ctypes calls it
    values = {name: getattr(structure, name) for name, _ in structure._fields_}
    return types.SimpleNamespace(**{
        name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        for name, value in values.items()})


Node = collections.namedtuple("Node", "pc parent samples events")


class Thread:
    def __init__(self, spool, offset):
        entry = plain(spool_format.Thread.from_buffer_copy(spool.data, offset))
        self.state, self.tid, self.name = entry.state, entry.tid, entry.name
        self.start_ns, self.end_ns = entry.start_ns, entry.end_ns
        self.first_log = entry.first_log
        self.count = dict(zip(COUNTS, entry.count))
        self.totals = [dict(zip(TOTALS, entry.total[at * len(TOTALS):]))
                       for at in range(spool.counter_count)]
        self.nodes = {}
        if self.state not in (LIVE, ENDED):
            return  # its words belong to nobody
        node = struct.Struct(f"<QII{2 * spool.counter_count}Q")
        assert node.size == spool.node_bytes
        for chunk, number in spool.chunks(entry.first_chunk):
            for at in range(chunk + HEAD, chunk + HEAD + number * node.size, node.size):
                pc, parent, _, *weights = node.unpack_from(spool.data, at)
                self.nodes[at // 16] = Node(pc, parent, weights[::2], weights[1::2])

    def samples(self, counter=0):
        return sum(node.samples[counter] for node in self.nodes.values())

    def events(self, counter=0):
        return sum(node.events[counter] for node in self.nodes.values())


def used_bytes(file):
    file.seek(USED_BYTES_AT)
    return int.from_bytes(file.read(8), "little")


class Spool:
    """One spool, read whole; what else it has is that of its header."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with open(path, "rb") as file:
            length = self.data = None
            # A process that writes it may take chunks meanwhile: then what is read is not whole.
            while length is None or length != used_bytes(file):
                length = used_bytes(file)
                file.seek(0)
                self.data = file.read(length)
        self.header = plain(spool_format.Header.from_buffer_copy(self.data))
        assert self.magic == constant("SPOOL_MAGIC"), f"{path} is no spool"
        assert self.version == constant("SPOOL_VERSION")
        self.own_count = dict(zip(COUNTS, self.header.count))
        self.counters = [plain(each) for each in self.counter[:self.counter_count]]
        self.threads = []
        for chunk, number in self.chunks(self.first_thread):
            for entry in range(number):
                thread = Thread(self, chunk + HEAD + entry * self.thread_bytes)
                if thread.state in (LIVE, ENDED):
                    self.threads.append(thread)

    def __getattr__(self, name):
        return getattr(self.__dict__["header"], name)

    def chunks(self, offset):
        seen = set()
        while offset:
            assert offset not in seen, "a list of chunks that bites its tail"
            seen.add(offset)
            assert offset + HEAD <= self.used_bytes
            yield offset, int.from_bytes(self.data[offset + 4:offset + 8], "little")
            offset = int.from_bytes(self.data[offset + 8:offset + 16], "little")

    def entries(self, kind, offset):
        """All structs of a list of chunks, with their texts as bytes."""
        texts = b"".join(self.data[chunk + HEAD:chunk + HEAD + number]
                         for chunk, number in self.chunks(self.first_text))
        for chunk, number in self.chunks(offset):
            for structure in (kind * number).from_buffer_copy(self.data, chunk + HEAD):
                entry = plain(structure)
                for name, value in vars(entry).items():
                    if isinstance(value, spool_format.Text):
                        assert value.at + value.bytes <= len(texts)
                        setattr(entry, name, texts[value.at:value.at + value.bytes])
                yield entry

    def codes(self):
        """The functions of interpreters, number 1 first."""
        return list(self.entries(spool_format.Code, self.first_code))

    def label_sets(self):
        """[{key: value}] of all sets by their numbers, as bytes; number 0 has no labels."""
        sets = [{}]
        for label in self.entries(spool_format.Label, self.first_label):
            sets.append({**sets[label.below], label.key: label.value})
        return sets

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
