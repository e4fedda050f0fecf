"""The files of the tree and what each includes, or imports if it is a script.

Printed without arguments: one line for each file and what it includes.  With --check: one line for
each include that points up in the order of rooms, for each cycle of files, for each room that is too
large, for each name that a script imports and its module does not export, and status 1 if there is
any.  A header, its source and their variants for processors are one file here.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The rooms of each half, from the ground up: a file includes its own room and those before it.  What
# both halves stand upon comes first.  The longest room that a file's name begins with is its own.
GROUND = ("config/text/", "config/events/", "config/settings/", "runtime/spool/")
INTERP = "runtime/sample/interp/"
HALVES = (
    (*GROUND, "runtime/sample/sys/", "runtime/sample/elf/", "runtime/sample/cfi/",
     "runtime/sample/unwind/", "runtime/sample/store/", "runtime/sample/labels/",
     "runtime/sample/log/", "runtime/sample/objects/", "runtime/sample/tree/",
     INTERP, f"{INTERP}cpython/", f"{INTERP}php/", f"{INTERP}perl/", f"{INTERP}ruby/",
     "runtime/sample/perf/", "runtime/sample/plan/", "runtime/sample/session/", "runtime/sample/account/",
     "runtime/sample/rate/", "runtime/sample/overflow/", "runtime/sample/life/",
     "preload/libc/", "preload/labels/", "preload/signals/", "preload/threads/",
     "preload/process/", "preload/calls/"),
    (*GROUND, "runtime/profile/base/", "runtime/profile/spool/", "runtime/profile/debuginfo/",
     "runtime/profile/languages/", "runtime/profile/symbols/", "runtime/profile/time/",
     "runtime/profile/tree/", "runtime/profile/analysis/", "runtime/profile/merge/", "runtime/profile/input/",
     "runtime/compare/statistics/", "runtime/compare/match/", "runtime/compare/",
     "runtime/output/annotate/", "runtime/output/graph/",
     "runtime/output/page/model/", "runtime/output/page/view/", "runtime/output/page/",
     "runtime/output/formats/", "runtime/output/report/", "runtime/output/",
     "runtime/command/base/", "runtime/command/options/", "runtime/collect/",
     "runtime/command/inspect/", "runtime/command/run/", "runtime/command/ab/",
     "runtime/command/verbs/"),
)
# Rooms of one kind, which do not include each other.
APART = (tuple(INTERP + language for language in ("cpython/", "php/", "perl/", "ruby/")),)
ROOM_SOURCES = 40
ROOM_LINES = 4500
IMPORT = re.compile(r"^import \{([^}]*)\} from '([^']+)';$", re.M)
EXPORT = re.compile(r"^export (?:async )?(?:const|let|function) (\w+)", re.M)


def file_of(path):
    """The one file that a header, a source or a processor's variant belongs to."""
    return re.sub(r"(_x86_64|_aarch64)?\.[ch]$", "", path)


def room_of(path):
    return max((room for half in HALVES for room in half if path.startswith(room)),
               key=len, default=None)


def rooms_below(room):
    """The room itself and those that its files may include."""
    others = {other for kind in APART if room in kind for other in kind} - {room}
    return {other for half in HALVES if room in half
            for other in half[:half.index(room) + 1]} - others


def imports(root, path):
    """[(line number, imported path, names)] of a script."""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.end()) + 1,
             os.path.normpath(path.parent / match[2]).removeprefix(f"{root}/"),
             re.findall(r"\w+", match[1])) for match in IMPORT.finditer(text)]


def included_in(root, path):
    if path.suffix == ".js":
        return [(number, name) for number, name, _ in imports(root, path)]
    text = path.read_text(encoding="utf-8", errors="replace")
    return [(number, match[1]) for number, line in enumerate(text.split("\n"), 1)
            if (match := re.match(r'\s*#\s*include\s+"([^"]+)"', line))]


def includes(root):
    """{path: [(line number, included path)]} of all sources below the folders of the rooms."""
    return {str(path.relative_to(root)): included_in(root, path)
            for folder in sorted({room.split("/", maxsplit=1)[0] for half in HALVES for room in half})
            for path in sorted((root / folder).rglob("*.*")) if path.suffix in (".c", ".h", ".js")}


def graph_of(included):
    """{file: files that it includes}; what is not in the tree is left out."""
    graph = {file_of(path): set() for path in included}
    for path, lines in included.items():
        graph[file_of(path)] |= {file_of(name) for _, name in lines if name in included}
    for file, others in graph.items():
        others.discard(file)
    return graph


def cycles(graph):
    """The strongly connected components of more than one file, each sorted (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for other in sorted(graph[file]):
            if other not in order:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], order[other])
        if low[file] == order[file]:
            at = stack.index(file)
            members, stack[at:] = stack[at:], []
            if len(members) > 1:
                found.append(sorted(members))

    for file in sorted(graph):
        if file not in order:
            visit(file)
    return sorted(found)


def upward(included):
    """One line for each include of a room that the file does not stand upon."""
    for path, lines in included.items():
        room = room_of(path)
        if room is None:
            yield f"{path}:1: is in none of the rooms of tests/include_graph.py"
            continue
        allowed = rooms_below(room)
        for number, name in lines:
            if room_of(name) not in allowed:
                yield f"{path}:{number}: {name} is of a room that this file may not use"


def crowded(root, included):
    """One line for each room with too many sources or lines, scripts and style sheets among them."""
    styles = [str(path.relative_to(root)) for path in (root / "runtime").rglob("*.css")]
    for room in sorted({room for half in HALVES for room in half}):
        paths = [path for path in [*included, *styles] if room_of(path) == room]
        sources = sum(path.endswith((".c", ".js", ".css")) for path in paths)
        lines = sum(len((root / path).read_text(encoding="utf-8").splitlines()) for path in paths)
        if sources > ROOM_SOURCES or lines > ROOM_LINES:
            yield (f"{room}: {sources} sources, {lines} lines "
                   f"(at most {ROOM_SOURCES} and {ROOM_LINES})")


def unexported(root, included):
    """One line for each name that a script imports from a module that does not export it."""
    for path in included:
        for number, name, wanted in imports(root, root / path) if path.endswith(".js") else ():
            known = EXPORT.findall((root / name).read_text(encoding="utf-8")) if name in included else []
            for one in wanted:
                if one not in known:
                    yield f"{path}:{number}: {name} exports no {one}"


def breaches(root):
    """One line for each breach in the tree below `root`."""
    included = includes(root)
    yield from upward(included)
    yield from crowded(root, included)
    yield from unexported(root, included)
    for members in cycles(graph_of(included)):
        yield f"{members[0]}: a cycle of {len(members)} files: {' '.join(members)}"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: include_graph.py [--check]", file=sys.stderr)
        return 2
    if not arguments:
        for file, others in sorted(graph_of(includes(ROOT)).items()):
            print(f"{file}: {' '.join(sorted(others))}".rstrip())
        return 0
    found = [*breaches(ROOT)]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
