"""What does a page (--format html) of a million samples over 50,000 stacks cost its reader: to open,
and to answer a selection?

The floor is the same for a page of one thread and 24 s, in the same browser and by turns.  Times are
the browser's own: opening lasts from the start of loading until the picture is drawn; a selection
from the change of the link, which is how the page keeps it, until the next frame was painted.
Selections are a tenth of the run, each another one; the median is of all of them.
"""

import pathlib
import sys
import tempfile

from measure import in_turn, line, median

import browser as browsers      # tests/support, on the path by measure
import page_data
import page_profiles

ROUNDS = 5
SELECTIONS = 20

OPENED = """
    const done = arguments[arguments.length - 1];
    (function wait() {
        if (document.body.dataset.drawn)
            requestAnimationFrame(() => setTimeout(() => done(performance.now())));
        else
            setTimeout(wait, 1);
    })();
"""
CHANGED = """
    const [fragment, done] = arguments, start = performance.now();
    const before = document.body.dataset.drawn;
    location.hash = fragment;
    (function wait() {
        if (document.body.dataset.drawn !== before)
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
        else
            setTimeout(wait, 0);
    })();
"""


def run(browser, script, *arguments):
    return browser.call("POST", "/execute/async", {"script": script, "args": list(arguments)})


def look(browser, path, length):
    """What one reader waits for, in milliseconds."""
    browser.open(path.as_uri())
    found = {"open": [run(browser, OPENED)], "select": [], "inverted": [], "search": [], "lanes": []}
    browser.js("return 0")
    for at in range(SELECTIONS):
        begin = int(length * at * .9 / SELECTIONS)
        found["select"].append(run(browser, CHANGED, f"#t={begin + 1}-{begin + length // 10}"))
    for what, fragment in (("inverted", "#m=up"), ("search", "#s=function_1[0-9]*7"), ("lanes", "#v=lanes")):
        found[what].append(run(browser, CHANGED, fragment))
    return found


def main():
    reason = browsers.missing()
    if reason:
        print(f"page: not measured: {reason}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        folder, paths = pathlib.Path(name), {}
        for key, data in (("small", page_profiles.stalls()), ("million", page_profiles.million())):
            paths[key] = page_data.page(data, folder / f"{key}.html"), data.end // data.unit_ns
            line(f"page.{key}.file", paths[key][0].stat().st_size / 1e6, "MB", 1)
        browser = browsers.Browser(1600, 1000)
        try:
            found = in_turn({key: (lambda page=page: look(browser, *page)) for key, page in paths.items()},
                            ROUNDS)
        finally:
            browser.close()
        for key, rounds in found.items():
            for what in ("open", "select", "inverted", "search", "lanes"):
                times = [time for one in rounds for time in one[what]]
                line(f"page.{key}.{what}", median(times), "ms", len(times))


if __name__ == "__main__":
    main()
