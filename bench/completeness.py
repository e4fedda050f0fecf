"""How many stacks of real programs reach the outermost frame, beside perf's and gperftools'?

For each program three shares: ours by our own count; of perf record --call-graph dwarf, and of
gperftools (which has no kernel frames), those whose outermost frame is _start, a thread's first
function, or one of the start-up code of the C library, by their own symbolisers.  In a stripped
program _start has no name: perf's stacks are whole, too, where the unwind information of their
outermost frame says that nobody called it.
"""

import functools
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from measure import LIBRARY, environment, line, tool
from overhead import profiler_library

import workloads  # tests/support, on the path by measure
from spool import Spool

HZ = 1000  # perf copies 8 KB of stack per sample; gperftools takes at most 4000
ROOT_FRAME = re.compile(r"_start|_dl_start_user|_dl_start|(__GI_)?_*clone3?|start_thread")


def run(argv, env, folder):
    subprocess.run([str(word) for word in argv], env=env, cwd=folder, check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def ours(argv, folder):
    spools = folder / "spools"
    spools.mkdir()
    run(argv, environment(LIBRARY, events="task-clock", frequency=HZ, collect="yes",
                          spool=spools, output=folder / "out"), folder)
    read = [Spool(path) for path in spools.iterdir() if path.stat().st_size]
    shutil.rmtree(spools)
    samples = sum(spool.count("SAMPLES") for spool in read)
    return sum(spool.count("COMPLETE") for spool in read), samples


def perf(argv, folder):
    data = folder / "perf.data"
    run(["perf", "record", "-q", "-e", "task-clock", "-F", HZ, "--call-graph", "dwarf", "-o", data,
         "--", *argv], environment(), folder)
    text = subprocess.run(["perf", "script", "-i", data, "-F", "ip,sym,dso"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    data.unlink(missing_ok=True)
    stacks = [block.splitlines() for block in text.decode("utf-8", "replace").split("\n\n")
              if block.strip()]
    return sum(is_whole(stack[-1]) for stack in stacks), len(stacks)


def is_whole(outermost):
    """By a line of perf script: "OFFSET NAME (FILE)", where the offset is the one in the file."""
    match = re.fullmatch(r"\s*([0-9a-f]+) (.*) \((.*)\)", outermost)
    if not match:
        return False
    if ROOT_FRAME.fullmatch(match[2]):
        return True
    address = address_of(match[3], int(match[1], 16))
    return address is not None and any(low <= address <= high for low, high in roots(match[3]))


def address_of(path, offset):
    """What a byte of an ELF file of 64 bits is loaded as; None if it is not."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            if len(head) < 64 or head[:5] != b"\x7fELF\x02":
                return None
            file.seek(struct.unpack_from("<Q", head, 32)[0])
            size, count = struct.unpack_from("<HH", head, 54)
            rows = file.read(size * count)
    except OSError:
        return None
    for at in range(0, len(rows) - 55, size):
        kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", rows, at)
        if kind == 1 and start <= offset < start + length:
            return offset - start + address
    return None


@functools.lru_cache(maxsize=None)
def roots(path):
    """Ranges of code whose return address is undefined, which marks an outermost frame."""
    text = subprocess.run(["readelf", "--debug-dump=frames-interp", "--", path], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    common, found = {}, []
    for block in text.split("\n\n"):
        start, rows = None, []
        for row in block.splitlines():
            words = row.split()
            if len(words) > 3 and words[3] == "CIE":
                common[words[0]] = False
                rows = None
            elif len(words) > 3 and words[3] == "FDE":
                start, end = (int(part, 16) for part in words[5][len("pc="):].split(".."))
                rows = [(start, common.get(words[4][len("cie="):], False))]
            elif len(words) > 1 and re.fullmatch("[0-9a-f]{16}", words[0]):
                if rows is None:
                    common[block.split(None, 1)[0]] = words[-1] == "u"
                else:
                    rows.append((int(words[0], 16), words[-1] == "u"))
        if start is not None:
            ends = [low for low, _ in rows[1:]] + [end]
            found += [(low, high) for (low, outermost), high in zip(rows, ends) if outermost]
    return found


def gperftools(argv, folder, library):
    """Stacks of its binary format, whose outermost address lies in _start's few bytes."""
    stem = folder / "gperftools"
    run(argv, environment(library, CPUPROFILE=stem, CPUPROFILE_FREQUENCY=HZ), folder)
    whole = samples = 0
    for path in folder.glob("gperftools*"):
        found = read_profile(path.read_bytes())
        whole += found[0]
        samples += found[1]
        path.unlink()
    return whole, samples


def read_profile(data):
    words = struct.unpack(f"={len(data) // 8}Q", data[:len(data) // 8 * 8])
    if len(words) < 8:
        return 0, 0
    at = 2 + words[1]
    stacks = []
    while at + 2 < len(words) and words[at]:
        stacks.append((words[at], words[at + 2:at + 2 + words[at + 1]]))
        at += 2 + words[at + 1]
    maps = data[(at + 3) * 8:].decode("utf-8", "replace").splitlines()
    roots = [entry_range(row) for row in maps]
    roots = [row for row in roots if row]
    whole = sum(count for count, pcs in stacks if pcs and
                any(low <= pcs[-1] <= low + 64 for low in roots))
    return whole, sum(count for count, _ in stacks)


def entry_range(row):
    """Where _start of the object lies, from the row of /proc/self/maps of its first segment."""
    match = re.match(r"\s*([0-9a-f]+)-[0-9a-f]+ \S+ 0+ \S+ \S+\s+(/\S+)", row)
    if not match:
        return None
    try:
        with open(match[2], "rb") as file:
            head = file.read(64)
    except OSError:
        return None
    if len(head) < 32 or head[:4] != b"\x7fELF":
        return None
    kind, = struct.unpack_from("<H", head, 16)
    entry, = struct.unpack_from("<Q", head, 24)
    return int(match[1], 16) + entry if kind == 3 and entry else entry or None


def main():
    library = profiler_library()
    with tempfile.TemporaryDirectory() as name:
        folder = workloads.prepare(pathlib.Path(name))
        for program, argv in {**workloads.commands(folder), **workloads.compiling(folder)}.items():
            argv = workloads.find(argv)
            if not argv or not workloads.is_there(program):
                continue
            found = {"flametrap": ours(argv, folder)}
            if tool("perf"):
                found["perf_dwarf"] = perf(argv, folder)
            if library:
                found["gperftools"] = gperftools(argv, folder, library)
            for peer, (whole, samples) in found.items():
                if samples:
                    line(f"completeness.{program}.{peer}", 100 * whole / samples, "%", 1)
                else:
                    print(f"completeness: {peer} has no samples of {program}", file=sys.stderr)


if __name__ == "__main__":
    main()
