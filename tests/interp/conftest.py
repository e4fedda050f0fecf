"""Each test of `python` or `ruby` runs with every CPython or Ruby that is found here."""

import pytest

import pythons
import rubies


def pytest_generate_tests(metafunc):
    if "python" in metafunc.fixturenames:
        found = pythons.found()
        metafunc.parametrize("python", found or [None], ids=str, indirect=True, scope="module")
    if "ruby" in metafunc.fixturenames:
        metafunc.parametrize("ruby", rubies.found() or [None], ids=str, indirect=True, scope="module")


@pytest.fixture(scope="module")
def python(request):
    if request.param is None:
        pytest.skip("no CPython of a known version is installed")
    if request.param.free_threaded:
        pytest.skip("free-threaded builds are left alone")
    return request.param


@pytest.fixture(scope="module")
def ruby(request):
    if request.param is None:
        pytest.skip("no Ruby of a known version is installed")
    return request.param
