"""A page (--format html) in the browser: what its reader can see and do."""

import re

import pytest

import browser as browsers
from page_data import page

SETTLE = """
    const done = arguments[arguments.length - 1];
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done))));
"""
ROW = 18
GUTTER, RIGHT = 58, 8  # of the heatmap
SECOND = 1_000_000_000


class Viewer:
    def __init__(self, browser, path, fragment="", size=(1200, 900)):
        self.browser = browser
        browser.resize(*size)
        browser.requests()
        browser.open(path.as_uri() + fragment)
        browser.until(lambda: browser.js(
            "return document.body.dataset.drawn > 0 || document.querySelector('.failure')"))
        self.settle()

    def settle(self):
        """Wait until what was asked for is drawn."""
        self.browser.call("POST", "/execute/async", {"script": SETTLE, "args": []})

    def go(self, fragment):
        self.browser.js("location.hash = arguments[0]", fragment)
        self.settle()

    def keys(self, *names):
        self.browser.keys(*names)
        self.settle()

    def type(self, text):
        self.browser.type(text)
        self.settle()

    def focus(self, css):
        self.browser.js("document.querySelector(arguments[0]).focus()", css)
        self.settle()

    def text(self, css):
        return self.browser.js("return document.querySelector(arguments[0])?.textContent ?? null", css)

    def texts(self, css):
        return self.browser.js(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", css)

    def shown(self, css):
        return self.browser.js("""const one = document.querySelector(arguments[0]);
            return Boolean(one && one.checkVisibility())""", css)

    def _place(self, css):
        """Left, top, width and height in the window, where the middle of it is visible."""
        return self.browser.js("""const one = document.querySelector(arguments[0]);
            one.scrollIntoView({ block: 'nearest' });
            const box = one.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height]""", css)

    def _pointer(self, *steps):
        """Steps are (x, y) in the window, "down" and "up"."""
        actions = []
        for step in steps:
            if step in ("down", "up"):
                actions.append({"type": "pointerDown" if step == "down" else "pointerUp", "button": 0})
            else:
                actions.append({"type": "pointerMove", "duration": 0, "origin": "viewport",
                                "x": round(step[0]), "y": round(step[1])})
        self.browser.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": actions}]})
        self.settle()

    def _inside(self, css, x, y):
        left, top, _, _ = self._place(css)
        return left + x, top + y

    def hover(self, css, x, y):
        self._pointer(self._inside(css, x, y))
        return self.text(".details")

    def click_at(self, css, x, y):
        self._pointer(self._inside(css, x, y), "down", "up")

    def drag(self, css, begin, end):
        left, top, _, _ = self._place(css)
        self._pointer((left + begin[0], top + begin[1]), "down",
                     (left + (begin[0] + end[0]) / 2, top + (begin[1] + end[1]) / 2),
                     (left + end[0], top + end[1]), "up")

    def click(self, css):
        self._place(css)
        self.browser.click(self.browser.find(css))
        self.settle()

    def press(self, text):
        """Click the button with this text or label."""
        found = self.browser.js("""return [...document.querySelectorAll('button')].find(one =>
            one.offsetParent && (one.textContent === arguments[0] ||
                one.getAttribute('aria-label') === arguments[0]))""", text)
        self.browser.js("arguments[0].scrollIntoView({ block: 'nearest' })", found)
        self.browser.click(found[browsers.ELEMENT])
        self.settle()

    def choose(self, label, text):
        """Take an entry of a menu."""
        self.browser.js("""
            const menu = document.querySelector(`select[aria-label="${arguments[0]}"]`);
            menu.value = [...menu.options].find(option => option.textContent === arguments[1]).value;
            menu.dispatchEvent(new Event('change'));""", label, text)
        self.settle()

    def rows(self):
        """The table: name to the numbers of its other columns, whole as their titles tell them."""
        found = self.browser.js("""return [...document.querySelectorAll('tbody tr')].map(row =>
            [...row.cells].map(cell => cell.title || cell.textContent))""")
        return {cells[-1]: [number_of(text) for text in cells[:-1]] for cells in found}

    def order(self):
        return self.texts("tbody tr td.name")

    def selection(self):
        return self.text(".selection span")

    def fragment(self):
        return self.browser.js("return location.hash")

    def frame_width(self):
        return self.browser.js("return document.querySelector('.frames').clientWidth")

    def frame(self, level, part):
        """What the status line says of the frame of a level at a part of the width."""
        return self.hover(".frames", self.frame_width() * part, level * ROW + ROW / 2)


def heat_x(page, seconds, whole=24):
    """Where a time is in the heatmap of a run of that many seconds."""
    width = page.browser.js("return document.querySelector('.picture').clientWidth")
    return GUTTER + seconds / whole * (width - GUTTER - RIGHT)


def click_row(page, name):
    """Choose a function in the table."""
    page.browser.js("""[...document.querySelectorAll('tbody tr')].find(
        row => row.querySelector('.name').title === arguments[0]).click()""", name)
    page.settle()


def number_of(text):
    """1234.5 of "1,234.5 samples"; times are in ns."""
    found = re.match(r"([\d,.]+) ?(ns|µs|ms|s)?\b", text)
    if not found:
        return None
    scale = {"s": SECOND, "ms": 1_000_000, "µs": 1000}.get(found[2], 1)
    return float(found[1].replace(",", "")) * scale


class Sums:
    """Sums of a selection as Python computes them from the samples."""

    def __init__(self, data, counter=0, begin=None, end=None, keep=lambda sample: True, off=None):
        self.data, self.all = data, 0
        self.self, self.total, self.leaf = {}, {}, {}
        self.by = {"track": {}, "labels": {}, "line": {}}
        for sample in data.samples:
            value = self.value(sample, counter, begin, end, off)
            if value and keep(sample):
                self.add(sample, value)

    def value(self, sample, counter, begin, end, off):
        kind, time = self.data.counters[sample[3]], sample[0] // self.data.unit_ns
        if kind["offCpu"] and sample[3] in (off, counter):
            length = sample[5] / self.data.unit_ns
            low = max(time - length, begin if begin is not None else time - length)
            high = min(time, end if end is not None else time)
            return sample[5] * max(high - low, 0) / length
        if sample[3] != counter or (begin is not None and not begin <= time < end):
            return 0
        return sample[4] if kind["weight"] == "samples" and off is None else sample[5]

    def add(self, sample, value):
        stack = self.stack(sample[1])
        self.all += value
        self.self[stack[-1]] = self.self.get(stack[-1], 0) + value
        self.leaf[tuple(stack)] = self.leaf.get(tuple(stack), 0) + value
        for name in set(stack):
            self.total[name] = self.total.get(name, 0) + value
        for key, at in (("track", 2), ("labels", 6), ("line", 7)):
            self.by[key][sample[at]] = self.by[key].get(sample[at], 0) + value

    def stack(self, node):
        names = []
        while node:
            names.append(self.data.names[self.data.node_names[node]])
            node = self.data.parents[node]
        return ["all", *reversed(names)]

    def table(self):
        return {plain(name): [self.self.get(name, 0), total] for name, total in self.total.items()}

    def below(self, *path):
        """Value of all stacks that begin like this."""
        return sum(value for stack, value in self.leaf.items() if stack[:len(path)] == path)


def plain(name):
    return re.sub(r"(?<=.)_\[[kjpio]\]$", "", name, flags=re.DOTALL)


def viewer(folder, data):
    """The path of a page of the data."""
    return page(data, folder / "page.html")


def approximately(rows):
    return {name: pytest.approx(values, rel=1e-3) for name, values in rows.items()}
