"""A flame graph is one file that any viewer shows, and that holds whatever names there are."""

import itertools
import math
import random
import re
from xml.etree import ElementTree

import pytest

from graph_page import NESTED, Page, graph, linear, luminance, texts, titles, top
from running import ROOT


HOSTILE = [
    b"app;<script>window.hacked=1</script> 10",
    b"app;</script><script>window.hacked=2</script> 10",
    b"app;]]></metadata></style></title></g><script>window.hacked=3</script> 10",
    b"app;\"><image href=x onerror=window.hacked=4> 10",
    b"app;' onclick='window.hacked=5' 10",
    b"app;javascript:window.hacked=6 10",
    b"app;&lt &amp &#0 &bogus 10",
    b"app;\x01\x02\x1b[31m\x7f 10",
    b"app;\xff\xfe\xc0\xbc\xed\xa0\x80 10",
    b"app;\xef\xbf\xbe\xef\xbf\xbf\xe2\x80\xae 10",
    b"app;__proto__ 10",
    b"app;constructor;toString 10",
    b"app;\\\\u003cscript> \\\" ' 10",
    b"<script>window.hacked=7</script>;a 10",
]


def test_the_file_needs_nothing_else(nested):
    text = nested.read_text()
    assert "@import" not in text and "url(" not in text and "innerHTML" not in text
    urls = set(re.findall(r"https?://[^\s\"']+", text))
    assert urls == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}


def test_without_script_the_picture_is_there(nested):
    svg = nested.read_bytes()
    shown = titles(svg)[1:]  # the first is the picture's own
    assert "main (90 samples, 90.00%)" in shown
    assert "read (25 samples, 25.00%), kernel" in shown
    assert len(shown) == 11
    assert "main" in texts(svg)


@pytest.mark.parametrize("corpus", sorted((ROOT / "tests/fuzz/corpus/folded").iterdir()),
                         ids=lambda path: path.name)
def test_any_input_gives_valid_xml(corpus, tmp_path):
    ElementTree.parse(graph(tmp_path, corpus.read_bytes()))


def test_random_bytes_give_valid_xml(tmp_path):
    chance = random.Random(20)
    lines = [bytes(chance.choice(b"<>&\"'];-_[k]\xc3\xa9\xed\xa0\xef\xbf\xbe\xff\x01\x0b !x")
                   for _ in range(30)).replace(b"\n", b"") + b" 7" for _ in range(3000)]
    ElementTree.parse(graph(tmp_path, b"\n".join(lines), "--title", "<&\x02>", "--notes", "]]>"))


def test_hostile_names_are_shown_and_do_not_run(browser, tmp_path):
    path = graph(tmp_path, b"\n".join(HOSTILE), "--title", "</title><script>hacked=8</script>",
                 "--notes", "<script>window.hacked=9</script>")
    ElementTree.parse(path)
    page = Page(browser, path)
    assert browser.js("return window.hacked") is None
    paths = [line[:-3].split(b";") for line in HOSTILE]
    frames = {tuple(path[:depth]) for path in paths for depth in range(len(path) + 1)}
    assert browser.js("return document.querySelectorAll('.frames g').length") == len(frames)
    assert any(name == "<script>window.hacked=1</script>" for name in page.frames())
    browser.js("""for (const g of document.querySelectorAll('.frames g'))
        for (const type of ['pointerover', 'focusin', 'click'])
            g.dispatchEvent(new Event(type, { bubbles: true }))""")
    page.search("script")
    assert browser.js("return window.hacked") is None
    assert browser.js("return document.querySelectorAll('script').length") == 1
    assert browser.js("return document.querySelectorAll('image, img').length") == 0


def test_nothing_is_fetched_and_nothing_complains(browser, nested):
    browser.requests()
    Page(browser, nested)
    assert [url for url in browser.requests() if url != "about:blank"] == [nested.as_uri()]


def test_widths_are_shares(browser, nested):
    frames = Page(browser, nested).frames()
    assert frames["all"][1] == pytest.approx(1180, abs=1)
    assert frames["main"][1] == pytest.approx(1180 * .9, abs=1)
    assert frames["idle"][1] == pytest.approx(1180 * .1, abs=1)
    assert frames["idle"][0] < frames["main"][0]


def test_what_is_left_out_leaves_a_gap(browser, tmp_path):
    folded = "app;a 5\napp;b 10\napp;b;c 5\napp;b;d 15\napp;e 65\n"
    frames = Page(browser, graph(tmp_path, folded, "--min-width", "7")).frames()
    assert "a" not in frames and "c" not in frames
    assert frames["b"][0] == pytest.approx(10 + 1180 * .05, abs=1)
    assert frames["d"][0] == pytest.approx(10 + 1180 * .10, abs=1)
    assert frames["e"][0] == pytest.approx(10 + 1180 * .35, abs=1)


@pytest.mark.parametrize("width", [320, 400, 1200, 2400])
def test_no_label_leaves_its_frame_and_nothing_the_window(browser, nested, width):
    Page(browser, nested, size=(width, 700))
    outside = browser.js("""return [...document.querySelectorAll('.frames g')].filter(g => {
        const text = g.querySelector('text');
        const box = g.querySelector('rect').getBoundingClientRect();
        return box.right > innerWidth || box.left < 0 ||
            (text && text.getBoundingClientRect().right > box.right + .5);
    }).length""")
    assert outside == 0
    tools = browser.js("""return [...document.querySelectorAll('.tools > *:not([hidden])')].map(
        e => e.getBoundingClientRect()).filter(box => box.left < 0 || box.right > innerWidth).length""")
    assert tools == 0


def test_screen_readers_are_told_what_is_there(browser, nested):
    Page(browser, nested)
    assert browser.js("return document.documentElement.getAttribute('aria-label')") == "Nested"
    assert browser.js("return document.querySelector('.frames').getAttribute('role')") == "tree"
    levels = browser.js("""return Object.fromEntries([...document.querySelectorAll(
        '[role=treeitem]')].map(g => [g.getAttribute('aria-label'), g.ariaLevel]))""")
    assert levels["all (100 samples, 100.00%)"] == "1"
    assert levels["read (25 samples, 25.00%), kernel"] == "5"


def test_outermost_frames_are_at_the_bottom_or_inverted_on_top(browser, nested, tmp_path):
    Page(browser, nested)
    assert top(browser, "all") > top(browser, "app") > top(browser, "main")
    Page(browser, graph(tmp_path, NESTED, "--inverted"))
    assert top(browser, "all") < top(browser, "app") < top(browser, "main")


def test_reversed_stacks_begin_with_the_leaf(browser, tmp_path):
    frames = Page(browser, graph(tmp_path, "a;b;x 30\na;x 10\na;y 60\n", "--reverse")).frames()
    assert frames["x"][1] == pytest.approx(1180 * .4, abs=1)
    assert frames["b"][1] == pytest.approx(1180 * .3, abs=1)


def test_kinds_of_code_differ_in_hue(browser, tmp_path):
    folded = "app;f 10\napp;f_[k] 10\napp;f_[j] 10\napp;f_[p] 10\napp;f_[i] 10\napp;[libz.so] 10\n" \
        "app;z@0x12 10\napp;f_[o] 10\napp;[preempted] 10\n"
    for palette in ("hot", "safe", "grey"):
        Page(browser, graph(tmp_path, folded, "--colors", palette))
        fills = browser.js("""return Object.fromEntries([...document.querySelectorAll(
            '.frames g[aria-level="3"]')].map(g => [g.getAttribute('aria-label'),
            getComputedStyle(g.querySelector('rect')).fill]))""")
        assert len(fills) == 9
        kinds = [next(fill for label, fill in fills.items() if label.endswith(end))
                 for end in ("%)", "kernel", "just in time", "interpreted", "inlined", "processor",
                             "preempted", "no symbol")]
        assert len(set(kinds)) == 8, palette
    legend = browser.js("return [...document.querySelectorAll('.legend text')].map(t => t.textContent)")
    assert legend == ["user", "kernel", "just in time", "interpreted", "inlined", "off the processor",
                      "preempted", "no symbol"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("palette", ["hot", "safe", "grey"])
def test_names_can_be_read_on_every_colour(browser, tmp_path, scheme, palette):
    folded = "".join(f"app;function_{i}{suffix} 10\n" for i in range(20)
                     for suffix in ("", "_[k]", "_[j]", "_[p]", "_[i]", "_[o]")) + (
                         "app;[libz.so.1] 10\napp;[preempted] 10\n")
    Page(browser, graph(tmp_path, folded, "--colors", palette), size=(12000, 400))
    browser.scheme(scheme)
    pairs = browser.js("""return [...document.querySelectorAll('.frames g')].filter(
        g => g.querySelector('text')).map(g => [getComputedStyle(g.querySelector('text')).fill,
        getComputedStyle(g.querySelector('rect')).fill])""")
    assert len(pairs) > 80
    for text, ground in pairs:
        lighter, darker = sorted((luminance(text), luminance(ground)), reverse=True)
        assert (lighter + .05) / (darker + .05) >= 4.5, (text, ground)


# Machado, Oliveira and Fernandes 2009: linear RGB as seen without one sort of cones.
VISIONS = {
    "protanopia": ((.152286, 1.052583, -.204868), (.114503, .786281, .099216),
                   (-.003882, -.048116, 1.051998)),
    "deuteranopia": ((.367322, .860646, -.227968), (.280085, .672501, .047413),
                     (-.011820, .042940, .968881)),
    "tritanopia": ((1.255528, -.076749, -.178779), (-.078411, .930809, .147602),
                   (.004733, .691367, .303900)),
}


def seen(colour, vision):
    """A colour in CIE L*a*b*, where distances are those of the eye."""
    red, green, blue = (max(0, sum(a * b for a, b in zip(row, linear(colour)))) for row in vision)
    xyz = ((.4124 * red + .3576 * green + .1805 * blue) / .95047,
           .2126 * red + .7152 * green + .0722 * blue,
           (.0193 * red + .1192 * green + .9505 * blue) / 1.08883)
    x, y, z = (value ** (1 / 3) if value > .008856 else 7.787 * value + 16 / 116 for value in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_the_safe_palette_is_told_apart_by_colour_blind_eyes(browser, tmp_path, scheme, vision):
    folded = "".join(f"app;f{i}{suffix} 10\n" for i in range(40)
                     for suffix in ("_[u]", "_[k]", "_[j]", "_[p]", "_[i]", "_[o]", "@0x1")) + (
                         "app;g@0x2 10\napp;[preempted] 10\n")
    Page(browser, graph(tmp_path, folded, "--colors", "safe"))
    browser.scheme(scheme)
    pairs = browser.js("""return [...document.querySelectorAll('.frames g[aria-level="3"]')].map(
        g => [g.getAttribute('aria-label').replace(/.*\\)/, ''),
              getComputedStyle(g.querySelector('rect')).fill])""")
    kinds = {}
    for kind, fill in pairs:
        kinds.setdefault(kind, set()).add(fill)
    assert len(kinds) == 8
    for one, other in itertools.combinations(kinds.values(), 2):
        nearest = min(math.dist(seen(a, VISIONS[vision]), seen(b, VISIONS[vision]))
                      for a in one for b in other)
        assert nearest > 12  # about ten times what can just be noticed


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_functions_of_scripts_stand_out_from_the_code_around_them(browser, tmp_path, scheme):
    folded = "".join(f"app;f{i}{suffix} 10\n" for i in range(40)
                     for suffix in ("_[u]", "_[k]", "_[j]", "_[p]", "_[i]", "_[o]"))
    Page(browser, graph(tmp_path, folded))
    browser.scheme(scheme)
    pairs = browser.js("""return [...document.querySelectorAll('.frames g[aria-level="3"]')].map(
        g => [g.getAttribute('aria-label').endsWith('interpreted'),
              getComputedStyle(g.querySelector('rect')).fill])""")
    eye = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    ours, others = ({seen(fill, eye) for mine, fill in pairs if mine is which} for which in (True, False))
    assert min(math.dist(a, b) for a in ours for b in others) > 15


def test_dark_surroundings_darken_the_paper(browser, nested):
    Page(browser, nested)
    paper = "return getComputedStyle(document.querySelector('.paper')).fill"
    assert luminance(browser.js(paper)) > .9
    browser.scheme("dark")
    assert luminance(browser.js(paper)) < .05


def test_an_image_element_shows_the_picture(browser, nested, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f'<body style="margin:0"><img src="{nested.as_uri()}">')
    browser.resize(1200, 300)
    browser.scheme("light")
    browser.open(page.as_uri())
    assert browser.js("return document.images[0].naturalWidth") == 1200
    colours = {pixel for row in browser.pixels() for pixel in row[::5]}
    assert len(colours) > 5


def test_a_graph_inside_a_page_leaves_the_page_alone(browser, nested, tmp_path):
    svg = nested.read_text().split("?>", 1)[1]
    page = tmp_path / "page.xhtml"
    page.write_text(f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{svg}{svg}</body></html>')
    browser.resize(1000, 800)
    browser.errors()
    browser.open(page.as_uri())
    assert browser.js("return document.querySelectorAll('.frames.live').length") == 2
    zoom = "return [...document.querySelectorAll('.frames')].map(f => f.childElementCount)"
    everything = browser.js(zoom)[0]
    browser.click(browser.find('.frames g[aria-label^="idle ("] rect'))
    assert browser.js(zoom) == [3, everything]
    browser.js("document.activeElement.blur()")
    browser.keys("F3")
    assert browser.js("return document.activeElement.localName") == "body"
    assert browser.js("return location.hash") == ""


def test_fifty_thousand_stacks_draw_only_what_can_be_seen(browser, tmp_path):
    chance = random.Random(5)
    lines = set()
    while len(lines) < 50000:
        path, step = ["app", "main"], 0
        for level in range(chance.randint(8, 40)):
            step = (step * 31 + chance.choice((0, 0, 0, 1, 2, 3)) + level) % 3000
            path.append(f"space::function_{step}(int)")
        lines.add(";".join(path))
    folded = "".join(f"{line} {number % 9 + 1}\n" for number, line in enumerate(sorted(lines)))
    path = graph(tmp_path, folded + "app;main;needle 3\n")
    assert path.stat().st_size < 9000000
    page = Page(browser, path)
    pieces = browser.js("""return [...document.querySelectorAll('.data')].map(
        piece => piece.textContent.length)""")
    assert len(pieces) > 4 and max(pieces) < 10000000  # more is refused by other XML readers
    drawn = "return document.querySelectorAll('.frames g').length"
    groups = browser.js(drawn)
    assert 500 < groups < 20000
    every = "return document.querySelectorAll('*').length"
    assert browser.js(every) < 3 * groups + 60  # an edge, at most a label; a title for what was pointed at
    assert "needle" not in page.frames()
    page.search("^needle$")
    total = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) + 3
    assert page.matched() == f"Matched: {300 / total:.1f}%"
    browser.keys("Enter")
    browser.keys("Enter")
    assert page.text(".details") == f"needle (3 samples, {300 / total:.2f}%)"
    assert page.frames()["needle"][1] == pytest.approx(1180, abs=1)
    browser.keys("Escape")
    browser.keys("Escape")
    assert browser.js(drawn) == groups
    page.click("main")
    assert browser.js(drawn) <= groups


def test_a_stack_of_five_thousand_frames_is_drawn(browser, tmp_path):
    page = Page(browser, graph(tmp_path, ";".join(f"f{i}" for i in range(5000)) + " 1\n"))
    browser.js("document.querySelector('.more button').click()")
    assert browser.js("return document.querySelectorAll('.frames g').length") == 5001
    assert page.text(".details") == "all (1 sample, 100.00%)"
    inside = browser.js("""const box = document.querySelector(
        '.frames g[aria-level="1"]').getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight""")
    assert inside is True
