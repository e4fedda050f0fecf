"""What others call given addresses of a file: addr2line, eu-addr2line and `perf script`.

perf is given a recording that is written here, with one sample at each address, in the format of
tools/perf/Documentation/perf.data-file-format.txt and perf_event_open(2).
"""

import re
import struct
import subprocess

from symbol_table import BASE, run

TID = 4190001
COMM, SAMPLE, MMAP2 = 3, 9, 10
USER = 2
ATTR_BYTES = 112  # PERF_ATTR_SIZE_VER5
CPU_CLOCK = (1, ATTR_BYTES, 0, 1, 0x1 | 0x2 | 0x4 | 0x100)  # sampled: IP, TID, TIME, PERIOD
PROT_READ_EXEC = 5
MAP_PRIVATE = 2


def record(kind, body):
    return struct.pack("<IHH", kind, USER, 8 + len(body)) + body


def padded(text):
    return text + bytes(8 - len(text) % 8)


def mapping(path, start, end, offset):
    """A file's bytes from `offset` on, mapped from BASE + start to BASE + end."""
    return record(MMAP2, struct.pack("<IIQQQIIQQII", TID, TID, BASE + start, end - start, offset,
                                     0, 0, 0, 0, PROT_READ_EXEC, MAP_PRIVATE) +
                  padded(str(path).encode()))


def code_segments(path):
    """(address, end, offset in the file) of what the loader maps executable."""
    found = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ R.E",
                       run("readelf", "-lW", path, stderr=subprocess.DEVNULL))
    for offset, address, size in ([int(word, 16) for word in row] for row in found):
        start = address & ~0xFFF
        yield start, (address + size + 0xFFF) & ~0xFFF, offset & ~0xFFF


def write(path, addresses, file):
    records = [record(COMM, struct.pack("<II", TID, TID) + padded(b"test"))]
    records += [mapping(path, *segment) for segment in code_segments(path)]
    records += [record(SAMPLE, struct.pack("<QIIQQ", BASE + address, TID, TID, 1000 + at, 1))
                for at, address in enumerate(addresses)]
    data = b"".join(records)
    attribute = struct.pack("<IIQQQ", *CPU_CLOCK).ljust(ATTR_BYTES, b"\0") + struct.pack("<QQ", 0, 0)
    header = 104
    file.write_bytes(struct.pack("<8sQQQQQQQQ4Q", b"PERFILE2", header, len(attribute), header,
                                 len(attribute), header + len(attribute), len(data), 0, 0,
                                 0, 0, 0, 0) + attribute + data)


def by_perf(path, addresses, folder):
    write(path, addresses, folder / "perf.data")
    done = subprocess.run(["perf", "script", "-i", folder / "perf.data", "-F", "ip,sym", "-f"],
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder)},
                          check=False, capture_output=True, text=True, errors="surrogateescape")
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        ip, name = line.strip().split(" ", 1)
        found[int(ip, 16) - BASE] = None if name == "[unknown]" else name
    assert sorted(found) == sorted(addresses), done.stderr
    return found


def blocks_by(command, path, addresses):
    """{address: [(what is said of the function, file, line), …]}, innermost first, as a tool like
    addr2line says."""
    # eu-addr2line ends with 1 when there is an address that it knows nothing of.
    text = subprocess.run([*command, "-a", "-f", "-i", "-e", path], check=False, text=True,
                          capture_output=True, input="\n".join(map(hex, addresses))).stdout
    blocks = re.split(r"^0x([0-9a-f]+)\n", text, flags=re.M)[1:]
    found = {}
    for address, block in zip(blocks[::2], blocks[1::2]):
        lines = block.splitlines()
        found[int(address, 16)] = [
            (function, *re.match(r"(.*?):(\d+|\?)", place).groups())
            for function, place in zip(lines[::2], lines[1::2])]
    assert sorted(found) == sorted(addresses)
    return found


def frames_by(command, path, addresses):
    """{address: [(function, file, line), …]}, innermost first."""
    return {address: [(re.sub(r" inlined at .*", "", said), file, line) for said, file, line in frames]
            for address, frames in blocks_by(command, path, addresses).items()}


def function_behind(frames):
    """The function that all others were inlined into, or None.  Where two functions share an address,
    eu-addr2line may stop at the innermost: "NAME inlined at PLACE in FUNCTION"."""
    name = re.sub(r".* inlined at .* in ", "", frames[-1][0])
    return None if name == "??" else name


def by_lines(tool):
    """A function that names what is behind whatever was inlined at each address."""
    def names(path, addresses, _):
        return {address: function_behind(frames)
                for address, frames in blocks_by([tool], path, addresses).items()}
    return names


TOOLS = {"addr2line": by_lines("addr2line"), "eu-addr2line": by_lines("eu-addr2line"),
         "perf": by_perf}


def names_by(tool, path, addresses, folder):
    """{address: name}, None where the tool knows none; C++ names mangled or not."""
    return TOOLS[tool](path, addresses, folder)
