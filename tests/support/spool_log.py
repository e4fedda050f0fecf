"""The logs of a spool, for tests: runtime/spool/format_log.h.  It shares no code with runtime/profile."""

import collections
import ctypes
import dataclasses

import spool_format
from spool_format import CHUNK, HEAD, constant

SAMPLE, MEMBER, MORE, THREAD, END, LABELS, TRACE, TRACE_REST, MARK = range(1, 10)
MARKS = {name: constant(f"SPOOL_MARK_{name}") for name in
         ("FORK", "EXEC", "EXEC_FAILED", "LOAD", "UNLOAD", "START", "STOP", "THROTTLED", "SLOWER")}
ENTRIES = (CHUNK - HEAD) // ctypes.sizeof(spool_format.LogEntry)


@dataclasses.dataclass
class Entry:
    """One entry of a time, with what holds for it."""
    kind: int
    time_ns: int
    tid: int
    start_ns: int
    labels: int = 0
    trace: bytes = bytes(16)
    span: bytes = bytes(8)
    node: int = 0
    counter: int = 0
    samples: int = 0
    events: int = 0
    mark: int = 0
    value: int = 0


class Context:
    """What the entries of a chunk say of those behind them."""

    def __init__(self):
        self.tid = self.start_ns = None
        self.labels = 0
        self.trace, self.span = [bytes(8)] * 2, [bytes(4)] * 2

    def read(self, kind, head, body):
        if kind == THREAD:
            assert head >> 4 & (1 << 28) - 1 == 0
            self.tid, self.start_ns = head >> 32, body
        elif kind == LABELS:
            self.labels = body
        elif kind in (TRACE, TRACE_REST):
            self.trace[kind - TRACE] = body.to_bytes(8, "little")
            self.span[kind - TRACE] = (head >> 32).to_bytes(4, "little")
        else:
            raise AssertionError(f"an entry of kind {kind}")

    def entry(self, kind, time_ns, **more):
        assert self.tid is not None, "a chunk begins with its thread"
        return Entry(kind, time_ns, self.tid, self.start_ns, self.labels,
                     b"".join(self.trace), b"".join(self.span), **more)


def signed_time(head):
    return (head >> 16) - (head >> 63 << 48)


def chunk_entries(data, chunk, number):
    header = spool_format.Chunk.from_buffer_copy(data, chunk)
    context, more = Context(), []
    assert header.kind == constant("SPOOL_CHUNK_LOG")
    assert number <= ENTRIES
    raw = (spool_format.LogEntry * number).from_buffer_copy(data, chunk + HEAD)
    for head, body in ((each.head, each.body) for each in raw):
        kind, counter = head & 0xf, head >> 4 & 0xf
        time_ns = header.base_ns + signed_time(head)
        if kind in (SAMPLE, MEMBER):
            samples, events = head >> 8 & 0xff, body >> 32
            if more:
                assert not samples and not events, "a long value stands alone"
                samples, events = more[0], more[1]
            more = []
            yield context.entry(kind, time_ns, node=body & 0xffffffff, counter=counter,
                                samples=samples, events=events)
            continue
        assert not more, "a long value belongs to the next entry"
        if kind == MORE:
            more = [head >> 4, body]
        elif kind == MARK:
            yield context.entry(kind, time_ns, mark=counter, value=body)
        elif kind == END:
            yield context.entry(kind, time_ns)
        else:
            context.read(kind, head, body)
    assert not more


def entries(spool, first):
    """All entries of a list that have a time, in its order."""
    return [entry for chunk, number in spool.chunks(first)
            for entry in chunk_entries(spool.data, chunk, number)]


def log_of(spool, thread):
    return entries(spool, thread.first_log)


def marks_of(spool):
    return entries(spool, spool.first_mark)


def sums(log):
    """{(node, counter): [samples, events]} of all samples and members."""
    total = collections.defaultdict(lambda: [0, 0])
    for entry in log:
        if entry.kind in (SAMPLE, MEMBER):
            total[entry.node, entry.counter][0] += entry.samples
            total[entry.node, entry.counter][1] += entry.events
    return dict(total)


def tree_sums(spool, thread):
    """The same of its tree."""
    return {(at, counter): [node.samples[counter], node.events[counter]]
            for at, node in thread.nodes.items() for counter in range(spool.counter_count)
            if node.samples[counter] or node.events[counter]}


def log_bytes(spool):
    """What all logs of the spool take."""
    firsts = [thread.first_log for thread in spool.threads] + [spool.first_mark]
    return sum(CHUNK for first in firsts for _ in spool.chunks(first))


def samples_by(spool, *keys):
    """Samples by the values of labels, of all threads; a value is None where there is none."""
    sets, found = spool.label_sets(), collections.Counter()
    for thread in spool.threads:
        for entry in log_of(spool, thread):
            if entry.kind == SAMPLE:
                values = [sets[entry.labels].get(key.encode()) for key in keys]
                found[tuple(value if value is None else value.decode(errors="surrogateescape")
                            for value in values)] += entry.samples
    return found
