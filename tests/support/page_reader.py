"""Reads the data of a page (--format html) from the description in viewer_data.h alone."""
import base64
import json
import re
import struct
import zlib
from html.parser import HTMLParser

TYPES = {"u8": "B", "u16": "H", "u32": "I", "f64": "d"}


class Elements(HTMLParser):
    """The elements of a page, in order, each with its attributes and its own text."""

    VOID = {"meta"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.open = []
        self.declared = None

    def handle_decl(self, decl):
        self.declared = decl

    def handle_starttag(self, tag, attrs):
        self.found.append([tag, dict(attrs), ""])
        if tag not in self.VOID:
            self.open.append(self.found[-1])

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> ends nothing"
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1][2] += data


def elements(text):
    """Every element of a page; all are closed."""
    parser = Elements()
    parser.feed(text)
    parser.close()
    assert parser.declared == "DOCTYPE html" and not parser.open
    return parser.found


class Page:
    """One page: its elements, its head, and its columns as lists of numbers."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.elements = elements(self.text)
        packed, = (text for tag, attributes, text in self.elements
                   if tag == "script" and attributes.get("id") == "profile")
        assert re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", packed) and len(packed) % 4 == 0
        inflate = zlib.decompressobj(-15)
        raw = inflate.decompress(base64.b64decode(packed, validate=True))
        assert inflate.eof and not inflate.unused_data
        length, = struct.unpack_from("<I", raw)
        self.json = raw[4:4 + length]
        self.head = json.loads(self.json.decode("utf-8"))
        start = (4 + length + 7) // 8 * 8
        assert not any(raw[4 + length:start])
        self.columns = {name: column(raw, start, *place)
                        for name, place in self.head["columns"].items()}
        self.names = self.head["names"]
        self.nodes = len(self.columns["nodeName"]) if "nodeName" in self.columns else 1
        self.samples = len(self.columns["node"]) if "node" in self.columns else 0

    def value(self, name, row):
        """One value of a column; those of a column that is left out are 0."""
        return self.columns[name][row] if name in self.columns else 0

    def node_name(self, node):
        return self.names[self.value("nodeName", node)]

    def stack(self, node):
        """The names of a node's stack, outermost first, without the root."""
        names = []
        while node:
            names.append(self.node_name(node))
            parent = self.value("nodeParent", node)
            assert parent < node, "parents come before their children"
            node = parent
        return tuple(reversed(names))

    def rows(self):
        """Each sample as a dictionary of its columns."""
        names = ("time", "node", "track", "counter", "samples", "events", "labels", "line",
                 "instruction")
        for row in range(self.samples):
            yield {name: self.value(name, row) for name in names}

    def values(self, counter):
        """The sum of each stack's values, for the counter of that name."""
        number, = (i for i, about in enumerate(self.head["counters"]) if about["name"] == counter)
        weight = self.head["counters"][number]["weight"]
        sums = {}
        for row in self.rows():
            if row["counter"] == number and row[weight]:
                sums[row["node"]] = sums.get(row["node"], 0) + int(row[weight])
        stacks = {}
        for node, value in sums.items():
            stack = self.stack(node)
            assert stack not in stacks, "siblings differ by name"
            stacks[stack] = value
        return stacks

    def labels(self, number):
        """The labels of a set, the latest of each key."""
        found = {}
        while number:
            label = self.head["labels"][number - 1]
            found.setdefault(label["key"], label["value"])
            assert label["below"] < number
            number = label["below"]
        return {key: value for key, value in found.items() if value}


def column(raw, start, kind, offset, count):
    """The values of a column."""
    differences = kind.endswith("d")
    letter = TYPES[kind.removesuffix("d")]
    assert offset % 8 == 0
    values = list(struct.unpack_from(f"<{count}{letter}", raw, start + offset))
    if differences:
        most = 1 << 8 * struct.calcsize(letter)
        for i in range(1, count):
            values[i] = (values[i] + values[i - 1]) % most
    return values


def folded(text):
    """The stacks of folded text, as Page.values() has them."""
    stacks = {}
    for line in text.splitlines():
        stack, value = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] = int(value)
    return stacks
