"""The labels of a spool, for tests: struct spool_label.  It shares no code with runtime/profile."""

import collections
import struct

import spool_log
from spool_format import HEAD

LABEL = struct.Struct("<IIIIII")  # below, reserved, key, value: each text is its place and length


def texts_of(spool):
    return b"".join(bytes(spool.data[chunk + HEAD:chunk + HEAD + number])
                    for chunk, number in spool.chunks(spool.first_text))


def sets_of(spool):
    """{number: {key: value}} of all sets, as bytes; number 0 has no labels."""
    texts, sets = texts_of(spool), {0: {}}
    for chunk, number in spool.chunks(spool.first_label):
        for i in range(number):
            below, _, key, key_bytes, value, value_bytes = LABEL.unpack_from(
                spool.data, chunk + HEAD + i * LABEL.size)
            assert below < len(sets) and key + key_bytes <= len(texts)
            assert value + value_bytes <= len(texts)
            sets[len(sets)] = {**sets[below], texts[key:key + key_bytes]:
                               texts[value:value + value_bytes]}
    return sets


def samples_by(spool, *keys):
    """Samples by the values of keys, of all threads; a value is None where there is none."""
    sets, found = sets_of(spool), collections.Counter()
    for thread in spool.threads:
        for entry in spool_log.log_of(spool, thread):
            if entry.kind == spool_log.SAMPLE:
                values = [sets[entry.labels].get(key.encode()) for key in keys]
                found[tuple(value if value is None else value.decode(errors="surrogateescape")
                            for value in values)] += entry.samples
    return found
