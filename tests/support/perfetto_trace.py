"""A reader of Perfetto's traces that shares nothing with what writes them: protobuf's wire format
by hand, and the numbers of fields as https://github.com/google/perfetto publishes them in
protos/perfetto/trace."""

import collections

VARINT, BYTES = 0, 2  # the wire types that these messages have

# trace.proto, trace_packet.proto
TRACE_PACKET = 1
TIMESTAMP, CLOCK_SNAPSHOT, SEQUENCE, TRACK_EVENT, INTERNED = 8, 6, 10, 11, 12
SEQUENCE_FLAGS, DEFAULTS, TRACK_DESCRIPTOR, PERF_SAMPLE = 13, 59, 60, 66
CLEARED, NEEDED = 1, 2
# interned_data.proto, profile_common.proto
FUNCTION_NAMES, FRAMES, CALLSTACKS, MAPPING_PATHS, MAPPINGS = 5, 6, 7, 17, 19
IID, STR = 1, 2
# track_event.proto
SLICE_BEGIN, SLICE_END, INSTANT = 1, 2, 3


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at
        assert shift < 70, "a number of more than ten bytes"


def fields(data):
    """{number of a field: [value, …]} of a message; messages in it are bytes."""
    found = collections.defaultdict(list)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == VARINT:
            value, at = varint(data, at)
        else:
            assert key & 7 == BYTES, f"field {key >> 3} has the wire type {key & 7}"
            size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        found[key >> 3].append(value)
    assert at == len(data), "a message ends in the middle of a field"
    return found


def one(message, number, default=0):
    values = message.get(number, [default])
    assert len(values) == 1
    return values[0]


# `count` is since the sample before it; `stack` has names, outermost first.
Sample = collections.namedtuple("Sample", "time_ns pid tid count stack")
Slice = collections.namedtuple("Slice", "track name from_ns to_ns")


class Sequence:
    """What was said on a sequence of packets so far."""

    def __init__(self):
        self.counter = None
        self.counted = 0
        self.tables = {number: {} for number in (FUNCTION_NAMES, FRAMES, CALLSTACKS, MAPPING_PATHS,
                                                 MAPPINGS)}

    def intern(self, data):
        for number, table in self.tables.items():
            for entry in fields(data).get(number, []):
                message = fields(entry)
                assert one(message, IID) and one(message, IID) not in table
                table[one(message, IID)] = message

    def stack(self, number):
        names = []
        for frame in self.tables[CALLSTACKS][number][2]:
            message = self.tables[FRAMES][frame]
            if one(message, 3):
                path, = self.tables[MAPPINGS][one(message, 3)][7]
                assert path in self.tables[MAPPING_PATHS]
            names.append(one(self.tables[FUNCTION_NAMES][one(message, 2)], STR).decode("utf-8"))
        return tuple(names)


class Trace:
    """Samples by counter, slices and instants by track."""

    def __init__(self, data):
        self.samples = collections.defaultdict(list)
        self.slices = []
        self.instants = []
        self.tracks = {}  # uuid: (name, parent's uuid)
        self.clocks = {}
        self.open = {}
        self.sequences = {}
        for packet in fields(data)[TRACE_PACKET]:
            self.take(fields(packet))
        assert not self.open, "a slice has no end"

    def take(self, packet):
        number = one(packet, SEQUENCE)
        flags = one(packet, SEQUENCE_FLAGS)
        if flags & CLEARED:
            assert number not in self.sequences
            self.sequences[number] = Sequence()
        else:
            assert flags == NEEDED
        sequence = self.sequences[number]
        if DEFAULTS in packet:
            defaults = fields(one(packet, DEFAULTS))
            assert one(defaults, 58) == 3, "CLOCK_MONOTONIC"
            if 12 in defaults:
                timebase = fields(one(fields(one(defaults, 12)), 1))
                sequence.counter = one(timebase, 10).decode("utf-8")
        if CLOCK_SNAPSHOT in packet:
            self.clocks = {one(fields(clock), 1): one(fields(clock), 2)
                           for clock in fields(one(packet, CLOCK_SNAPSHOT))[1]}
        if INTERNED in packet:
            sequence.intern(one(packet, INTERNED))
        if PERF_SAMPLE in packet:
            self.take_sample(sequence, one(packet, TIMESTAMP), fields(one(packet, PERF_SAMPLE)))
        if TRACK_DESCRIPTOR in packet:
            self.take_track(fields(one(packet, TRACK_DESCRIPTOR)))
        if TRACK_EVENT in packet:
            self.take_event(one(packet, TIMESTAMP), fields(one(packet, TRACK_EVENT)))

    def take_sample(self, sequence, time_ns, sample):
        count = one(sample, 6)
        stack = sequence.stack(one(sample, 4)) if 4 in sample else ()
        self.samples[sequence.counter].append(
            Sample(time_ns, one(sample, 2), one(sample, 3), count - sequence.counted, stack))
        sequence.counted = count

    def take_track(self, track):
        name = one(track, 2, b"")
        if 4 in track:
            name = one(fields(one(track, 4)), 5, b"")
        elif 3 in track:
            name = one(fields(one(track, 3)), 6, b"")
        self.tracks[one(track, 1)] = name.decode("utf-8"), one(track, 5)

    def take_event(self, time_ns, event):
        track = one(event, 11)
        kind = one(event, 9)
        name = one(event, 23, b"").decode("utf-8")
        assert track in self.tracks
        if kind == SLICE_BEGIN:
            assert track not in self.open, "slices cross"
            self.open[track] = name, time_ns
        elif kind == SLICE_END:
            name, from_ns = self.open.pop(track)
            assert from_ns <= time_ns
            self.slices.append(Slice(track, name, from_ns, time_ns))
        else:
            assert kind == INSTANT
            self.instants.append((track, name, time_ns))
