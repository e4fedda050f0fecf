"""Pages for a browser made up without the command: data of known sums in the form of viewer_data.h,
with the script and the style as they are in the source."""

import array
import base64
import functools
import html
import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEW = ROOT / "runtime/output/page/view"
CODES = {"u8": "B", "u16": "H", "u32": "I", "f64": "d"}
KINDS = {"k": "kernel", "j": "just in time", "i": "inlined", "p": "interpreted"}
LETTERS = {"": "u", "kernel": "k", "just in time": "j", "inlined": "i", "interpreted": "l",
           "off the processor": "o", "not found out": "x"}
SAMPLE = {"time": "u32d", "node": "u32", "track": "u32", "counter": "u8", "samples": "u32",
          "events": "f64", "labels": "u32", "line": "u32"}


def kind_of(name):
    found = re.search(r"._\[([kjip])\]$", name, re.DOTALL)
    if found:
        return KINDS[found[1]]
    return "not found out" if name.startswith("[") and name.endswith("]") else ""


def class_of(name):
    value = 2166136261
    for byte in re.sub(r"_\[[kjip]\]$", "", name).encode():
        value = ((value ^ byte) * 16777619) & 0xffffffff
    value ^= value >> 15
    return LETTERS[kind_of(name)] + str(value % 12)


class Data:
    """What a page holds; times are in ns until they are packed."""

    def __init__(self, title="Made up", unit_ns=1024):
        self.unit_ns = unit_ns
        self.head = {"format": 1, "title": title, "command": "made-up --for tests", "host": "test",
                     "notes": [], "realtimeMs": 1_700_000_000_000, "unitNs": unit_ns}
        self.counters, self.processes, self.tracks = [], [], []
        self.labels, self.marks, self.files, self.modules = [], [], [], []
        self.names, self.number = [], {}
        self.parents, self.node_names, self.node_modules = [0], [self.name("all")], [0]
        self.children = {}
        self.lines = []
        self.samples = []  # (time, node, track, counter, samples, events, labels, line)
        self.start = self.end = 0

    def name(self, text):
        if text not in self.number:
            self.number[text] = len(self.names)
            self.names.append(text)
        return self.number[text]

    def counter(self, name, unit="", weight="samples", period=0, off=False):
        self.counters.append({"name": name, "unit": unit, "weight": weight, "period": period,
                              "offCpu": off})
        return len(self.counters) - 1

    def process(self, name, pid, parent=1, start=0, end=0):
        self.processes.append({"pid": pid, "parent": parent, "name": name, "host": "test",
                               "start": start, "end": end})
        return len(self.processes) - 1

    def track(self, process, tid, name, start=0, end=0):
        self.tracks.append({"process": process, "tid": tid, "name": name, "start": start,
                            "end": end})
        return len(self.tracks) - 1

    def label(self, key, value, below=0):
        self.labels.append({"below": below, "key": key, "value": value})
        return len(self.labels)

    def mark(self, time, kind, process, track=-1, text=""):
        self.marks.append({"time": time, "kind": kind, "process": process, "track": track,
                           "text": text})

    def module(self, path):
        self.modules.append(path)
        return len(self.modules)

    def line(self, file, number):
        self.lines.append((file, number))
        return len(self.lines)

    def node(self, *path, module=0):
        """The number of a stack; its frames come from the root."""
        at = 0
        for text in path:
            key = at, self.name(text)
            if key not in self.children:
                self.children[key] = len(self.parents)
                self.parents.append(at)
                self.node_names.append(key[1])
                self.node_modules.append(module)
            at = self.children[key]
        return at

    def sample(self, time, node, track=0, counter=0, samples=1, events=0, labels=0, line=0):
        self.samples.append((time, node, track, counter, samples, events, labels, line))

    def spans(self, entries):
        """Entries with their times in units of the page."""
        result = []
        for entry in entries:
            entry = dict(entry)
            for key in ("time", "start", "end"):
                if key in entry:
                    entry[key] //= self.unit_ns
            result.append(entry)
        return result

    def columns(self):
        self.samples.sort(key=lambda sample: (sample[0] // self.unit_ns, sample[2]))
        found = {"nodeParent": ("u32", self.parents), "nodeName": ("u32", self.node_names),
                 "nodeModule": ("u32", self.node_modules),
                 "lineFile": ("u32", [file for file, _ in self.lines]),
                 "lineNumber": ("u32", [number for _, number in self.lines])}
        for at, (name, kind) in enumerate(SAMPLE.items()):
            values = [sample[at] for sample in self.samples]
            found[name] = kind, [one // self.unit_ns for one in values] if at == 0 else values
        return {name: column for name, column in found.items() if any(column[1])}

    def packed(self):
        text, block = dict(self.head), bytearray()
        kinds = [kind_of(name) for name in self.names]
        known = sorted(set(kinds))
        text.update(counters=self.counters, processes=self.spans(self.processes),
                    tracks=self.spans(self.tracks), labels=self.labels,
                    marks=self.spans(sorted(self.marks, key=lambda mark: mark["time"])),
                    names=self.names, kinds=[known.index(kind) for kind in kinds],
                    classes=[class_of(name) for name in self.names], kindNames=known,
                    modules=self.modules, files=self.files,
                    legend=["", *[[LETTERS[kind] + "1", kind or "user"] for kind in known]],
                    columns={})
        text["from"], text["to"] = self.start // self.unit_ns, -(-self.end // self.unit_ns)
        for name, (kind, values) in self.columns().items():
            if kind.endswith("d"):
                bits = 8 * array.array(CODES[kind[:-1]]).itemsize
                values = [(value - before) % (1 << bits)
                          for value, before in zip(values, [0, *values])]
            text["columns"][name] = [kind, len(block), len(values)]
            block += array.array(CODES[kind.rstrip("d")], values).tobytes()
            block += bytes(-len(block) % 8)
        words = json.dumps(text, ensure_ascii=False).encode(errors="surrogatepass")
        head = struct.pack("<I", len(words)) + words
        return head + bytes(-len(head) % 8) + bytes(block)


@functools.cache
def palette():
    """The colours as the command writes them."""
    build = pathlib.Path(os.environ.get("FLAMETRAP_BUILD", ROOT / "build"))
    with tempfile.TemporaryDirectory() as folder:
        source, picture = pathlib.Path(folder, "a.folded"), pathlib.Path(folder, "a.svg")
        source.write_text("a 1\n", encoding="utf-8")
        subprocess.run([build / "flametrap", "graph", source, "-o", picture], check=True,
                       stdin=subprocess.DEVNULL)
        rules = re.findall(r"^(?:\.[a-z]\d[\w.]*\{.*\}|@media screen and .*|\})$",
                           picture.read_text(encoding="utf-8"), re.MULTILINE)
    first = next(at for at, rule in enumerate(rules) if rule.startswith(".u0"))
    return "\n".join(rules[first:]) + "\n"


@functools.cache
def script():
    """As the build joins it."""
    return subprocess.run(["awk", "-v", f"script={VIEW / 'viewer.js'}", "-f", ROOT / "runtime/output/join.awk"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def page(data, path):
    """Write the page of Data, or of bytes that are not packed yet; returns its path."""
    raw = data if isinstance(data, bytes) else data.packed()
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    block = base64.b64encode(packer.compress(raw) + packer.flush()).decode()
    title = html.escape(data.head["title"]) if isinstance(data, Data) else "Made up"
    path = pathlib.Path(path)
    path.write_text(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{(VIEW / "viewer.css").read_text(encoding="utf-8")}</style>
<style id="palette">{palette()}</style>
</head>
<body class="viewer">
<noscript>This page needs JavaScript.</noscript>
<script type="application/octet-stream" id="profile">{block}</script>
<script>{script()}</script>
</body>
</html>
""", encoding="utf-8", errors="surrogatepass")
    return path
