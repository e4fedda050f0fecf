"""What the tests of flame graphs share: making one, and a page that shows it."""

import re
from xml.etree import ElementTree

from launching import flametrap


NESTED = """app;main;parse;lex 10
app;main;parse;lex;parse;lex 30
app;main;run 20
app;main;run;read_[k] 25
app;main;Run 5
app;idle 10
"""


def graph(folder, folded, *options, name="graph"):
    """The SVG of folded stacks."""
    source = folder / f"{name}.folded"
    source.write_bytes(folded if isinstance(folded, bytes) else folded.encode())
    target = folder / f"{name}.svg"
    flametrap("graph", source, "-o", target, *options, status=0)
    return target


def elements(svg, name):
    """The texts of a picture's elements of this name, of which an empty one has none."""
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}" + name)]


def titles(svg):
    return elements(svg, "title")


def texts(svg):
    return elements(svg, "text")


class Page:
    """An opened graph, as its user sees it."""

    def __init__(self, browser, path, fragment="", size=(1200, 800)):
        self.browser = browser
        browser.resize(*size)
        browser.open(path.as_uri() + fragment)

    def frames(self):
        """Left edge, width and class of the drawn frames, by name; the outermost of a name."""
        entries = self.browser.js("""
            return [...document.querySelectorAll('.frames g[role=treeitem]')].map(g => {
                const box = g.querySelector('rect').getBoundingClientRect();
                return [g.getAttribute('aria-label').replace(/ \\([^(]*$/, ''), box.left, box.width,
                        g.getAttribute('class')];
            })""")
        return {entry[0]: entry[1:] for entry in reversed(entries)}

    def element(self, label):
        """The first frame whose label begins like this."""
        return self.browser.find(f'.frames g[aria-label^="{label} ("] rect')

    def click(self, label):
        self.browser.click(self.element(label))

    def text(self, css):
        return self.browser.js("return document.querySelector(arguments[0]).textContent", css)

    def matched(self):
        return self.text(".matched")

    def search(self, pattern):
        self.browser.keys("Control", "f")
        self.browser.type(pattern)

    def labels(self):
        return self.browser.js(
            "return [...document.querySelectorAll('.frames text')].map(t => t.textContent)")

    def fragment(self):
        return self.browser.js("return location.hash")


def choose(page, view):
    """Take the menu's entry of this name."""
    page.browser.js("""
        const menu = document.querySelector('select');
        menu.value = [...menu.options].find(option => option.textContent === arguments[0]).value;
        menu.dispatchEvent(new Event('change'));""", view)


def chosen(page):
    return page.browser.js("return document.querySelector('select').selectedOptions[0].textContent")


def top(browser, label):
    return browser.js("return document.querySelector(arguments[0]).getBoundingClientRect().top",
                      f'.frames g[aria-label^="{label} ("]')


def linear(colour):
    channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    return [c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4 for c in channels]


def luminance(colour):
    red, green, blue = linear(colour)
    return .2126 * red + .7152 * green + .0722 * blue
