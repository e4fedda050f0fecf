"""What does a flame graph of 50,000 stacks cost: to write, to keep, to open, to zoom, to search?

The floor is the same for a graph of one frame, in the same browser and by turns.  Times in the
browser are its own: from the start of loading until the picture is drawn, and of one zoom or
search until the next frame was painted.
"""

import pathlib
import random
import resource
import subprocess
import sys
import tempfile

from measure import COMMAND, in_turn, line, median

import browser as browsers  # tests/support, on the path by measure

STACKS = 50000
ROUNDS = 5

PAINTED = """
    const done = arguments[arguments.length - 1];
    const start = performance.now();
    %s
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
"""
ZOOM = """
    const group = [...document.querySelectorAll('.frames g[aria-level="4"], .frames g')].find(
        one => one.getAttribute('aria-level') === '4') || document.querySelector('.frames g');
    group.querySelector('rect').dispatchEvent(new MouseEvent('click', { bubbles: true }));
"""
SEARCH = """
    const input = document.querySelector('.tools input');
    input.value = 'function_1[0-9]*7';
    input.dispatchEvent(new Event('input'));
"""


def folded():
    chance = random.Random(5)
    lines = set()
    while len(lines) < STACKS:
        path, step = ["app", "main"], 0
        for level in range(chance.randint(8, 40)):
            step = (step * 31 + chance.choice((0, 0, 0, 1, 2, 3)) + level) % 3000
            path.append(f"space::function_{step}(int)")
        lines.add(";".join(path))
    return "".join(f"{row} {number % 9 + 1}\n" for number, row in enumerate(sorted(lines)))


def draw(folder, name, text):
    """Milliseconds of the command's CPU time; the picture lies beside its data."""
    source = folder / f"{name}.folded"
    source.write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([COMMAND, "graph", source, "-o", folder / f"{name}.svg"], check=True,
                   stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def look(browser, path):
    """What one reader waits for, in milliseconds."""
    browser.open(path.as_uri())
    found = {"open": browser.js("""const [entry] = performance.getEntriesByType('navigation');
        return entry.loadEventEnd - entry.startTime""")}
    for name, act in (("zoom", ZOOM), ("search", SEARCH)):
        found[name] = browser.call("POST", "/execute/async", {"script": PAINTED % act, "args": []})
    found["elements"] = browser.js("return document.querySelectorAll('*').length")
    return found


def main():
    reason = browsers.missing()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = {"one_frame": "app 1\n", "stacks": folded()}
        drawn = in_turn({key: (lambda key=key, text=text: draw(folder, key, text))
                         for key, text in texts.items()}, ROUNDS)
        for key, times in drawn.items():
            line(f"graph.{key}.write", median(times), "ms", ROUNDS)
            line(f"graph.{key}.file", (folder / f"{key}.svg").stat().st_size / 1e6, "MB", 1)
        if reason:
            print(f"graph: opening is not measured: {reason}", file=sys.stderr)
            return
        browser = browsers.Browser()
        try:
            found = in_turn({key: (lambda key=key: look(browser, folder / f"{key}.svg"))
                             for key in texts}, ROUNDS)
        finally:
            browser.close()
        for key in texts:
            for what, unit in (("open", "ms"), ("zoom", "ms"), ("search", "ms"), ("elements", "1")):
                line(f"graph.{key}.{what}", median([one[what] for one in found[key]]), unit, ROUNDS)


if __name__ == "__main__":
    main()
