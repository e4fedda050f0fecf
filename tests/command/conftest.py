"""One browser for the tests of all files, and what several of them look at in it."""

import functools

import pytest

import browser as browsers
import page_profiles
from graph_page import NESTED, graph
from viewer_page import Viewer, viewer


@pytest.fixture(scope="session")
def chromium():
    reason = browsers.missing()
    if reason:
        pytest.skip(reason)
    opened = browsers.Browser()
    yield opened
    opened.close()


@pytest.fixture
def browser(chromium):
    """As every test finds it; a page that complains of something fails the test that opened it."""
    chromium.resize(1200, 800)
    chromium.scheme("light")
    yield chromium
    said = chromium.errors()
    # a warning for a test that reads the pixels of a canvas
    assert [line for line in said if "willReadFrequently" not in line] == []


@pytest.fixture(scope="session")
def nested(tmp_path_factory):
    return graph(tmp_path_factory.mktemp("nested"), NESTED, "--title", "Nested")


@pytest.fixture(scope="session")
def made_up(tmp_path_factory):
    """The data and the page of a name in page_profiles.ALL, made once."""
    @functools.cache
    def made(name):
        data = page_profiles.ALL[name]()
        return data, viewer(tmp_path_factory.mktemp(name), data)
    return made


@pytest.fixture
def opened(browser, made_up, tmp_path):
    """Opens the page of such a name, or of data."""
    def of(what, fragment="", **options):
        data, path = made_up(what) if isinstance(what, str) else (what, viewer(tmp_path, what))
        page = Viewer(browser, path, fragment, **options)
        page.data = data
        return page
    return of
