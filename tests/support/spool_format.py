"""The structs of runtime/spool/format.h, format_code.h and format_log.h, for tests that write or read spools.

Constants come from the headers.  It shares no code with runtime/profile, so that the two check each
other: a reader that disagrees about a size refuses the file.
"""

import ctypes
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PARTS = [(ROOT / "runtime" / "spool" / name).read_text(encoding="utf-8")
         for name in ("format.h", "format_code.h", "format_log.h")]
TEXT = "".join(PARTS)
SPECIAL = (ROOT / "runtime" / "spool" / "special_pc.h").read_text(encoding="utf-8")
COUNTS = re.findall(r"^\tX\((\w+),", PARTS[0], re.M)
LANGUAGES = {constant: int(number) for constant, number in re.findall(r"^\tX\((\w+), (\d+),", PARTS[1], re.M)}


def constant(name):
    row = rf"X\({name.removeprefix('SPOOL_PC_')}, "
    return int(re.search(rf"(?:{name}\s*(?:=\s*)?|{row})(0x[0-9a-f]+|\d+)", TEXT + SPECIAL)[1], 0)


CHUNK = constant("SPOOL_CHUNK_BYTES")
HEAD = constant("SPOOL_CHUNK_HEAD")
COUNTERS = constant("SPOOL_COUNTERS_MAX")
LONG = constant("SPOOL_TEXT_MAX")
NAME = constant("SPOOL_NAME_MAX")
TOTALS = ("value", "enabled_ns", "running_ns", "lost", "dropped", "paused")
U32, U64 = ctypes.c_uint32, ctypes.c_uint64


class Counter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * NAME), ("unit", U32), ("leader", U32),
                ("period", U64), ("frequency_hz", U64), ("raised", U64),
                ("flags", U32), ("missing", U32),
                ("scale", ctypes.c_char * constant("SPOOL_SCALE_MAX")),
                ("measure", ctypes.c_char * constant("SPOOL_MEASURE_MAX"))]


class Lack(ctypes.Structure):
    _fields_ = [("ended_ns", U64), ("threads", U32), ("why", U32)]


class Header(ctypes.Structure):
    _fields_ = [
        ("magic", U64), ("version", U32), ("header_bytes", U32), ("thread_bytes", U32),
        ("module_bytes", U32), ("node_bytes", U32), ("counter_count", U32),
        ("size_bytes", U64), ("used_bytes", U64), ("first_thread", U64), ("first_module", U64),
        ("state", U32), ("engine", U32), ("pid", U32), ("parent_pid", U32), ("uid", U32),
        ("weight", U32), ("threads", U32), ("formats", U32), ("inlined", U32),
        ("lines", U32), ("wall", U32), ("takes_ended", U32), ("start_ticks", U64),
        ("start_realtime_ns", U64), ("start_ns", U64), ("end_ns", U64), ("cpu_ns", U64),
        ("count", U64 * len(COUNTS)), ("counter", Counter * COUNTERS),
        ("note", ctypes.c_char * 256), ("command", ctypes.c_char * 16),
        ("host", ctypes.c_char * (NAME + 1)), ("executable", ctypes.c_char * LONG),
        ("arguments", ctypes.c_char * LONG), ("output", ctypes.c_char * LONG),
        ("directory", ctypes.c_char * LONG), ("window_from_ns", U64), ("window_to_ns", U64),
        ("stop_after_ns", U64), ("first_code", U64), ("first_text", U64), ("interp", U32),
        ("run", U32), ("first_mark", U64), ("first_label", U64), ("timeline_bytes", U64),
        ("lack", Lack * COUNTERS), ("map_device", U64), ("map_inode", U64),
        ("before_ns", U64)]


class Thread(ctypes.Structure):
    _fields_ = [("state", U32), ("tid", U32), ("name", ctypes.c_char * 16),
                ("first_chunk", U64), ("start_ns", U64), ("end_ns", U64),
                ("count", U64 * len(COUNTS)), ("total", U64 * (len(TOTALS) * COUNTERS)),
                ("first_log", U64), ("log_changes", U64),
                ("seen_ns", U64), ("seen_cpu_ns", U64), ("lacks", U64)]


class File(ctypes.Structure):
    _fields_ = [(name, U64) for name in ("device", "inode", "bytes", "changed_ns", "head")]


class Module(ctypes.Structure):
    _fields_ = [("start", U64), ("end", U64), ("bias", U64), ("since", U32), ("until", U32),
                ("flags", U32), ("build_id_bytes", U32),
                ("build_id", ctypes.c_ubyte * constant("SPOOL_BUILD_ID_MAX")),
                ("file", File),
                ("path", ctypes.c_char * constant("SPOOL_PATH_MAX"))]


class Node(ctypes.Structure):
    _fields_ = [("pc", U64), ("parent", U32), ("generation", U32), ("samples", U64),
                ("events", U64)]


class Chunk(ctypes.Structure):
    _fields_ = [("kind", U32), ("count", U32), ("next", U64), ("number", U64),
                ("base_ns", U64), ("reserved", U64 * 4)]


class Text(ctypes.Structure):
    _fields_ = [("at", U32), ("bytes", U32)]


class Code(ctypes.Structure):
    _fields_ = [("language", U32), ("lines", U32), ("first_line", U32), ("reserved", U32),
                ("name", Text), ("qualified", Text), ("file", Text), ("table", Text)]


class LogEntry(ctypes.Structure):
    _fields_ = [("head", U64), ("body", U64)]


class Label(ctypes.Structure):
    _fields_ = [("below", U32), ("reserved", U32), ("key", Text), ("value", Text)]
