"""Each test of `python` or `ruby` runs with every CPython or Ruby that is found here; those with all
but the first are long."""

import pytest

import pythons
import rubies


def pytest_generate_tests(metafunc):
    for name, found in ("python", pythons.found), ("ruby", rubies.found):
        if name in metafunc.fixturenames:
            first, *others = found() or [None]
            values = [first, *(pytest.param(one, marks=pytest.mark.long) for one in others)]
            metafunc.parametrize(name, values, ids=str, indirect=True, scope="module")


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
